/**
 * The whole table of Debian programs, by group: each group has a test file of its own, so that they can run side by
 * side.
 */
import { COMPRESSION } from './groups/compression.js';
import { COREUTILS } from './groups/coreutils.js';
import { FILES } from './groups/files.js';
import { LANGUAGES } from './groups/languages.js';
import { TEXT_TOOLS } from './groups/text.js';
import { TOOLCHAIN } from './groups/toolchain.js';
import type { Invocation } from './invocation.js';

export const PROGRAMS: Readonly<Record<string, readonly Invocation[]>> = {
  coreutils: COREUTILS,
  files: FILES,
  text: TEXT_TOOLS,
  compression: COMPRESSION,
  languages: LANGUAGES,
  toolchain: TOOLCHAIN,
};

/** Files of this machine for debuggers: sources, and debug information that lies apart. */
import fs from 'node:fs';
import { inflateSync } from 'node:zlib';
import type { DebugFiles } from '../../debugger/program/debugFiles.js';

export const NODE_FILES: DebugFiles = {
  read: (path) => {
    try {
      return fs.statSync(path).isFile() ? fs.readFileSync(path) : undefined;
    } catch {
      return undefined;
    }
  },
  modified: (path) => fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs,
  inflate: (bytes, length) => inflateSync(bytes, { maxOutputLength: Math.max(1, length) }),
};

/** Programs of the table (programs.ts), built and recorded in a directory of their own that is gone afterwards. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProgram } from '../programs/build.js';
import type { Variant } from '../programs/variants.js';
import { placeFiles } from '../table/sandbox.js';
import type { RecordedProgram } from './programs.js';
import { type LiveRun, recordRun, type RunSettings } from './recordedRun.js';

export const STATIC: Variant = { name: '-O1 static', compiler: 'gcc', flags: ['-O1', '-static'] };
export const DYNAMIC: Variant = { name: '-O1 dynamic', compiler: 'gcc', flags: ['-O1', '-pie', '-fPIE'] };

export async function commandOf({ argv: [program, ...args] }: RecordedProgram, variant: Variant): Promise<string[]> {
  return [/\.cc?$/.test(program) ? await buildProgram(program, variant) : program, ...args];
}

export async function recordProgram(command: readonly string[], { files = {}, seed = 0, stdin = '' }: RecordedProgram, settings: RunSettings = {}): Promise<LiveRun> {
  const [before, fresh] = [process.cwd(), realpathSync(mkdtempSync(join(tmpdir(), 'culprit-replay-')))];
  process.chdir(fresh);
  placeFiles(fresh, files);
  try {
    return await recordRun(command, { seed, stdin: Buffer.from(stdin), ...settings });
  } finally {
    process.chdir(before);
    // Nothing of it is needed any more.
    rmSync(fresh, { recursive: true });
  }
}

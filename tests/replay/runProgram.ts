/** Programs of the table (programs.ts), built and recorded in a directory of their own that is gone afterwards. */
import { buildProgram } from '../programs/build.js';
import type { Variant } from '../programs/variants.js';
import { placeFiles } from '../table/sandbox.js';
import { inOwnFolder } from './ownFolder.js';
import type { RecordedProgram } from './programs.js';
import { type LiveRun, recordRun, type RunSettings } from './recordedRun.js';

export const STATIC: Variant = { name: '-O1 static', compiler: 'gcc', flags: ['-O1', '-static'] };
export const DYNAMIC: Variant = { name: '-O1 dynamic', compiler: 'gcc', flags: ['-O1', '-pie', '-fPIE'] };

export async function commandOf({ argv: [program, ...args] }: RecordedProgram, variant: Variant): Promise<string[]> {
  return [/\.cc?$/.test(program) ? await buildProgram(program, variant) : program, ...args];
}

export function recordProgram(command: readonly string[], { files = {}, seed = 0, stdin = '' }: RecordedProgram, settings: RunSettings = {}): Promise<LiveRun> {
  return inOwnFolder((folder) => {
    placeFiles(folder, files);
    return recordRun(command, { seed, stdin: Buffer.from(stdin), ...settings });
  });
}

/** Programs of these tests, compiled, recorded in memory, and opened for traces. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_FILES } from '../../src/cli/nodeFiles.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { Execution } from '../../src/traces/execution/execution.js';
import { record, type RecordRequest } from '../replay/recorded.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const BUILD_FOLDER = fileURLToPath(new URL('../build/traces/', import.meta.url));

/** The path of the program made from tests/traces/programs/NAME. */
export function compile(name: string, flags: readonly string[] = ['-g', '-O0']): string {
  const source = `${HERE}programs/${name}`;
  const hash = createHash('sha256').update(flags.join(' ')).update(readFileSync(source)).digest('hex').slice(0, 12);
  const path = `${BUILD_FOLDER}${basename(name, '.c')}-${hash}`;
  if (existsSync(path)) return path;
  mkdirSync(BUILD_FOLDER, { recursive: true });
  const made = `${path}.${process.pid}`;
  execFileSync('gcc', ['-w', ...flags, '-o', made, source, '-pthread']);
  renameSync(made, path);
  return path;
}

export async function executionOf(words: readonly string[], request: RecordRequest = {}): Promise<Execution> {
  const { options } = await record(words, request);
  return new Execution({ timeline: new Timeline(options), log: options.log, files: NODE_FILES });
}

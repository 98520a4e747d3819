/** Programs of these tests, compiled, recorded in memory, and opened for traces. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { branchesOf } from '../../src/cli/opening/branchesOf.js';
import { NODE_FILES } from '../../src/cli/opening/nodeFiles.js';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { TracedExecution, type ExecutionParts } from '../../src/traces/execution/tracedExecution.js';
import { record, type Recorded, type RecordRequest } from '../replay/recorded.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const BUILD_FOLDER = fileURLToPath(new URL('../build/traces/', import.meta.url));

/** Without a dynamic linker, which would be most of what there is to replay. */
export const STATIC = ['-g', '-O0', '-static'];
export const DYNAMIC = ['-g', '-O0'];

/** The path of the program made from tests/traces/programs/NAME. */
export function compile(name: string, flags: readonly string[] = STATIC): string {
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

/** Made once: V8 does not compile the same bytes again as long as a module of them is alive. */
const coreModule = buildCoreModule();
const recorded = new Map<string, Promise<Recorded>>();

/** Recorded once, opened as often as a test wants to see what something costs from the beginning. */
export async function executionOf(words: readonly string[], request: RecordRequest = {}, parts: Partial<ExecutionParts> = {}): Promise<TracedExecution> {
  const key = JSON.stringify([words, request]);
  const known = recorded.get(key) ?? record(words, { ...request, engine: { coreModule } });
  recorded.set(key, known);
  const { options } = await known;
  return new TracedExecution({ execution: new Timeline(options), another: () => new Timeline(options), branches: async () => branchesOf(new Timeline(options), options), files: NODE_FILES, ...parts });
}

/**
 * Runs a script, such as those of analyses/, inside the test runner, as `culprit query` does in its thread, and gives
 * back what it prints.
 */
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { format } from 'node:util';
import { LIBRARY_NAMES } from '../../src/cli/commands/query.js';
import { compileScript, LIBRARY, scriptMessage } from '../../src/cli/query/queryScript.js';
import { LIBRARY_PARTS } from '../../src/api/traces.js';
import type { TracedExecution } from '../../src/traces/execution/tracedExecution.js';

const ANALYSES = fileURLToPath(new URL('../../analyses/', import.meta.url));

const plainImport = createRequire(import.meta.url)('./plainImport.cjs') as (url: string) => Promise<unknown>;
const STACK_DEPTH = 200;
// Each script has a temporary directory that goes with the process.
process.setMaxListeners(100);

export async function analysis(name: string, execution: TracedExecution, args: readonly string[] = []): Promise<string> {
  return runScript(`${ANALYSES}${name}.ts`, execution, args);
}

/** An error is told by the script's line. */
export async function runScript(path: string, execution: TracedExecution, args: readonly string[] = []): Promise<string> {
  const script = await compileScript(path, LIBRARY_NAMES);
  const printed: string[] = [];
  const { log } = console;
  Error.stackTraceLimit = STACK_DEPTH;
  Object.assign(console, { log: (...words: unknown[]) => void printed.push(format(...words)) });
  Object.assign(globalThis, { [Symbol.for(LIBRARY)]: { ...LIBRARY_PARTS, execution, args } });
  try {
    await plainImport(pathToFileURL(script.path).href);
  } catch (error) {
    printed.push(scriptMessage(error, script));
  } finally {
    Object.assign(console, { log });
  }
  // Places are as the compiler was given them.
  return printed.join('\n').replaceAll(/\/[^ ]*\/programs\//g, '');
}

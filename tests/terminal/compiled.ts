/** Programs of the tests, compiled when they are needed first. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const TESTS = fileURLToPath(new URL('../', import.meta.url));
const BUILD_FOLDER = `${TESTS}build/terminal/`;

/** `source` is below tests/. The path of the program. */
export function compile(source: string, flags: readonly string[]): string {
  const from = TESTS + source;
  const hash = createHash('sha256').update(JSON.stringify([source, flags])).update(readFileSync(from)).digest('hex').slice(0, 12);
  const path = `${BUILD_FOLDER}${basename(source)}-${hash}`;
  if (!existsSync(path)) {
    mkdirSync(BUILD_FOLDER, { recursive: true });
    const made = `${path}.${process.pid}`;
    execFileSync(source.endsWith('.cc') ? 'g++' : 'gcc', ['-w', ...flags, '-o', made, from, '-lm', '-pthread']);
    renameSync(made, path);
  }
  return path;
}

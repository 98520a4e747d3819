/** Compiles programs on demand into tests/build/slices, named by all that went into them. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { placeSource } from '../programs/placeSource.js';

export const SOURCES = fileURLToPath(new URL('programs/', import.meta.url));
const BUILD_FOLDER = fileURLToPath(new URL('../build/slices/', import.meta.url));

/** The path of the program. */
export function compile(source: string, flags: readonly string[]): string {
  return compileText(source, readFileSync(SOURCES + source, 'utf8'), flags, SOURCES + source);
}

/** `name` is that of its file. */
export function compileText(name: string, text: string, flags: readonly string[], path?: string): string {
  const hash = createHash('sha256').update(JSON.stringify([name, flags, text])).digest('hex').slice(0, 16);
  const program = `${BUILD_FOLDER}${name}-${hash}`;
  if (existsSync(program)) return program;
  mkdirSync(BUILD_FOLDER, { recursive: true });
  const source = path ?? `${program}.c`;
  if (path === undefined) placeSource(source, text);
  const temporary = `${program}.${process.pid}`;
  execFileSync('gcc', ['-w', '-g', ...flags, '-o', temporary, source, '-pthread', '-lm']);
  renameSync(temporary, program);
  return program;
}

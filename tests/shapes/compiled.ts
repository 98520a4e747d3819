/** Compiles the programs of these tests on demand into tests/build/shapes, named by all that went into them. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { placeSource } from '../programs/placeSource.js';

export const SOURCES = fileURLToPath(new URL('programs/', import.meta.url));
const BUILD_FOLDER = fileURLToPath(new URL('../build/shapes/', import.meta.url));

/** The path of a program of `programs/`. */
export function compiled(source: string, flags: readonly string[] = ['-O0']): string {
  return compiledText(source, readFileSync(SOURCES + source, 'utf8'), flags, SOURCES + source);
}

/** `name` is that of its file. */
export function compiledText(name: string, text: string, flags: readonly string[], path?: string): string {
  const hash = createHash('sha256').update(JSON.stringify([name, flags, text])).digest('hex').slice(0, 16);
  const program = `${BUILD_FOLDER}${name.replaceAll('/', '-')}-${hash}`;
  if (existsSync(program)) return program;
  mkdirSync(BUILD_FOLDER, { recursive: true });
  const source = path ?? `${program}.c`;
  if (path === undefined) placeSource(source, text);
  const temporary = `${program}.${process.pid}`;
  execFileSync(source.endsWith('.cc') ? 'g++' : 'gcc', ['-w', '-g', ...flags, '-o', temporary, source, '-lm']);
  renameSync(temporary, program);
  return program;
}

/** Line of each mark: `// @fault3`. */
export function marksOf(text: string): ReadonlyMap<string, number[]> {
  const marks = new Map<string, number[]>();
  for (const [i, line] of text.split('\n').entries()) {
    for (const [, mark] of (line.split('// @')[1] === undefined ? '' : line.slice(line.indexOf('// @'))).matchAll(/@(\w+)/g)) marks.set(mark as string, [...(marks.get(mark as string) ?? []), i + 1]);
  }
  return marks;
}

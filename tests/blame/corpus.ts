/** Compiles the programs of these tests on demand, finds their marked lines, and asks `culprit blame`. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('programs/', import.meta.url));
const BUILD_FOLDER = fileURLToPath(new URL('../build/blame/', import.meta.url));

export const PLAIN: readonly string[] = ['-O0', '-g'];

export function sourceOf(program: string): string {
  return readFileSync(`${SOURCES}${program}.c`, 'utf8');
}

/** Line of each mark: `// @error @corrupt and why` has two. */
export function marksOf(source: string): ReadonlyMap<string, number> {
  const marks = new Map<string, number>();
  for (const [i, text] of source.split('\n').entries()) {
    const comment = text.slice(text.lastIndexOf('// @'));
    if (text.includes('// @')) for (const [, mark] of comment.matchAll(/@(\w+)/g)) marks.set(mark as string, i + 1);
  }
  return marks;
}

/** The path of a program of `programs/`; its source has the name that the table has. */
export function compiled(program: string, flags: readonly string[] = PLAIN): string {
  return compiledText(program, sourceOf(program), flags);
}

export function compiledText(program: string, source: string, flags: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify([program, source, flags])).digest('hex').slice(0, 16);
  const folder = `${BUILD_FOLDER}${hash}/`;
  const path = `${folder}${program}`;
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${path}.c`, source);
  const made = `${path}.${process.pid}`;
  execFileSync('gcc', ['-w', ...flags, '-o', made, `${program}.c`, '-pthread', '-lm'], { cwd: folder });
  renameSync(made, path);
  return path;
}

/** Compiles the programs of this folder, once for each set of flags. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('programs/', import.meta.url));
const BUILD_FOLDER = fileURLToPath(new URL('../build/statements/', import.meta.url));

/** The path of the program. */
export function compile(source: string, flags: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify([source, flags])).update(readFileSync(SOURCES + source)).digest('hex').slice(0, 16);
  const path = `${BUILD_FOLDER}${source}-${hash}`;
  if (!existsSync(path)) {
    mkdirSync(BUILD_FOLDER, { recursive: true });
    const temporary = `${path}.${process.pid}`;
    execFileSync('gcc', ['-g', '-w', ...flags, '-o', temporary, SOURCES + source, '-pthread']);
    renameSync(temporary, path);
  }
  return path;
}

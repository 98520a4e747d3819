/** Compiles the programs of this folder on demand into tests/build/graphs, named by all that went into them. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('programs/', import.meta.url));
const BUILD_FOLDER = fileURLToPath(new URL('../build/graphs/', import.meta.url));

/** The path of the program. */
export function compile(source: string, flags: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify([source, flags])).update(readFileSync(SOURCES + source)).digest('hex').slice(0, 16);
  const path = `${BUILD_FOLDER}${source}-${hash}`;
  if (!existsSync(path)) {
    mkdirSync(BUILD_FOLDER, { recursive: true });
    const temporary = `${path}.${process.pid}`;
    execFileSync(source.endsWith('.cc') ? 'g++' : 'gcc', ['-w', ...flags, '-o', temporary, SOURCES + source, '-pthread']);
    renameSync(temporary, path);
  }
  return path;
}

/** Ways to compile that differ in what tables and borders of functions look like. */
export const VARIANTS: readonly (readonly [string, readonly string[]])[] = [
  ['-O0', ['-O0', '-g']],
  ['-O2', ['-O2', '-g']],
  ['-O3 without debug information', ['-O3']],
  ['-O2 -fno-pie', ['-O2', '-fno-pie', '-no-pie', '-g']],
  ['-O0 -fno-pie', ['-O0', '-fno-pie', '-no-pie']],
  ['-O2 stripped, with notrack', ['-O2', '-s', '-fcf-protection=full']],
  ['-Os -g static', ['-Os', '-g', '-static']],
];

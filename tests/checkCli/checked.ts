/** Programs of this folder, compiled once, under the real command. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { culprit, type Outcome } from '../cli/culprit.js';

const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));
const BUILD = fileURLToPath(new URL('../build/checkCli/', import.meta.url));

const COMPILERS = { c: 'gcc', cc: 'g++' } as const;

export function compiled(name: string, language: keyof typeof COMPILERS = 'c', linkage: 'dynamic' | 'static' = 'dynamic'): string {
  const [source, target] = [`${PROGRAMS}${name}.${language}`, `${BUILD}${name}${linkage === 'static' ? '.static' : ''}`];
  if (existsSync(target) && statSync(target).mtimeMs > statSync(source).mtimeMs) return target;
  mkdirSync(BUILD, { recursive: true });
  const temporary = `${target}.${process.pid}`;
  execFileSync(COMPILERS[language], ['-g', '-O0', '-w', '-fno-builtin', '-pthread', ...(linkage === 'static' ? ['-static'] : []), source, '-o', temporary]);
  renameSync(temporary, target);
  return target;
}

/** The line with a comment such as `BUG`. */
export function lineOf(name: string, mark: string): number {
  return readFileSync(`${PROGRAMS}${name}.c`, 'utf8').split('\n').findIndex((line) => line.includes(`/* ${mark} */`)) + 1;
}

export interface Folder {
  readonly path: string;
  file(name: string): string;
  check(...args: string[]): Outcome;
}

/** A temporary working directory, and one for temporary files of the command's own, in which nothing may be left. */
export function inFolder<T>(use: (folder: Folder) => T): T {
  const path = mkdtempSync(join(tmpdir(), 'culprit-test-'));
  try {
    return use({
      path,
      file: (name) => readFileSync(join(path, name), 'utf8'),
      check: (...args) => culprit(['check', ...args], { cwd: path, env: { TMPDIR: path } }),
    });
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

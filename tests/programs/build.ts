/**
 * Compiles the C programs of this directory on demand into tests/build/programs. A binary is named
 * by all that went into it (source, compiler, flags), so it is made once and never out of date.
 */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Variant } from './variants.js';

const SOURCES = fileURLToPath(new URL('.', import.meta.url));
const BUILD_FOLDER = fileURLToPath(new URL('../build/programs/', import.meta.url));
/** The sources do on purpose what compilers warn about. */
const COMMON_FLAGS = ['-w', '-fno-strict-aliasing', '-msse4.2'];

const run = promisify(execFile);
const versions = new Map<string, string>();
const builds = new Map<string, Promise<string>>();

/** Path of the program, whose file name is `source` without its suffix: some print it. */
export function buildProgram(source: string, variant: Variant): Promise<string> {
  const compiler = source.endsWith('.cc') ? 'g++' : variant.compiler;
  const flags = [...COMMON_FLAGS, ...(source.endsWith('.cc') ? ['-std=c++17'] : []), ...variant.flags];
  const key = createHash('sha256').update(withHeaders(source)).update([compiler, version(compiler), ...flags].join('\0')).digest('hex').slice(0, 16);
  const name = source.replace(/\.\w+$/, '');
  const directory = `${BUILD_FOLDER}${name}-${key}`;
  const path = `${directory}/${name}`;
  const underway = builds.get(path) ?? compile(path, [compiler, ...flags], source);
  builds.set(path, underway);
  return underway;
}

/** The source and the headers of ours that it includes. */
function withHeaders(source: string): string {
  const text = readFileSync(SOURCES + source, 'utf8');
  const headers = [...text.matchAll(/^#include "(.+)"/gm)].map(([, name]) => withHeaders(`${dirname(source)}/${name}`));
  return [text, ...headers].join('\0');
}

async function compile(path: string, [compiler = '', ...flags]: readonly string[], source: string): Promise<string> {
  if (existsSync(path)) return path;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await run(compiler, [...flags, '-o', temporary, SOURCES + source, '-lm']);
  renameSync(temporary, path);
  return path;
}

function version(compiler: string): string {
  const known = versions.get(compiler) ?? execFileSync(compiler, ['--version'], { encoding: 'utf8' });
  versions.set(compiler, known);
  return known;
}

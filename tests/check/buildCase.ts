/** Compiles cases on demand into tests/build/check, in a folder named by all that goes into them. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BugCase } from './bugCase.js';

const BUILD_FOLDER = fileURLToPath(new URL('../build/check/', import.meta.url));
/** What C says must not be done has to get to the processor as written: no builtin may know better. */
const PLAIN = ['-g', '-O0', '-w', '-D_GNU_SOURCE', '-fno-builtin', '-fno-omit-frame-pointer', '-fno-stack-protector', '-pthread'];
const SANITIZED = [...PLAIN, '-fsanitize=address,undefined', '-fno-sanitize=alignment'];

const run = promisify(execFile);

/** Of all that the case is made of: who keeps results of it can tell whether they are still true. */
export function fingerprint({ sources, flags }: BugCase): string {
  return createHash('sha256').update(JSON.stringify([sources, flags])).digest('hex').slice(0, 12);
}

export function buildCase(bugCase: BugCase): Promise<string> {
  return compile(bugCase, PLAIN, 'program');
}

export function buildSanitized(bugCase: BugCase): Promise<string> {
  return compile(bugCase, SANITIZED, 'sanitized');
}

async function compile(bugCase: BugCase, common: readonly string[], name: string): Promise<string> {
  const flags = [...common, ...bugCase.flags];
  const key = createHash('sha256').update(JSON.stringify([bugCase.sources, flags])).digest('hex').slice(0, 16);
  const folder = `${BUILD_FOLDER}${key}`;
  const path = `${folder}/${name}`;
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  for (const { name: file, text } of bugCase.sources) writeFileSync(`${folder}/${file}`, text);
  const compiler = bugCase.sources[0]?.name.endsWith('.cc') === true ? ['g++', '-std=c++17'] : ['gcc', '-std=gnu17'];
  const temporary = `${name}.${process.pid}`;
  const [command = '', ...standard] = compiler;
  await run(command, [...standard, ...flags, ...bugCase.sources.map((source) => source.name), '-o', temporary, '-lm'], { cwd: folder });
  renameSync(`${folder}/${temporary}`, path);
  return path;
}

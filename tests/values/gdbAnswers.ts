/** Compiles programs of this directory, runs them in gdb, and has its answers at stops beside a core file of each. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CoreProgram } from './coreSurroundings.js';

const SOURCES = fileURLToPath(new URL('programs/', import.meta.url));
const BUILD_FOLDER = fileURLToPath(new URL('../build/values/', import.meta.url));
const SCRIPT = fileURLToPath(new URL('askGdb.py', import.meta.url));

export interface Stop {
  readonly place: string;
  readonly commands: readonly string[];
  readonly frame?: number;
}

export interface AnsweredStop extends Stop {
  readonly answers: readonly string[];
  readonly program: CoreProgram;
}

export function compileProgram(source: string, flags: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify([source, flags])).update(readFileSync(SOURCES + source)).digest('hex').slice(0, 16);
  const path = `${BUILD_FOLDER}${source}-${hash}`;
  if (!existsSync(path)) {
    mkdirSync(BUILD_FOLDER, { recursive: true });
    execFileSync(source.endsWith('.cc') ? 'g++' : 'gcc', ['-w', ...flags, '-o', path, SOURCES + source, '-lm']);
  }
  return path;
}

/** gdb runs the program once, from stop to stop. */
export function askAtStops(path: string, stops: readonly Stop[]): AnsweredStop[] {
  const folder = mkdtempSync(join(tmpdir(), 'values-'));
  try {
    const questions = stops.map((stop, i) => ({ ...stop, core: join(folder, `core${i}`) }));
    writeFileSync(join(folder, 'questions'), JSON.stringify(questions));
    const env = { ...process.env, QUESTIONS: join(folder, 'questions'), ANSWERS: join(folder, 'answers'), LC_ALL: 'C.UTF-8' };
    execFileSync('gdb', ['-nx', '-q', '-batch', '-iex', 'set debug-file-directory /nonexistent', '-x', SCRIPT, path], { env, stdio: ['ignore', 'ignore', 'ignore'] });
    const answers = JSON.parse(readFileSync(join(folder, 'answers'), 'utf8')) as string[][];
    return questions.map((stop, i) => {
      const program = new CoreProgram(stop.core, path);
      program.select(stop.frame ?? 0);
      return { ...stop, answers: answers[i] ?? [], program };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

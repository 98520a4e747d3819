/** Files of this machine for `culprit paths`: reports, sources, and the grammars that come with us. */
import { createHash, getHashes } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type * as TreeSitter from 'web-tree-sitter';
import { UserError } from '../../base/errors.js';
import type { GrammarName, Grammars } from '../../paths/folding/languages.js';
import type { ReportInput } from '../../paths/readers/reading.js';
import type { SourceAccess } from '../../paths/sources/sources.js';
import { reasonOf } from '../output/report.js';
import { packageDirectory } from '../stores/prebuilt.js';

const STDIN = 0;
const PAUSE_MILLISECONDS = 5;
const PIECE = 1 << 20;
/** Longer files are no sources. */
const LONGEST_SOURCE = 64 << 20;
/** What comes from a pipe is kept: it is read more than once. */
const LONGEST_PIPE = 256 << 20;
const DIGESTS: Readonly<Record<string, string>> = { 'sha-256': 'sha256', 'sha-512': 'sha512', 'sha-1': 'sha1', md5: 'md5' };

/** Throws a UserError if it cannot be read. `-` is standard input. */
export function reportInput(name: string): ReportInput {
  if (name === '-') return keptInput('standard input', process.cwd(), piecesOf(STDIN, name));
  const path = resolve(name);
  const stats = withReason(name, () => fs.statSync(path));
  if (stats.isDirectory()) throw new UserError(`${name}: Is a directory`);
  if (!stats.isFile()) return keptInput(name, dirname(path), filePieces(path, name));
  return { name, chunks: () => filePieces(path, name), beside: (other) => besideOf(dirname(path), other) };
}

/** Of a pipe, all that comes. */
function keptInput(name: string, folder: string, pieces: Iterable<Uint8Array>): ReportInput {
  const kept: Uint8Array[] = [];
  let total = 0;
  for (const piece of pieces) {
    total += piece.length;
    if (total > LONGEST_PIPE) throw new UserError(`${name}: longer than ${LONGEST_PIPE >> 20} MiB, which only a file may be`);
    kept.push(piece.slice());
  }
  return { name, chunks: () => kept, beside: (other) => besideOf(folder, other) };
}

/** Only what lies in the folder or below: a report is not to read what its author has no business with. */
function besideOf(folder: string, name: string): ReportInput | undefined {
  if (name.startsWith('/') || name.includes('\0') || /^[a-z][\w+.-]*:/i.test(name) || name.split('/').includes('..')) return undefined;
  return fs.statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true ? reportInput(join(folder, name)) : undefined;
}

function* filePieces(path: string, name: string): Generator<Uint8Array> {
  const fd = withReason(name, () => fs.openSync(path, 'r'));
  try {
    yield* piecesOf(fd, name);
  } finally {
    fs.closeSync(fd);
  }
}

function* piecesOf(fd: number, name: string): Generator<Uint8Array> {
  const piece = new Uint8Array(PIECE);
  for (;;) {
    const count = withReason(name, () => readSome(fd, piece));
    if (count === 0) return;
    yield piece.subarray(0, count);
  }
}

/** Waits where there is nothing yet: standard input may be one that does not wait by itself. */
function readSome(fd: number, piece: Uint8Array): number {
  for (;;) {
    try {
      return fs.readSync(fd, piece);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MILLISECONDS);
    }
  }
}

function withReason<T>(name: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof UserError ? error : new UserError(`${name}: ${reasonOf(error)}`);
  }
}

export const SOURCE_FILES: SourceAccess = {
  read: (path) => {
    try {
      const stats = fs.statSync(path);
      return stats.isFile() && stats.size <= LONGEST_SOURCE ? fs.readFileSync(path) : undefined;
    } catch {
      return undefined;
    }
  },
  digest: (algorithm, bytes) => {
    const name = Object.hasOwn(DIGESTS, algorithm) ? DIGESTS[algorithm]! : undefined;
    return name === undefined || !getHashes().includes(name) ? undefined : createHash(name).update(bytes).digest('hex');
  },
};

/** tree-sitter with the grammars of C and C++, which the build has put into dist/. */
export async function loadGrammars(): Promise<Grammars> {
  const require = createRequire(join(packageDirectory(), 'bin', 'culprit'));
  const { Parser, Language } = require('web-tree-sitter') as typeof TreeSitter;
  await Parser.init();
  const [c, cpp] = await Promise.all((['c', 'cpp'] satisfies GrammarName[]).map((name) => Language.load(grammarBytes(name, require))));
  return { parser: new Parser(), languages: { c: c!, cpp: cpp! } };
}

function grammarBytes(name: GrammarName, require: NodeJS.Require): Uint8Array {
  const file = `tree-sitter-${name}.wasm`;
  const built = join(packageDirectory(), 'dist', 'grammars', file);
  return new Uint8Array(fs.readFileSync(fs.existsSync(built) ? built : join(dirname(require.resolve(`tree-sitter-${name}/package.json`)), file)));
}

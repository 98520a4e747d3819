/**
 * Compiled scripts of users in the cache directory: starting esbuild takes longer than most scripts need to answer.
 * What is stored has with it everything that went into it: the text of all files, what else of the kind lies in their
 * folders (a new file may be what an import means now), and what packages and TypeScript are told around the script. It
 * is good as long as all of that is the same.
 */
import fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { cacheDirectory, madeCacheDirectory, nameInCache } from './cacheDirectory.js';
import { buildId } from './prebuilt.js';
import { readSealed, writeSealed } from './sealedFiles.js';

export interface ScriptCode {
  readonly code: string;
  /** A source map, as text. */
  readonly map: string;
}

interface StoredScript extends ScriptCode {
  /** Paths with what was there; null: nothing. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly folders: Readonly<Record<string, string>>;
}

const SUFFIX = '.script';
const SETTINGS = ['package.json', 'tsconfig.json'];
const LARGEST_TEXT = 4 * 1024 * 1024;

/** Undefined if it is not stored, or not up to date. */
export function storedScript(script: string): ScriptCode | undefined {
  const [directory, id] = [cacheDirectory(), buildId()];
  if (directory === undefined || id === undefined) return undefined;
  const content = readSealed(fileFor(directory, script), { kind: 'script', id }, LARGEST_TEXT);
  if (content === undefined) return undefined;
  try {
    const stored = JSON.parse(Buffer.from(content).toString()) as StoredScript;
    const isSame = Object.entries(stored.files).every(([path, text]) => textOf(path) === text)
      && Object.entries(stored.folders).every(([path, names]) => namesIn(path) === names);
    return isSame ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** `inputs` are the files that it was made from. What cannot be stored is not stored. */
export function storeScript(script: string, { code, map }: ScriptCode, inputs: readonly string[]): void {
  const [directory, id] = [madeCacheDirectory(), buildId()];
  if (directory === undefined || id === undefined) return;
  const paths = [...inputs.map((path) => resolve(path)), ...settingsAround(resolve(script))];
  const files = Object.fromEntries(paths.map((path) => [path, textOf(path)]));
  // Settings of others that these refer to are not looked at.
  if (Object.values(files).some((text) => text?.includes('"extends"'))) return;
  const folders = Object.fromEntries(inputs.map((path) => dirname(resolve(path))).map((path) => [path, namesIn(path)]));
  const content = Buffer.from(JSON.stringify({ files, folders, code, map } satisfies StoredScript));
  if (content.length <= LARGEST_TEXT) writeSealed(fileFor(directory, script), { kind: 'script', id }, content);
}

function fileFor(directory: string, script: string): string {
  return join(directory, `${nameInCache(resolve(script))}${SUFFIX}`);
}

function settingsAround(script: string): string[] {
  const paths: string[] = [];
  for (let folder = dirname(script); ; folder = dirname(folder)) {
    paths.push(...SETTINGS.map((name) => join(folder, name)));
    if (folder === dirname(folder)) return paths;
  }
}

function textOf(path: string): string | null {
  // It may be anything, and another user's: nothing that waits is to be opened.
  try {
    const fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    try {
      const { size } = fs.fstatSync(fd);
      return fs.fstatSync(fd).isFile() && size <= LARGEST_TEXT ? fs.readFileSync(fd, 'utf8') : null;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return null;
  }
}

/** Those that an import may mean. */
function namesIn(folder: string): string {
  return fs.readdirSync(folder).filter((name) => /\.([cm]?[jt]sx?|json)$/.test(name)).sort().join('/');
}

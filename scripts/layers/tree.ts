/** The files that are checked. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSource } from './syntax.js';
import type { Source } from './syntax.js';

/** Folders with code, and those where only comments and documents count. */
const CODE_FOLDERS = ['src', 'tests', 'scripts', 'bench', 'analyses', 'demo', 'editors', 'bin'];
const LEFT_OUT: ReadonlySet<string> = new Set(['build', 'node_modules', 'dist', 'coverage']);

export interface Document {
  readonly path: string;
  readonly text: string;
}

export interface Tree {
  /** TypeScript and JavaScript. */
  readonly sources: readonly Source[];
  /** Markdown. */
  readonly documents: readonly Document[];
  /** All paths, also of files of other kinds. */
  readonly paths: readonly string[];
}

export function readTree(): Tree {
  const roots = readdirSync('.', { withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => entry.name);
  const paths = [...roots, ...[...CODE_FOLDERS, 'docs', 'rules', '.ci'].flatMap(filesBelow)].sort();
  return {
    paths,
    sources: paths.filter((path) => /\.(ts|mjs|cjs|js)$/.test(path)).map((path) => parseSource(path, readFileSync(path, 'utf8'))),
    documents: paths.filter((path) => path.endsWith('.md')).map((path) => ({ path, text: readFileSync(path, 'utf8') })),
  };
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

/** Tests and what only they use. They may look at the host, and at everything. */
export function isTestFile(path: string): boolean {
  return /^tests\/|\.test\.ts$|\/testing\/|(Oracle|Cases|[tT]esting|testMachine)\.ts$/.test(path);
}

/** The file that `./x.js` means in another file; what the build made of a file means the file. */
export function resolveImport(from: string, module: string): string | null {
  if (module === 'culprit/traces') return 'src/api/traces.ts';
  if (!module.startsWith('.')) return null;
  const target = join(dirname(from), module);
  const source = target.replace(/^dist\//, 'src/').replace(/\.js$/, '.ts');
  return source;
}

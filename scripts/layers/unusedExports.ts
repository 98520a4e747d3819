/**
 * Exports that no other file imports, and those that only tests reach: code for tests is with the tests. What a file
 * uses itself may be exported for its unit test. A name that a file only hands on counts as used where another file
 * takes it from there.
 */
import { exportsOf } from './exports.js';
import { importsOf } from './imports.js';
import type { Import } from './imports.js';
import { isTestFile, resolveImport } from './tree.js';
import { visit } from './syntax.js';
import type { Source } from './syntax.js';

export interface UnusedExport {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  readonly usedBy: 'none' | 'tests';
}

export function unusedExports(sources: readonly Source[], entries: readonly string[]): UnusedExport[] {
  const imports = new Map(sources.map((source) => [source.path, importsOf(source)]));
  const everywhere = usedNames(imports, entries, sources);
  const production = usedNames(new Map([...imports].filter(([path]) => !isTestFile(path))), entries, sources.filter(({ path }) => !isTestFile(path)));
  return sources.filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts') && !entries.includes(path)).flatMap((source) =>
    exportsOf(source).flatMap(({ name, line, isUsedHere }): UnusedExport[] => {
      const found = { path: source.path, line, name };
      if (!everywhere.has(key(source.path, name))) return [{ ...found, usedBy: 'none' }];
      const isForTests = !isTestFile(source.path) && !production.has(key(source.path, name)) && !isUsedHere();
      return isForTests ? [{ ...found, usedBy: 'tests' }] : [];
    }));
}

function key(path: string, name: string): string {
  return `${path}#${name}`;
}

/** Every `path#name` that some file uses; names that are handed on, as far as the handed-on name is used. */
function usedNames(imports: ReadonlyMap<string, readonly Import[]>, entries: readonly string[], sources: readonly Source[]): { has(key: string): boolean } {
  const used = new Set<string>();
  const use = (path: string, name: string): void => {
    if (used.has(key(path, name))) return;
    used.add(key(path, name));
    for (const { module, handedOn } of imports.get(path) ?? []) {
      const target = module === null ? null : resolveImport(path, module);
      if (target === null || handedOn === null) continue;
      if (handedOn === 'all') use(target, name);
      else for (const [theirs, ours] of handedOn) if (ours === name || name === '*') use(target, theirs);
    }
  };
  for (const path of entries) use(path, '*');
  for (const [path, list] of imports) {
    for (const { module, names, handedOn } of list) {
      const target = module === null ? null : resolveImport(path, module);
      if (target === null || handedOn !== null) continue;
      for (const name of names === 'all' ? ['*'] : names) use(target, name);
    }
  }
  for (const path of sources.flatMap(builtFiles)) use(path, '*');
  return { has: (one) => used.has(one) || used.has(`${one.split('#')[0]!}#*`) };
}

/** Files that a text names by what the build makes of them, as the scripts of programs in tests do. */
function builtFiles(source: Source): string[] {
  const found: string[] = [];
  if (!source.text.includes('dist/')) return found;
  visit(source.program, (node) => {
    const raw = node.type === 'Literal' ? node['value'] : node.type === 'TemplateElement' ? (node['value'] as { raw: string }).raw : null;
    if (typeof raw === 'string') for (const [, path] of raw.matchAll(/\bdist\/([\w/]+)\.js\b/g)) found.push(`src/${path!}.ts`);
  });
  return found;
}

/**
 * Which files may import which: the order of the layers, the lists of what a layer may import, Node's modules and
 * packages.
 */
import { isBuiltin } from 'node:module';
import { importsOf } from './imports.js';
import { LAYERS, PACKAGES, isBelow, isOuter, layerOf } from './layers.js';
import { isTestFile, resolveImport } from './tree.js';
import type { Source } from './syntax.js';

export interface ImportProblem {
  readonly line: number;
  readonly message: string;
  /** The file that is imported, if it may be listed as a debt. */
  readonly target: string | null;
}

/** What a file of src/ imports and should not. */
export function importProblems(source: Source): ImportProblem[] {
  if (isTestFile(source.path) || source.path === 'src/index.ts') return [];
  return importsOf(source).flatMap(({ module, line }) => {
    const target = module === null ? null : resolveImport(source.path, module);
    const message = target !== null ? fileMessage(source.path, target) : moduleMessage(source.path, module);
    return message === null ? [] : [{ line, message, target }];
  });
}

function moduleMessage(path: string, module: string | null): string | null {
  if (module === null) return isOuter(path) ? null : 'import of a computed name outside host/, cli/ and api/';
  if (isBuiltin(module)) return isOuter(path) ? null : `${module} outside host/, cli/ and api/`;
  const name = module.split('/').slice(0, module.startsWith('@') ? 2 : 1).join('/');
  const folders = PACKAGES.get(name);
  if (folders?.some((folder) => isBelow(path, `src/${folder}`)) === true) return null;
  return `${name} must not be imported here (scripts/layers/layers.ts says where packages may be)`;
}

function fileMessage(path: string, target: string): string | null {
  const [from, to] = [layerOf(path), layerOf(target)];
  if (from === null || from === to) return null;
  if (to === null) return `${target} is in no layer`;
  if (LAYERS.indexOf(to) > LAYERS.indexOf(from)) return `${from.folder}/ must not import ${to.folder}/, a layer above it`;
  const inner = target.replace(/^src\//, '');
  if (from.only === undefined || isBelow(inner, from.folder) || from.only.some((allowed) => isBelow(inner, allowed))) return null;
  return `${from.folder}/ must not import ${inner}: it sees executions only through their interface`;
}

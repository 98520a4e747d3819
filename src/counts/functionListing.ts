/** A function's source, line by line, with how often each ran: what has code and never ran, too. */
import { scopesOfFunction } from '../dwarf/breakpointPlaces.js';
import { unlessCorrupt } from '../dwarf/dwarfError.js';
import type { Die } from '../dwarf/die.js';
import { findFunctions } from '../dwarf/functionNames.js';
import type { Scope } from '../dwarf/scope.js';
import { scopesAt } from '../dwarf/sourceFrames.js';
import { functionNameOf, withoutParameters } from '../debugger/program/functionNames.js';
import type { ModuleFile } from '../debugger/program/moduleFile.js';
import type { Counts, FunctionCount } from './counting.js';

interface CountedLine {
  readonly line: number;
  /** Undefined: it has no code. */
  readonly count: number | undefined;
}

/** What there is to say of one function of a name; several may have it. */
export interface ListedFunction {
  readonly name: string;
  readonly module: string;
  readonly calls: number;
  readonly instructions: number;
  readonly isOwn: boolean;
  /** Where debug information knows it. */
  readonly source: { readonly path: string; readonly line: number } | undefined;
  /** From its first line to its last; empty without debug information. */
  readonly lines: readonly CountedLine[];
}

/** All functions of that name in the modules that were executed: executed ones, and those that could have been. */
export function listFunctions(name: string, counts: Counts): ListedFunction[] {
  const described = counts.modules.flatMap((file) => describedFunctions(name, file, counts));
  const others = counts.functions.filter(({ function: one }) => one.scope === undefined && !one.isStub && (one.name === name || withoutParameters(one.name) === name));
  return [...described, ...others.map(fromSymbols)];
}

/** One that was executed. */
export function listExecuted(counted: FunctionCount, counts: Counts): ListedFunction {
  const { function: { scope, file, name } } = counted;
  return (scope === undefined ? undefined : listed([scope], name, file, counts)) ?? fromSymbols(counted);
}

function fromSymbols({ function: one, calls, instructions, isOwn }: FunctionCount): ListedFunction {
  return { name: one.name, module: one.file.path, calls, instructions, isOwn, source: one.source, lines: [] };
}

function describedFunctions(name: string, file: ModuleFile, counts: Counts): ListedFunction[] {
  const { info } = file;
  if (info === undefined) return [];
  const bySource = new Map<string, Scope[]>();
  for (const scope of unlessCorrupt(() => findFunctions(info, name).flatMap((die: Die) => scopesOfFunction(die)), () => [])) {
    const { declaration } = scope.function;
    const key = `${declaration?.file?.path}:${declaration?.line}`;
    bySource.set(key, [...(bySource.get(key) ?? []), scope]);
  }
  return [...bySource.values()].flatMap((scopes) => listed(scopes, name, file, counts) ?? []);
}

/** Of the function's own code and of copies of it. */
function listed(scopes: readonly Scope[], name: string, file: ModuleFile, counts: Counts): ListedFunction | undefined {
  const declaration = scopes[0]?.function.declaration;
  const path = declaration?.file?.path;
  if (declaration === undefined || path === undefined) return undefined;
  const withCode = new Set(scopes.flatMap((scope) => linesOf(scope, path, file)));
  const own = counts.functions.filter(({ function: one }) => one.file === file && scopes.some((scope) => isSame(scope, one.scope)));
  const counted = counts.lines.get(path) ?? new Map<number, number>();
  const [first, last] = [Math.min(declaration.line, ...withCode), Math.max(declaration.line, ...withCode)];
  return {
    name: functionNameOf(scopes[0] as Scope) ?? name, module: file.path, source: { path, line: declaration.line }, isOwn: own.some(({ isOwn }) => isOwn),
    calls: own.reduce((sum, { calls }) => sum + calls, 0), instructions: own.reduce((sum, { instructions }) => sum + instructions, 0),
    lines: Array.from({ length: last - first + 1 }, (_, i) => first + i).map((line) => ({ line, count: counted.get(line) ?? (withCode.has(line) ? 0 : undefined) })),
  };
}

function isSame(a: Scope, b: Scope | undefined): boolean {
  return b !== undefined && a.die.unit === b.die.unit && a.die.offset === b.die.offset;
}

/** Lines of the file that have code in a function or copy, without what was inlined into it. */
function linesOf(scope: Scope, path: string, file: ModuleFile): number[] {
  const lines: number[] = [];
  for (const { low, high } of scope.ranges) {
    for (let address = low; address < high; ) {
      const range = file.lineRangeAt(address);
      if (range === undefined || range.end <= address) break;
      if (range.isStatement && range.line > 0 && range.file?.path === path && isOwnCode(scope, address, file)) lines.push(range.line);
      address = range.end;
    }
  }
  return lines;
}

function isOwnCode(scope: Scope, address: number, { info }: ModuleFile): boolean {
  const innermost = info === undefined ? undefined : unlessCorrupt(() => scopesAt(info, address), () => []).find(({ kind }) => kind !== 'block');
  return innermost === undefined || isSame(innermost, scope);
}

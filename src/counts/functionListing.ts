/** A function's source, line by line, with how often each ran: what has code and never ran, too. */
import { scopesOfFunction } from '../dwarf/breakpointPlaces.js';
import { unlessCorrupt } from '../dwarf/dwarfError.js';
import type { Die } from '../dwarf/die.js';
import { findFunctions } from '../dwarf/functionNames.js';
import type { Scope } from '../dwarf/scope.js';
import { scopesAt } from '../dwarf/sourceFrames.js';
import { functionNameOf, withoutParameters } from '../debugger/program/functionNames.js';
import type { CodeFunction } from '../debugger/program/codeFunctions.js';
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
  /** How many copies there are, of one that has no code but copies of it in others: it cannot be called. */
  readonly copies?: number;
  /** Where debug information knows it. */
  readonly source: { readonly path: string; readonly line: number } | undefined;
  /** From its first line to its last; empty without debug information. */
  readonly lines: readonly CountedLine[];
}

/**
 * All functions of that name in the modules that were executed: executed ones, and those that could have been. Symbols
 * are names, too: malloc is `__libc_malloc` to the debug information of the C library.
 */
export function listFunctions(name: string, counts: Counts): ListedFunction[] {
  const described = counts.modules.flatMap((file) => describedFunctions(name, file, counts));
  const others = counts.functions.filter(({ function: one }) => one.scope === undefined && !one.isStub && isCalled(one, name));
  const symbols = new Map(counts.modules.map((file) => [file, file.symbolNamed(name)?.address]));
  const isSymbol = ({ entry, file }: CodeFunction): boolean => entry !== undefined && entry === symbols.get(file);
  const aliased = counts.functions.filter(({ function: one }) => one.scope !== undefined && !isCalled(one, name) && isSymbol(one));
  const own = described.filter(({ copies }) => copies === undefined);
  return [...own, ...aliased.map((one) => listExecuted(one, counts)), ...others.map(fromSymbols), ...joinedCopies(described.filter(({ copies }) => copies !== undefined))];
}

function isCalled({ name: own }: CodeFunction, name: string): boolean {
  return own === name || withoutParameters(own) === name;
}

/** Libraries are made of units that know a header by paths of their own: what is inlined from it is one function. */
function joinedCopies(all: readonly ListedFunction[]): ListedFunction[] {
  const bySource = new Map<string, ListedFunction>();
  for (const one of all) {
    const key = `${one.source?.path.replace(/^.*\//s, '')}:${one.source?.line}`;
    const known = bySource.get(key);
    bySource.set(key, known === undefined ? one : joined(known, one));
  }
  return [...bySource.values()];
}

function joined(a: ListedFunction, b: ListedFunction): ListedFunction {
  const counts = new Map<number, number | undefined>();
  // Units that have the same path have the same counts, which are of the path.
  const parts = a.source?.path === b.source?.path ? [a.lines] : [a.lines, b.lines];
  for (const { line, count } of parts.flat()) counts.set(line, count === undefined ? counts.get(line) : count + (counts.get(line) ?? 0));
  for (const { line, count } of b.lines) if (counts.get(line) === undefined) counts.set(line, count);
  const lines = [...counts].map(([line, count]) => ({ line, count })).sort((one, other) => one.line - other.line);
  return { ...a, isOwn: a.isOwn || b.isOwn, copies: (a.copies ?? 0) + (b.copies ?? 0), lines };
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
  const isCopied = own.length === 0 && scopes.every(({ kind }) => kind === 'inlined');
  return {
    ...(isCopied ? { copies: scopes.length } : {}),
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

/**
 * Where to put breakpoints: all addresses of a line, or of a function, in all units and inlined copies. The choice is
 * GDB's, so that a program stops where its users expect it to.
 */
import type { DebugInfo } from './debugInfo.js';
import type { Die } from './die.js';
import { AT } from './dwarfConstants.js';
import { findFunctions } from './functionNames.js';
import { afterPrologue, type ReadCode } from './prologue.js';
import type { Scope } from './scope.js';
import { lineAt, scopesAt } from './sourceFrames.js';
import type { FileInUnit } from './sourceIndex.js';
import { statementRows } from './statementRows.js';

export interface BreakpointPlace {
  /** Without load bias. */
  readonly address: number;
  /** The function or inlined copy, or the innermost block with variables. */
  readonly scope: Scope | undefined;
  /** The line that the program stops at. */
  readonly line: number;
}

/** Places of a line of a file. If it has no code, those of the next line that has. Empty if there is none. */
export function placesOfLine(info: DebugInfo, fileName: string, line: number, readCode: ReadCode): BreakpointPlace[] {
  const tables = info.sources.find(fileName).map((file) => ({ file, rows: statementRows(file.table, new Set(file.numbers)) }));
  const exact = tables.flatMap(({ file, rows }) => addressesOf(file, rows, line));
  if (exact.length > 0) return toPlaces(info, exact, readCode).map((place) => (exact.includes(place.address) ? { ...place, line } : place));
  const next = Math.min(...tables.flatMap(({ file, rows }) => rows.map((row) => file.table.rows.lines[row] as number).filter((n) => n > line)));
  if (!Number.isFinite(next)) return [];
  return toPlaces(info, tables.flatMap(({ file, rows }) => addressesOf(file, rows, next)), readCode);
}

/** Places of all functions of that name, and of their inlined copies. See `findFunctions` for what names may be. */
export function placesOfFunction(info: DebugInfo, name: string, readCode: ReadCode): BreakpointPlace[] {
  const places = new Map<number, BreakpointPlace>();
  for (const scope of findFunctions(info, name).flatMap(scopesOfFunction)) {
    const address = scope.kind === 'function' ? afterPrologue(scope, readCode) : scope.entry;
    places.set(address, placeAt(info, address, scope));
  }
  return [...places.values()].sort((a, b) => a.address - b.address);
}

/** Code of a function: its own, and copies of it. */
export function scopesOfFunction(die: Die): Scope[] {
  const { functions } = die.unit;
  const own = die.has(AT.LOW_PC) || die.has(AT.RANGES) ? [functions.scopeAt(die.offset)] : [];
  const copies = functions.copiesOf(die.offset).map((offset) => functions.inlinedScope(offset)).filter((scope) => scope !== undefined);
  return [...own, ...copies].filter((scope) => scope.ranges.length > 0);
}

function addressesOf({ table }: FileInUnit, rows: readonly number[], line: number): number[] {
  return rows.filter((row) => table.rows.lines[row] === line).map((row) => table.rows.addresses[row] as number);
}

/** One place per block: a line in several pieces of one block stops only at the first. */
function toPlaces(info: DebugInfo, addresses: readonly number[], readCode: ReadCode): BreakpointPlace[] {
  const blocks = new Map<string, number>();
  for (const address of addresses) {
    const scope = blockAt(info, address);
    const key = scope === undefined ? `${info.byAddress.unitsAt(address)[0]?.offset}` : `${scope.die.unit.offset}/${scope.die.offset}`;
    const known = blocks.get(key);
    if (known === undefined || comesBefore(scope, address, known)) blocks.set(key, address);
  }
  const places = [...new Set([...blocks.values()].map((address) => pastPrologue(info, address, readCode)))];
  return places.sort((a, b) => a - b).map((address) => placeAt(info, address));
}

/** Parts of a function that are seldom run may lie before it, but come after what is in the first stretch. */
function comesBefore(scope: Scope | undefined, a: number, b: number): boolean {
  const stretch = (address: number): number => scope?.ranges.findIndex(({ low, high }) => address >= low && address < high) ?? 0;
  return stretch(a) < stretch(b) || (stretch(a) === stretch(b) && a < b);
}

/**
 * `meant`: the function that is to be stopped in. At the start of a copy that is not meant, the program stands at the
 * call.
 */
function placeAt(info: DebugInfo, address: number, meant?: Scope): BreakpointPlace {
  let line = lineAt(info, address)?.line ?? 0;
  for (const scope of scopesAt(info, address)) {
    if (scope.kind !== 'inlined' || scope.entry !== address || meant?.kind === 'inlined') break;
    line = scope.call?.line ?? line;
  }
  return { address, scope: blockAt(info, address), line };
}

/** Code of a line within the prologue runs before parameters are in place: then we stop after. */
function pastPrologue(info: DebugInfo, address: number, readCode: ReadCode): number {
  const outer = scopesAt(info, address).at(-1);
  return outer === undefined || !outer.contains(address) ? address : Math.max(address, inSameStretch(outer, address, afterPrologue(outer, readCode)));
}

/** A cold part elsewhere has no prologue, though it may lie below the function's entry. */
function inSameStretch(scope: Scope, address: number, after: number): number {
  return scope.ranges.some(({ low, high }) => address >= low && address < high && after >= low && after < high) ? after : address;
}

/** The innermost scope that GDB would call a block: functions, copies, and blocks with variables. */
function blockAt(info: DebugInfo, address: number): Scope | undefined {
  return scopesAt(info, address).find((scope) => scope.kind !== 'block' || scope.variables.length > 0);
}

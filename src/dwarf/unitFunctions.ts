/**
 * The functions of one unit that have code: by address, and where copies of inlined ones are. Found in one pass over
 * the unit, at the first question. Functions may be anywhere: local classes and lambdas have theirs inside of others.
 */
import { AT, FORM, TAG } from './dwarfConstants.js';
import { EntryCursor } from './entryCursor.js';
import { IntervalMap } from './intervalMap.js';
import { rangesOf } from './ranges.js';
import { Scope } from './scope.js';
import type { Unit } from './unit.js';

export class UnitFunctions {
  /** Offsets of entries. */
  private readonly functions: number[] = [];
  private readonly inlined: number[] = [];
  /** By the offset of what it is a copy of (in .debug_info). */
  private copies: Map<number, number[]> | undefined;
  private byAddress: IntervalMap<number> | undefined;
  private readonly scopes = new Map<number, Scope>();

  constructor(private readonly unit: Unit) {
    const cursor = new EntryCursor(unit, unit.header.entries);
    const { table } = cursor;
    while (cursor.next()) {
      const { abbreviation, offset, tag } = cursor;
      if (tag !== TAG.SUBPROGRAM && tag !== TAG.INLINED_SUBROUTINE) continue;
      if (!table.has(abbreviation, AT.LOW_PC) && !table.has(abbreviation, AT.RANGES)) continue;
      (tag === TAG.SUBPROGRAM ? this.functions : this.inlined).push(offset);
    }
  }

  /** The function (not an inlined one) with code at that address: its outermost scope. */
  at(address: number): Scope | undefined {
    this.byAddress ??= this.indexAddresses();
    const offset = this.byAddress.find(address)[0];
    return offset === undefined ? undefined : this.scopeAt(offset);
  }

  /** Functions with code of their own, in the order of the file. */
  all(): Scope[] {
    return this.functions.map((offset) => this.scopeAt(offset));
  }

  /** The outermost scope of the function whose entry is at `offset`. */
  scopeAt(offset: number): Scope {
    const scope = this.scopes.get(offset) ?? new Scope(this.unit.dieAt(offset), undefined);
    this.scopes.set(offset, scope);
    return scope;
  }

  /** Entries of inlined copies in this unit of what is described at `origin` (an offset in .debug_info). */
  copiesOf(origin: number): readonly number[] {
    this.copies ??= this.indexCopies();
    return this.copies.get(origin) ?? [];
  }

  /** The scope of an inlined copy (an offset from `copiesOf`), with those around it; undefined if it has no code. */
  inlinedScope(offset: number): Scope | undefined {
    const low = rangesOf(this.unit.dieAt(offset))[0]?.low;
    return low === undefined ? undefined : this.at(low)?.chainAt(low).find((scope) => scope.die.offset === offset);
  }

  private indexAddresses(): IntervalMap<number> {
    return new IntervalMap(this.functions.flatMap((value) => rangesOf(this.unit.dieAt(value)).map((range) => ({ ...range, value }))));
  }

  private indexCopies(): Map<number, number[]> {
    const copies = new Map<number, number[]>();
    for (const offset of this.inlined) {
      const die = this.unit.dieAt(offset);
      // What lies in a supplementary file has an offset in that file.
      if (die.form(AT.ABSTRACT_ORIGIN) === FORM.GNU_REF_ALT) continue;
      const origin = die.reference(AT.ABSTRACT_ORIGIN)?.offset;
      if (origin === undefined) continue;
      const list = copies.get(origin) ?? [];
      if (list.length === 0) copies.set(origin, list);
      list.push(offset);
    }
    return copies;
  }
}

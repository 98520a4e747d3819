/**
 * One unit's part of the index of names: a walk over what is outside of functions, reading no more of an entry than its name
 * and what it completes. This runs over all of a program's debug information, so it makes no objects.
 */
import { SPEC } from './abbreviations.js';
import { AT, FORM, TAG } from './dwarfConstants.js';
import type { DwarfReader } from './dwarfReader.js';
import { EntryCursor } from './entryCursor.js';
import { GrowingArray } from './growingArray.js';
import { hashBytes, hashName } from './nameHash.js';
import { ANONYMOUS_NAMESPACE } from './qualifiedName.js';
import type { Unit } from './unit.js';

/** Takes an entry and returns its number. `parent` is the number of what contains it, NO_PARENT or UNKNOWN_PARENT. */
export type AddName = (offset: number, tag: number, hash: number, parent: number) => number;

export const NO_PARENT = -1;
/** It completes an entry elsewhere: ask that one. */
export const UNKNOWN_PARENT = -2;

const WITHOUT_NAME = -1;
const NOT_SEEN = -1;
/** A completion without any of these says nothing new: link-time optimisation leaves many. */
const COMPLETIONS = [AT.LOW_PC, AT.RANGES, AT.INLINE, AT.LOCATION, AT.CONST_VALUE];

export class NameScanner {
  private readonly cursor: EntryCursor;
  private readonly strings: DwarfReader | undefined;
  /** Declarations and definitions in scopes, in order: where, and in what. */
  private readonly seen = new GrowingArray((n) => new Float64Array(n));
  private readonly seenHashes = new GrowingArray((n) => new Float64Array(n));
  private readonly seenParents = new GrowingArray((n) => new Int32Array(n));
  /** By depth: the number of the scope there. */
  private readonly scopes: number[] = [NO_PARENT];

  constructor(
    private readonly unit: Unit,
    private readonly add: AddName,
  ) {
    this.cursor = new EntryCursor(unit, unit.header.entries);
    this.strings = unit.info.reader('.debug_str');
  }

  scan(): void {
    const { cursor } = this;
    if (!cursor.next()) return;
    let more = cursor.next();
    while (more) more = this.visit() ? cursor.next() : cursor.nextOver();
  }

  /** Whether to look inside. */
  private visit(): boolean {
    const { depth, tag } = this.cursor;
    const parent = this.scopes[depth - 1] ?? NO_PARENT;
    switch (tag) {
      case TAG.SUBPROGRAM: case TAG.VARIABLE: case TAG.MEMBER:
        this.visitObject(parent);
        return false;
      case TAG.TYPEDEF: case TAG.BASE_TYPE: case TAG.UNSPECIFIED_TYPE: case TAG.TEMPLATE_ALIAS: case TAG.ENUMERATOR: case TAG.CONSTANT:
        this.addNamed(parent);
        return false;
      case TAG.ENUMERATION_TYPE: {
        const number = this.addNamed(parent);
        this.scopes[depth] = this.has(AT.ENUM_CLASS) && number !== undefined ? number : parent;
        return true;
      }
      case TAG.NAMESPACE: case TAG.MODULE:
        this.scopes[depth] = this.addNamed(parent, ANONYMOUS_NAMESPACE) ?? parent;
        return true;
      case TAG.STRUCTURE_TYPE: case TAG.CLASS_TYPE: case TAG.UNION_TYPE:
        return this.visitClass(parent);
      default:
        return false;
    }
  }

  private visitClass(parent: number): boolean {
    const { cursor } = this;
    if (this.has(AT.DECLARATION) && !cursor.hasChildren) return false;
    const number = this.has(AT.SPECIFICATION) ? this.addCompletedClass() : this.addNamed(parent);
    this.scopes[cursor.depth] = number ?? parent;
    return cursor.hasChildren && !this.unit.isC;
  }

  /** A class that stands alone in a type unit and completes a declaration in its scope. */
  private addCompletedClass(): number | undefined {
    const { offset, tag } = this.cursor;
    const { name } = this.unit.dieAt(offset);
    return name === undefined ? undefined : this.add(offset, tag, hashName(name), UNKNOWN_PARENT);
  }

  private visitObject(parent: number): void {
    const { offset, tag } = this.cursor;
    const hash = this.nameHash();
    if (hash === WITHOUT_NAME) return this.addCompletion();
    this.remember(offset, hash, parent);
    if (tag === TAG.MEMBER && !this.has(AT.EXTERNAL)) return;
    if ((tag === TAG.MEMBER || this.has(AT.DECLARATION)) && !this.has(AT.CONST_VALUE)) return;
    this.add(offset, tag, hash, parent);
  }

  private addNamed(parent: number, otherwise?: string): number | undefined {
    const { offset, tag } = this.cursor;
    const hash = this.nameHash();
    if (hash !== WITHOUT_NAME) return this.add(offset, tag, hash, parent);
    return otherwise === undefined ? undefined : this.add(offset, tag, hashName(otherwise), parent);
  }

  /** A definition that has its name elsewhere: where it was declared, or is described once for all copies. */
  private addCompletion(): void {
    const { offset, tag } = this.cursor;
    if (!COMPLETIONS.some((attribute) => this.has(attribute))) return;
    const target = this.completed();
    const known = target === undefined ? NOT_SEEN : this.indexOfSeen(target);
    if (known !== NOT_SEEN) return this.addRemembered(offset, tag, this.seenHashes.at(known), this.seenParents.at(known));
    if (!this.has(AT.SPECIFICATION) && !this.has(AT.ABSTRACT_ORIGIN)) return;
    const { name } = this.unit.dieAt(offset);
    if (name !== undefined) this.addRemembered(offset, tag, hashName(name), UNKNOWN_PARENT);
  }

  private addRemembered(offset: number, tag: number, hash: number, parent: number): void {
    this.remember(offset, hash, parent);
    this.add(offset, tag, hash, parent);
  }

  private remember(offset: number, hash: number, parent: number): void {
    this.seen.push(offset);
    this.seenHashes.push(hash);
    this.seenParents.push(parent);
  }

  /** Where the entry is that this one completes, if it says so in the usual way. */
  private completed(): number | undefined {
    const { cursor, unit } = this;
    const form = cursor.seek(AT.ABSTRACT_ORIGIN) ?? cursor.seek(AT.SPECIFICATION);
    return form === FORM.REF4 ? unit.offset + cursor.reader.u32() : undefined;
  }

  private indexOfSeen(offset: number): number {
    const { seen } = this;
    let [low, high] = [0, seen.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (seen.at(middle) < offset) low = middle + 1;
      else high = middle;
    }
    return low < seen.length && seen.at(low) === offset ? low : NOT_SEEN;
  }

  private has(attribute: number): boolean {
    return this.cursor.table.has(this.cursor.abbreviation, attribute);
  }

  private nameHash(): number {
    const { cursor } = this;
    const { table, reader } = cursor;
    const end = table.starts[cursor.abbreviation + 1] as number;
    reader.position = cursor.attributes;
    for (let i = table.starts[cursor.abbreviation] as number; i < end; i += SPEC) {
      if (table.specs[i] === AT.NAME) return this.hashAt(table.specs[i + 1] as number);
      cursor.skipValue(i);
    }
    return WITHOUT_NAME;
  }

  private hashAt(form: number): number {
    const { reader } = this.cursor;
    if (form === FORM.STRING) return hashBytes(reader.bytes, reader.position);
    if (form === FORM.STRP && this.strings !== undefined) return hashBytes(this.strings.bytes, reader.offset(this.unit.offsetSize));
    const name = this.unit.dieAt(this.cursor.offset).string(AT.NAME);
    return name === undefined ? WITHOUT_NAME : hashName(name);
  }
}

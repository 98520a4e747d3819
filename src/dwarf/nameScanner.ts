/**
 * One unit's part of the index of names: a walk over what is outside of functions, reading no more of an entry than its
 * name and what it completes. This runs over all of a program's debug information, so it makes no objects.
 */
import { MARK } from './abbreviations.js';
import { AT, FORM, TAG } from './dwarfConstants.js';
import { unlessCorrupt } from './dwarfError.js';
import type { DwarfReader } from './dwarfReader.js';
import { EntryCursor } from './entryCursor.js';
import { GrowingArray } from './growingArray.js';
import { hashBytes, hashName } from './nameHash.js';
import { ANONYMOUS_NAMESPACE } from './qualifiedName.js';
import type { Unit } from './unit.js';

/** Takes an entry and returns its number. `parent` is the number of what contains it, NO_PARENT or UNKNOWN_PARENT. */
type AddName = (offset: number, tag: number, hash: number, parent: number) => number;

const NO_PARENT = -1;
/** It completes an entry elsewhere: ask that one. */
export const UNKNOWN_PARENT = -2;

const WITHOUT_NAME = -1;
const NOT_SEEN = -1;


export class NameScanner {
  private readonly cursor: EntryCursor;
  private readonly strings: DwarfReader | undefined;
  /** Declarations and definitions in scopes, in order: where, and in what. */
  private readonly seen = new GrowingArray((n) => new Float64Array(n));
  private readonly seenHashes = new GrowingArray((n) => new Float64Array(n));
  private readonly seenParents = new GrowingArray((n) => new Int32Array(n));
  /** Whether classes contain more than data. */
  private readonly lookInside: boolean;
  /** By depth: the number of the scope there. */
  private readonly scopes: number[] = [NO_PARENT];

  constructor(
    private readonly unit: Unit,
    private readonly add: AddName,
  ) {
    this.cursor = new EntryCursor(unit, unit.header.entries);
    this.lookInside = !unit.isC;
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
        this.scopes[depth] = (this.marks & MARK.ENUM_CLASS) !== 0 && number !== undefined ? number : parent;
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
    if ((this.marks & MARK.DECLARATION) !== 0 && !cursor.hasChildren) return false;
    const number = (this.marks & MARK.SPECIFICATION) !== 0 ? this.addCompletedClass() : this.addNamed(parent);
    this.scopes[cursor.depth] = number ?? parent;
    return cursor.hasChildren && this.lookInside;
  }

  /** A class that stands alone in a type unit and completes a declaration in its scope. */
  private addCompletedClass(): number | undefined {
    const { offset, tag } = this.cursor;
    const name = unlessCorrupt(() => this.unit.dieAt(offset).name, () => undefined);
    return name === undefined ? undefined : this.add(offset, tag, hashName(name), UNKNOWN_PARENT);
  }

  private visitObject(parent: number): void {
    const { offset, tag } = this.cursor;
    const hash = this.nameHash();
    if (hash === WITHOUT_NAME) return this.addCompletion();
    this.remember(offset, hash, parent);
    const { marks } = this;
    if (tag === TAG.MEMBER && (marks & MARK.EXTERNAL) === 0) return;
    if ((tag === TAG.MEMBER || (marks & MARK.DECLARATION) !== 0) && (marks & MARK.CONST_VALUE) === 0) return;
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
    // Link-time optimisation leaves many that say nothing new.
    if ((this.marks & MARK.SUBSTANCE) === 0) return;
    const target = this.completed();
    const known = target === undefined ? NOT_SEEN : this.indexOfSeen(target);
    if (known !== NOT_SEEN) return this.addRemembered(offset, tag, this.seenHashes.at(known), this.seenParents.at(known));
    if ((this.marks & (MARK.SPECIFICATION | MARK.ABSTRACT_ORIGIN)) === 0) return;
    const name = unlessCorrupt(() => this.unit.dieAt(offset).name, () => undefined);
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

  /** What attributes the entry has. */
  private get marks(): number {
    return this.cursor.table.marks[this.cursor.abbreviation] as number;
  }

  private nameHash(): number {
    const { cursor } = this;
    const { table, abbreviation, reader } = cursor;
    const form = table.nameForms[abbreviation] as number;
    if (form === 0) return WITHOUT_NAME;
    const before = table.namesAt[abbreviation] as number;
    if (before < 0) cursor.seek(AT.NAME);
    else reader.position = cursor.attributes + before;
    if (form === FORM.STRING) return hashBytes(reader.bytes, reader.position);
    if (form === FORM.STRP && this.strings !== undefined) return hashBytes(this.strings.bytes, reader.offset(this.unit.offsetSize));
    // A name may be in a supplementary file that is not at hand: others in the unit are not.
    const name = unlessCorrupt(() => this.unit.dieAt(cursor.offset).string(AT.NAME), () => undefined);
    return name === undefined ? WITHOUT_NAME : hashName(name);
  }
}

/**
 * Functions, variables, types and constants by name. A table is built in one pass over units that reads
 * only what is outside of functions: of the units that mention a name, for the first questions, and of all when there
 * are many. An entry is a few numbers (a hash of its name, where it is, what contains it); names stay in their section
 * until a question needs one. Qualified names (`a::B::f`) are found by their last part, then compared.
 */
import type { DebugInfo } from './debugInfo.js';
import type { Die } from './die.js';
import { TAG } from './dwarfConstants.js';
import { unlessCorrupt } from './dwarfError.js';
import { GrowingArray } from './growingArray.js';
import { hashName } from './nameHash.js';
import { NameScanner, UNKNOWN_PARENT } from './nameScanner.js';
import { NameSearch } from './nameSearch.js';
import { ANONYMOUS_NAMESPACE, isNamed, scopeName, scopesAround, scopesMatch, splitQualified } from './qualifiedName.js';
import type { Unit } from './unit.js';

export type NameKind = 'function' | 'variable' | 'type' | 'namespace' | 'enumerator';

/** What a tag is, for who looks for a name. */
function nameKind(tag: number): NameKind | undefined {
  switch (tag) {
    case TAG.SUBPROGRAM: return 'function';
    case TAG.VARIABLE: case TAG.MEMBER: case TAG.CONSTANT: return 'variable';
    case TAG.ENUMERATOR: return 'enumerator';
    case TAG.NAMESPACE: case TAG.MODULE: return 'namespace';
    case TAG.STRUCTURE_TYPE: case TAG.CLASS_TYPE: case TAG.UNION_TYPE: case TAG.ENUMERATION_TYPE: case TAG.TYPEDEF: case TAG.BASE_TYPE:
    case TAG.UNSPECIFIED_TYPE: case TAG.TEMPLATE_ALIAS:
      return 'type';
    default: return undefined;
  }
}

const END_OF_CHAIN = -1;

/** After so many different names all units are indexed. */
const MOST_SEARCHES = 40;

export class NameIndex {
  private whole: NameTable | undefined;
  private search: NameSearch | null | undefined;
  private readonly ofUnits = new Map<Unit, NameTable>();
  private readonly searched = new Map<string, readonly Unit[]>();

  constructor(private readonly info: DebugInfo) {}

  /**
   * Entries of that name, in the order of the file; declarations included. `name` may be qualified: `f` finds all
   * functions f in whatever scope, `A::f` those in an A in whatever scope, `::f` only one in none. Template arguments
   * may be left out.
   */
  find(name: string, kind?: NameKind): Die[] {
    const units = this.whole === undefined ? this.unitsNaming(splitQualified(name.replace(/^::/, '')).at(-1) ?? '') : undefined;
    if (units === undefined) return this.all.find(name, kind);
    return units.flatMap((unit) => this.tableOf(unit).find(name, kind));
  }

  /** All names of a kind that begin with `prefix`, each once: for completion. Linear in the number of entries. */
  names(kind: NameKind, prefix = ''): Generator<string> {
    return this.all.names(kind, prefix);
  }

  get size(): number {
    return this.all.size;
  }

  private get all(): NameTable {
    this.whole ??= new NameTable(this.info, this.info.fullUnits());
    return this.whole;
  }

  private tableOf(unit: Unit): NameTable {
    const table = this.ofUnits.get(unit) ?? new NameTable(this.info, [unit]);
    this.ofUnits.set(unit, table);
    return table;
  }

  /** Undefined if all have to be looked at. */
  private unitsNaming(name: string): readonly Unit[] | undefined {
    const known = this.searched.get(name);
    if (known !== undefined) return known;
    if (this.searched.size >= MOST_SEARCHES || name === ANONYMOUS_NAMESPACE) return undefined;
    this.search ??= unlessCorrupt(() => NameSearch.of(this.info), () => undefined) ?? null;
    const { search } = this;
    const units = search === null ? undefined : unlessCorrupt(() => search.unitsNaming(name), () => undefined);
    // Most of the work would be done, without the use of it.
    if (units === undefined || units.length * 2 > this.info.units.length + 2) return undefined;
    this.searched.set(name, units);
    return units;
  }
}

class NameTable {
  private readonly units: Unit[] = [];
  private readonly hashes = new GrowingArray((n) => new Uint32Array(n));
  private readonly unitNumbers = new GrowingArray((n) => new Uint32Array(n));
  /** Offset of the entry in its unit. */
  private readonly offsets = new GrowingArray((n) => new Uint32Array(n));
  private readonly tags = new GrowingArray((n) => new Uint16Array(n));
  /** Entry (its number here) of the namespace or class that contains it, NO_PARENT or UNKNOWN_PARENT. */
  private readonly parents = new GrowingArray((n) => new Int32Array(n));
  private buckets = new Int32Array(1);
  private chain = new Int32Array(0);

  constructor(info: DebugInfo, units: Iterable<Unit>) {
    for (const unit of units) {
      this.units.push(unit);
      unlessCorrupt(() => this.scan(unit), (error) => void info.problems.push(error));
    }
    this.link();
  }

  get size(): number {
    return this.hashes.length;
  }

  find(name: string, kind?: NameKind): Die[] {
    const rooted = name.startsWith('::');
    const parts = splitQualified(rooted ? name.slice(2) : name);
    const last = parts.at(-1) ?? '';
    const hash = hashName(last);
    const found: Die[] = [];
    for (let i = this.buckets[hash % this.buckets.length] as number; i !== END_OF_CHAIN; i = this.chain[i] as number) {
      if (this.hashes.at(i) !== hash || (kind !== undefined && nameKind(this.tags.at(i)) !== kind)) continue;
      const matches = unlessCorrupt(() => this.matches(i, parts, rooted), () => false);
      if (matches) found.push(this.die(i));
    }
    return found.reverse();
  }

  *names(kind: NameKind, prefix = ''): Generator<string> {
    const seen = new Set<string>();
    for (let i = 0; i < this.size; i++) {
      if (nameKind(this.tags.at(i)) !== kind) continue;
      const name = unlessCorrupt(() => this.qualifiedName(i), () => '');
      if (name === '' || seen.has(name) || !name.startsWith(prefix)) continue;
      seen.add(name);
      yield name;
    }
  }

  private qualifiedName(entry: number): string {
    return [...this.scopes(entry).map(scopeName), this.die(entry).name ?? ''].join('::');
  }

  private matches(entry: number, parts: readonly string[], rooted: boolean): boolean {
    if (!isNamed(this.die(entry).name, parts.at(-1) ?? '')) return false;
    if (parts.length === 1 && !rooted) return true;
    return scopesMatch(this.scopes(entry), parts.slice(0, -1), rooted);
  }

  private scopes(entry: number): Die[] {
    const scopes: Die[] = [];
    let i = this.parents.at(entry);
    for (; i >= 0; i = this.parents.at(i)) scopes.unshift(this.die(i));
    return i === UNKNOWN_PARENT ? scopesAround(this.die(entry)) : scopes;
  }

  private die(entry: number): Die {
    const unit = this.units[this.unitNumbers.at(entry)] as Unit;
    return unit.dieAt(unit.offset + this.offsets.at(entry));
  }

  private scan(unit: Unit): void {
    const number = this.units.length - 1;
    const scanner = new NameScanner(unit, (offset, tag, hash, parent) => {
      this.hashes.push(hash);
      this.unitNumbers.push(number);
      this.offsets.push(offset - unit.offset);
      this.tags.push(tag);
      this.parents.push(parent);
      return this.size - 1;
    });
    scanner.scan();
  }

  private link(): void {
    this.buckets = new Int32Array(Math.max(1, this.size)).fill(END_OF_CHAIN);
    this.chain = new Int32Array(this.size);
    for (let i = 0; i < this.size; i++) {
      const bucket = this.hashes.at(i) % this.buckets.length;
      this.chain[i] = this.buckets[bucket] as number;
      this.buckets[bucket] = i;
    }
  }
}

/** What lies where in a file's data, by symbols and debug information: variables, and what has no more than a name. */
import { demangle } from '../../debugger/values/demangle/demangle.js';
import type { ElfFile } from '../../elf/elfFile.js';
import { SHF, SHT, type Section } from '../../elf/elfSections.js';
import { type ElfSymbol, STT } from '../../elf/elfSymbols.js';
import type { GlobalVariable } from './globalVariables.js';

export interface DataThing {
  readonly begin: number;
  /** Behind its last byte. Linkers' marks have none. */
  readonly end: number;
  /** As sources have it. */
  readonly name: string;
  readonly isAggregate: boolean;
  /** Where it lies there are things without symbols, too: texts, tables of jumps, what locals are initialised with. */
  readonly isAmongNameless: boolean;
  readonly section: { readonly low: number; readonly high: number };
  readonly variable: GlobalVariable | undefined;
  /** Whether there can be no pointers to it that we do not know of, as far as symbols say. */
  readonly isMovable: boolean;
}

/** Others may be sets that linkers collect, with marks at their begin and end. */
const SECTIONS: ReadonlySet<string> = new Set(['.data', '.bss', '.rodata', '.data.rel.ro', '.data.rel.ro.local']);
/**
 * What locals are initialised with is copied from something without a name, which lies in .data if there are pointers
 * in it. Here is nothing but zeros.
 */
const ZEROS = '.bss';
const SYMBOL_SIZE = 24;
/**
 * Things that begin in front of an address and reach beyond it are not further away than this, counted in things: only
 * aliases lie in each other.
 */
const LOOK_BACK = 16;

export class DataThings {
  private readonly sorted: readonly DataThing[];
  readonly low: number;
  readonly high: number;

  constructor(things: readonly DataThing[]) {
    this.sorted = [...things].sort((a, b) => a.begin - b.begin);
    this.low = this.sorted[0]?.begin ?? 0;
    this.high = this.sorted.reduce((most, { end }) => Math.max(most, end), 0);
  }

  get hasMovable(): boolean {
    return this.sorted.some(({ isMovable }) => isMovable);
  }

  /** Those that an address is in, and marks that are there. */
  at(address: number): DataThing[] {
    return this.near(address, 0).filter(({ begin, end }) => begin === address || (begin < address && address < end));
  }

  /** Those that an address is in, or that far from, in the same section. */
  near(address: number, reach: number): DataThing[] {
    const found: DataThing[] = [];
    let others = 0;
    for (let i = this.firstBehind(address + reach) - 1; i >= 0 && others < LOOK_BACK; i--) {
      const thing = this.sorted[i] as DataThing;
      if (address <= thing.end + reach && address >= thing.section.low && address <= thing.section.high) found.push(thing);
      else if (address > thing.end + reach) others++;
    }
    return found;
  }

  /** Index of the first that begins behind an address. */
  private firstBehind(address: number): number {
    let [low, high] = [0, this.sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.sorted[middle] as DataThing).begin <= address) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Nothing, if the file has no symbols: it is not known then what lies between variables. */
export function thingsIn(elf: ElfFile, variables: readonly GlobalVariable[]): DataThing[] {
  const { sections } = elf;
  if (!sections.some(({ type }) => type === SHT.SYMTAB)) return [];
  const known = new Map(variables.map((variable) => [variable.address, variable]));
  const symbols = new Map<number, Map<string, ElfSymbol>>();
  for (const symbol of elf.symbols.all()) {
    const flags = sections[symbol.section]?.flags ?? 0;
    if (!isData(symbol) || (flags & SHF.ALLOC) === 0 || (flags & SHF.EXECINSTR) !== 0) continue;
    const there = symbols.get(symbol.address) ?? new Map<string, ElfSymbol>();
    symbols.set(symbol.address, there.set(symbol.name, symbol));
  }
  const shared = dynamicAddresses(elf);
  const inner = [...symbols.keys(), ...shared].sort((a, b) => a - b);
  return [...symbols].flatMap(([address, there]) => {
    const objects = [...there.values()].filter(({ type, size }) => type === STT.OBJECT && size > 0);
    return [...there.values()].map((symbol): DataThing => {
      const variable = symbol.size > 0 ? known.get(address) : undefined;
      const section = sections[symbol.section];
      const isAlone = objects.length === 1 && objects[0] === symbol && !shared.has(address) && !hasBetween(inner, address, address + symbol.size);
      return {
        begin: address, end: address + symbol.size, name: variable?.name ?? sourceName(symbol.name), isAggregate: variable?.isAggregate ?? symbol.size > 0,
        isAmongNameless: section?.name !== ZEROS, section: { low: section?.address ?? 0, high: (section?.address ?? 0) + (section?.size ?? 0) }, variable,
        isMovable: variable !== undefined && variable.isPlain && variable.size === symbol.size && isAlone && SECTIONS.has(section?.name ?? ''),
      };
    });
  });
}

function isData({ type }: ElfSymbol): boolean {
  return type === STT.OBJECT || type === STT.NOTYPE;
}

/** What other files may know of. */
function dynamicAddresses(elf: ElfFile): Set<number> {
  const found = new Set<number>();
  for (const section of elf.sections.filter(({ type }) => type === SHT.DYNSYM)) for (const address of definedIn(elf, section)) found.add(address);
  return found;
}

function* definedIn(elf: ElfFile, table: Section): Generator<number> {
  const bytes = elf.contents(table);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + SYMBOL_SIZE <= bytes.length; at += SYMBOL_SIZE) if (view.getUint16(at + 6, true) !== 0) yield Number(view.getBigUint64(at + 8, true));
}

/** Whether one of the sorted numbers lies between both. */
function hasBetween(sorted: readonly number[], low: number, high: number): boolean {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] as number) <= low) from = middle + 1;
    else to = middle;
  }
  return (sorted[from] ?? Infinity) < high;
}

/** What a compiler makes a symbol of: `history.1` is a static variable of a function. */
function sourceName(symbol: string): string {
  if (!symbol.startsWith('_Z')) return symbol.replace(/\.\d+$/, '');
  return /(\w+)[^\w]*$/.exec(demangle(symbol).replace(/\[abi:\w+\]/g, ''))?.[1] ?? symbol;
}

/**
 * What C libraries keep for each thread, in memory that belongs to no file: their thread-local variables, and the parts
 * of its control block that lead to what they allocate for it (the vector of thread-local blocks, values of
 * pthread_setspecific beyond the first few, buffers). Other words there are the program's: its own thread-local
 * variables, what a thread was given and what it returns, the first values of pthread_setspecific. glibc describes its
 * tables, for debuggers, in `_thread_db_*`.
 */
import { PAGE_SIZE } from '../../base/types.js';
import type { ElfFile } from '../../elf/elfFile.js';
import { PT } from '../../elf/elfHeader.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { Mapping } from '../../machine/mapping.js';
import { PageMap } from '../../machine/pageMap.js';
import { StoredElfs } from '../../replay/play/storedElfs.js';
import { isLibraryCode } from '../libraries.js';

interface StoragePlace {
  /** From the control block. */
  readonly offset: number;
  readonly size: number;
}

interface Library {
  readonly elf: ElfFile;
  /** What is added to addresses in the file. */
  readonly bias: number;
}

/** Fields of a control block. */
const FIELDS: readonly string[] = ['_thread_db_pthread_dtvp', '_thread_db_pthread_specific'];
/** The first of the program's last two fields: what the thread was given follows. All behind is the library's. */
const FUNCTION = '_thread_db_pthread_start_routine';
/** r_debug: version, then the first link_map. link_map: l_addr, l_name, l_ld, l_next. */
const FIRST_MAP = 8;
const [DYNAMIC, NEXT] = [16, 24];
/** A list that is longer is damaged. */
const MOST_MAPS = 10_000;
/**
 * Thread-local blocks lie that far below the control block at most; those that have no fixed place say a very large
 * number.
 */
const FARTHEST = 0x1000_0000;

/** Parsed files are kept for all searches in a process. */
export class ThreadPlaces {
  private readonly elfs = new StoredElfs();

  constructor(private readonly space: AddressSpace) {}

  /** By addresses of control blocks: whether a word is such a place. */
  of(controlBlocks: Iterable<number>): (address: number) => boolean {
    const places = [...this.places()];
    const byPage = new PageMap<{ readonly start: number; readonly end: number }[]>();
    for (const block of controlBlocks) {
      for (const { offset, size } of places) {
        const range = { start: block + offset, end: block + offset + size };
        for (let page = pageOf(range.start); page <= pageOf(range.end - 1); page++) byPage.set(page, [...(byPage.get(page) ?? []), range]);
      }
    }
    return (address) => byPage.get(pageOf(address))?.some(({ start, end }) => address >= start && address < end) === true;
  }

  private *places(): Iterable<StoragePlace> {
    const libraries = this.libraries();
    for (const name of FIELDS) {
      const field = this.described(libraries, name);
      if (field !== undefined) yield field;
    }
    const [begun, whole] = [this.described(libraries, FUNCTION), addressOf(libraries, '_thread_db_sizeof_pthread')];
    if (begun !== undefined && whole !== undefined && this.space.peek(whole, 4) !== null) {
      const offset = begun.offset + 2 * begun.size;
      yield { offset, size: this.space.readU32(whole) - offset };
    }
    const below = this.described(libraries, '_thread_db_link_map_l_tls_offset');
    if (below === undefined) return;
    for (const { map, elf } of this.linked(libraries)) {
      const distance = this.word(map + below.offset);
      const size = elf.segments.find(({ type }) => type === PT.TLS)?.memorySize ?? 0;
      if (size > 0 && distance > 0 && distance < FARTHEST) yield { offset: -distance, size };
    }
  }

  private libraries(): Library[] {
    return [...this.space.mappings()].flatMap((m) => {
      const elf = m.fileOffset === 0 ? this.elfOf(m) : undefined;
      return elf === undefined ? [] : [{ elf, bias: m.start - (elf.loads[0]?.address ?? 0) }];
    });
  }

  private elfOf(m: Mapping | undefined): ElfFile | undefined {
    return m?.file !== undefined && isLibraryCode(m) ? this.elfs.of(m.file) : undefined;
  }

  /** A description has the bits of a field, how many there are, and where. */
  private described(libraries: readonly Library[], name: string): StoragePlace | undefined {
    const at = addressOf(libraries, name);
    if (at === undefined || this.space.peek(at, 12) === null) return undefined;
    const [bits, count, offset] = [this.space.readU32(at), this.space.readU32(at + 4), this.space.readU32(at + 8)];
    return { offset, size: (bits / 8) * count };
  }

  /** Libraries that the dynamic linker has in its list. */
  private *linked(libraries: readonly Library[]): Iterable<{ readonly map: number; readonly elf: ElfFile }> {
    const debug = addressOf(libraries, '_r_debug');
    let map = debug === undefined ? 0 : this.word(debug + FIRST_MAP);
    for (let i = 0; i < MOST_MAPS && map !== 0; i++, map = this.word(map + NEXT)) {
      const elf = this.elfOf(this.space.find(this.word(map + DYNAMIC)));
      if (elf !== undefined) yield { map, elf };
    }
  }

  /** 0 where there is nothing. */
  private word(address: number): number {
    return this.space.peek(address, 8) === null ? 0 : this.space.readNum64(address);
  }
}

function addressOf(libraries: readonly Library[], name: string): number | undefined {
  for (const { elf, bias } of libraries) {
    const symbol = elf.symbols.find(name);
    if (symbol !== undefined) return symbol.address + bias;
  }
  return undefined;
}

function pageOf(address: number): number {
  return Math.floor(address / PAGE_SIZE);
}

/**
 * A hash of all that a program can see of its memory: what is mapped, and every byte. It does not depend on when pages
 * were loaded or zeroed: pages of files that are still absent count with what the file has for them now, pages that no
 * instruction has touched as zeros. Looking changes nothing. Not cryptographic.
 */
import { PAGE_SIZE } from '../../base/types.js';
import { GUEST_BASE } from '../../layout/memoryMap.js';
import type { AddressSpace } from '../addressSpace.js';
import type { LinearMemory } from '../linearMemory.js';
import { LARGEST_RECORDED_FILE } from '../../layout/recordedFiles.js';
import type { Mapping } from '../mapping.js';
import { PAGE, holdsData, pageAddress, pageIndex, type Pages } from '../pages.js';
import { isFileMapping, readFilePages, type FileMapping } from './filePages.js';
import { buildHashModule, type HashExports } from './hashModule.js';

/** Bytes that are read from a file at once; a multiple of WebAssembly's own pages. */
const SCRATCH_BYTES = 1024 * 1024;
const SCRATCH_WASM_PAGES = SCRATCH_BYTES / 65536;
/** Page numbers for what is no page: beyond all addresses. */
const FIRST_TEXT_PAGE = 2 ** 40;
const MASK = 0xffff_ffff_ffff_ffffn;

/** Worth keeping for more than one hash of the same memory. */
export class SpaceHasher {
  private readonly guest: HashExports;
  /** For what is not in linear memory. */
  private readonly aside: HashExports;
  private readonly scratch: Uint8Array;

  constructor(linear: LinearMemory) {
    const module = new WebAssembly.Module(buildHashModule());
    const memory = new WebAssembly.Memory({ initial: SCRATCH_WASM_PAGES, maximum: SCRATCH_WASM_PAGES });
    this.scratch = new Uint8Array(memory.buffer);
    this.guest = instantiate(module, linear.memory);
    this.aside = instantiate(module, memory);
  }

  /**
   * 32 hexadecimal digits. With 'own' the contents of shared mappings are left out, which also belong to other
   * processes, and what has not been loaded yet of files that are too large to be recorded.
   */
  hash(space: AddressSpace, what: 'all' | 'own' = 'all'): string {
    this.guest.reset();
    this.aside.reset();
    this.addText(space.mappings());
    forEachRun(space.pages, what, (run) => this.addRun(space, run, what));
    const low = (this.guest.low() + this.aside.low()) & MASK;
    const high = (this.guest.high() + this.aside.high()) & MASK;
    return ((high << 64n) | low).toString(16).padStart(32, '0');
  }

  private addRun(space: AddressSpace, { kind, start, end }: Run, what: 'all' | 'own'): void {
    if (kind === 'held') return this.guest.add(GUEST_BASE + pageIndex(start) * PAGE_SIZE, (end - start) / PAGE_SIZE, start / PAGE_SIZE);
    for (const m of space.mappingsWithin(start, end - start)) {
      if (isFileMapping(m) && (what === 'all' || m.file.size <= LARGEST_RECORDED_FILE)) this.addAbsent(m);
    }
  }

  private addAbsent(m: FileMapping): void {
    for (let page: number = m.start; page < m.end; ) {
      const count = readFilePages(m, page, this.scratch);
      if (count === 0) return;
      this.aside.add(0, count, page / PAGE_SIZE);
      page += count * PAGE_SIZE;
    }
  }

  private addText(mappings: readonly Mapping[]): void {
    const text = new TextEncoder().encode(mappings.map(describe).join('\n'));
    for (let at = 0; at < text.length; at += SCRATCH_BYTES) {
      const part = text.subarray(at, at + SCRATCH_BYTES);
      const pages = Math.ceil(part.length / PAGE_SIZE);
      this.scratch.set(part);
      this.scratch.fill(0, part.length, pages * PAGE_SIZE);
      this.aside.add(0, pages, FIRST_TEXT_PAGE + at / PAGE_SIZE);
    }
  }
}

/** Keeps what hashing needs for each memory. */
export class SpaceHashers {
  private readonly hashers = new WeakMap<LinearMemory, SpaceHasher>();

  hash(space: AddressSpace, what: 'all' | 'own'): string {
    let hasher = this.hashers.get(space.linear);
    if (hasher === undefined) this.hashers.set(space.linear, (hasher = new SpaceHasher(space.linear)));
    return hasher.hash(space, what);
  }
}

export function hashSpace(space: AddressSpace): string {
  return new SpaceHasher(space.linear).hash(space);
}

/** Pages that follow each other and are alike. */
interface Run {
  readonly kind: 'held' | 'absent';
  readonly start: number;
  end: number;
}

/**
 * Visits what is mapped and not untouched. Goes by linear pages, because address space may be reserved by the terabyte.
 */
function forEachRun(pages: Pages, what: 'all' | 'own', visit: (run: Run) => void): void {
  let run: Run | undefined;
  pages.forEachUsed((index, bits) => {
    const kind = holdsData(bits) === 1 ? 'held' : (bits & PAGE.ABSENT) !== 0 ? 'absent' : undefined;
    if (kind === undefined || (what === 'own' && (bits & PAGE.EXACT) !== 0)) return;
    const page = pageAddress(index, pages.highOf(index));
    if (run?.kind === kind && run.end === page) {
      run.end += PAGE_SIZE;
      return;
    }
    if (run !== undefined) visit(run);
    run = { kind, start: page, end: page + PAGE_SIZE };
  });
  if (run !== undefined) visit(run);
}

function describe({ start, end, prot, shared, fileOffset, name }: Mapping): string {
  return `${start}-${end} ${prot} ${shared ? 's' : 'p'} ${fileOffset} ${name}`;
}

function instantiate(module: WebAssembly.Module, memory: WebAssembly.Memory): HashExports {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as HashExports;
}

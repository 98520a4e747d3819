/**
 * Which words of a process's memory are pointers into its heap. A word is taken for one if it is an address that a live
 * block has: no other number is likely to be, since blocks have addresses that nothing else has (heap/tags.ts). What
 * lies on dead parts of stacks does not count.
 */
import { PAGE_SIZE } from '../../base/types.js';
import { GPR } from '../../layout/cpuState.js';
import type { Process } from '../../linux/process.js';
import { PROT } from '../../machine/addressSpace.js';
import { PageMap } from '../../machine/pageMap.js';
import type { Mapping } from '../../machine/mapping.js';
import type { Block } from '../heap/blocks.js';
import type { Heap } from '../heap/heap.js';
import { isLibraryCode } from '../libraries.js';
import type { StackEnds } from './stackEnds.js';
import type { ThreadPlaces } from './threadPlaces.js';

interface FoundPointer {
  /** What it points to. */
  readonly address: number;
  readonly block: Block;
  /** The block that it lies in; undefined in registers, on stacks, in globals. */
  readonly within: Block | undefined;
  /** Where it lies; undefined in registers. */
  readonly at: number | undefined;
  /** It lies among the variables of a C library. */
  readonly isLibrarys: boolean;
}

interface Root {
  readonly bytes: Uint8Array;
  readonly start?: number;
  readonly isLibrarys: boolean;
}

const TWO_32 = 0x1_0000_0000;

export class HeapPointers {
  private readonly byTarget = new Map<number, FoundPointer[]>();
  private readonly reachable = new Set<number>();

  private places: ((address: number) => boolean) | undefined;

  constructor(
    private readonly process: Process,
    heap: Heap,
    private readonly stacks: StackEnds,
    private readonly threadPlaces: ThreadPlaces,
  ) {
    const live = heap.blocks.alive();
    const pages = new LivePages(live);
    for (const root of rootsOf(process, heap, stacks)) for (const pointer of pointersIn(root, pages, undefined)) this.note(pointer);
    for (const block of live) {
      const bytes = process.space.peek(block.begin, block.size - (block.size % 8));
      if (bytes !== null) for (const pointer of pointersIn({ bytes, start: block.begin, isLibrarys: false }, pages, block)) this.note(pointer);
    }
    this.spread();
  }

  /** To one block, or all. */
  *all(id: number | undefined): Iterable<FoundPointer> {
    if (id !== undefined) yield* this.byTarget.get(id) ?? [];
    else for (const list of this.byTarget.values()) yield* list;
  }

  isReachable(id: number): boolean {
    return this.reachable.has(id);
  }

  /**
   * Whether a C library has allocated the block for itself, as it does for buffers of files: it keeps it, and no other
   * code knows of it.
   */
  isLibrarysOwn(block: Block): boolean {
    const list = isMadeByLibrary(block) ? (this.byTarget.get(block.id) ?? []) : [];
    return list.length > 0 && list.every((pointer) => this.isKeptByLibrary(pointer));
  }

  private isKeptByLibrary({ isLibrarys, within, at }: FoundPointer): boolean {
    if (isLibrarys || (within !== undefined && isMadeByLibrary(within))) return true;
    if (at === undefined) return false;
    this.places ??= this.threadPlaces.of(this.stacks.controlBlocks(this.process));
    return this.places(at);
  }

  private note(pointer: FoundPointer): void {
    // A block that points to itself is not the less lost for it.
    if (pointer.within === pointer.block) return;
    const list = this.byTarget.get(pointer.block.id);
    if (list === undefined) this.byTarget.set(pointer.block.id, [pointer]);
    else list.push(pointer);
  }

  private spread(): void {
    const outgoing = new Map<number, number[]>();
    const queue: number[] = [];
    for (const [target, list] of this.byTarget) {
      for (const { within } of list) {
        if (within === undefined) queue.push(target);
        else outgoing.set(within.id, [...(outgoing.get(within.id) ?? []), target]);
      }
    }
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      if (this.reachable.has(id)) continue;
      this.reachable.add(id);
      queue.push(...(outgoing.get(id) ?? []));
    }
  }
}

/** For itself, or for its caller. */
export function isMadeByLibrary({ allocated }: Block): boolean {
  return allocated.isLibrarys === true;
}

/** Everything that is not heap: registers, and memory that can be written, or could when the program began. */
function* rootsOf(process: Process, heap: Heap, stacks: StackEnds): Iterable<Root> {
  const { space } = process;
  for (const registers of stacks.allRegisters(process)) yield { bytes: registers.slice(0, GPR.length * 8), isLibrarys: false };
  const dead = stacks.deadParts(process);
  let before: Mapping | undefined;
  let isLibrarys = false;
  const mappings = [...space.mappings()];
  for (const [i, m] of mappings.entries()) {
    // What follows the file has variables, too.
    isLibrarys = m.file === undefined && m.name === '' && before?.end === m.start ? isLibrarys : isLibraryCode(m);
    before = m;
    if (!isWritable(m) && !isRelocated(m, mappings[i + 1])) continue;
    for (let page: number = m.start; page < m.end; page += PAGE_SIZE) {
      const end = dead.find((part) => part.start <= page && part.end > page)?.end ?? page;
      if (end >= page + PAGE_SIZE || !space.isResident(page) || heap.owns(page)) continue;
      const bytes = space.peek(page, PAGE_SIZE);
      if (bytes !== null) yield { bytes: bytes.fill(0, 0, end - page), start: page, isLibrarys };
    }
  }
}

function isWritable({ prot }: Mapping): boolean {
  return (prot & PROT.WRITE) !== 0;
}

/** What has been relocated is protected then (RELRO): it lies before the rest of what can be written. */
function isRelocated({ prot, file, end }: Mapping, next: Mapping | undefined): boolean {
  return prot === PROT.READ && file !== undefined && next !== undefined && next.file === file && next.start === end && isWritable(next);
}

/** Live blocks by page of their addresses: where blocks have no addresses of their own, there may be several. */
class LivePages {
  private readonly byPage = new PageMap<Block[]>();

  constructor(live: readonly Block[]) {
    for (const block of live) {
      const last = pageOf(block.begin + block.size);
      for (let page = pageOf(block.begin); page <= last; page++) {
        const list = this.byPage.get(page);
        if (list === undefined) this.byPage.set(page, [block]);
        else list.push(block);
      }
    }
  }

  /** The block that an address lies in, or right behind. */
  containing(address: number): Block | undefined {
    const list = this.byPage.get(pageOf(address)) ?? [];
    return list.find(({ begin, size }) => address >= begin && address < begin + size) ?? list.find(({ begin, size }) => address === begin + size);
  }
}

function pageOf(address: number): number {
  return Math.floor(address / PAGE_SIZE);
}

function* pointersIn({ bytes, start, isLibrarys }: Root, live: LivePages, within: Block | undefined): Iterable<FoundPointer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    const high = view.getUint32(at + 4, true);
    if (high === 0 || high > 0x7fff) continue;
    const address = high * TWO_32 + view.getUint32(at, true);
    const block = live.containing(address);
    if (block !== undefined) yield { address, block, within, at: start === undefined ? undefined : start + at, isLibrarys };
  }
}

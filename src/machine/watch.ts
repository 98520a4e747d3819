/**
 * Which memory is watched, and what accesses met it. Generated code (jit/watching.ts) looks at the
 * tables kept here, and asks when an access meets a watched byte. Accesses are only noted while one instruction is
 * interpreted alone; otherwise they are refused, and the engine comes back with that instruction.
 */
import { guestAddr, PAGE_SIZE } from '../base/types.js';
import { GUEST_SPACE_SIZE, PAGE_TABLE_ENTRIES, WATCHED_LINE, WATCHED_LINES, WATCHED_READS, WATCHED_WRITES } from '../layout/memoryMap.js';
import type { AddressSpace } from './addressSpace.js';
import type { LinearMemory } from './linearMemory.js';
import { WATCHED } from './pages.js';
import type { WatchedAccess } from './stop.js';
import { WatchedMemory } from './watchedMemory.js';
import { type AddressInterval, IntervalSet } from './watchedRanges.js';

export interface WatchedRange extends AddressInterval {
  readonly kind: 'write' | 'read' | 'access';
}

/** What is watched for one kind of access: where it is marked in the tables, and what it means. */
class Watched {
  readonly marked: IntervalSet;
  readonly memory: WatchedMemory;

  constructor(ranges: readonly WatchedRange[]) {
    this.marked = new IntervalSet(ranges);
    this.memory = new WatchedMemory(ranges);
  }
}

const NOTHING = new Watched([]);
/** Accesses of one instruction among which one that continues another is looked for. */
const LOOK_BACK = 4;

export class Watch {
  private ranges: readonly WatchedRange[] = [];
  private writes = NOTHING;
  private reads = NOTHING;
  private recording = false;
  private refused = false;
  private accesses: WatchedAccess[] = [];

  constructor(
    private readonly linear: LinearMemory,
    private readonly space: AddressSpace,
  ) {
    space.pages.keepRealTables();
  }

  /** Whether there is anything to look out for. */
  get any(): boolean {
    return this.ranges.length > 0;
  }

  /** Watches these ranges instead of those before. True if they are others. */
  set(ranges: readonly WatchedRange[]): boolean {
    if (areSame(ranges, this.ranges)) return false;
    this.ranges = ranges.slice();
    this.mark(0);
    this.writes = new Watched(ranges.filter(({ kind }) => kind !== 'read'));
    this.reads = new Watched(ranges.filter(({ kind }) => kind !== 'write'));
    this.mark(0xff);
    return true;
  }

  /** An instruction is about to be interpreted: alone, so that its accesses can be noted, or with others. */
  begin(alone: boolean): void {
    this.recording = alone;
    this.refused = false;
  }

  end(): void {
    this.recording = false;
  }

  /** An instruction is about to access watched bytes. False: not now. */
  admits(): boolean {
    if (!this.recording) this.refused = true;
    return this.recording;
  }

  meets(address: number, bytes: number, write: boolean): boolean {
    const { memory } = write ? this.writes : this.reads;
    return memory.meets(memory.addressOf(this.space, address, bytes), bytes);
  }

  /**
   * The access is being made. What continues an earlier one of the instruction is one with it: parts of a long operand,
   * a repetition.
   */
  note(seen: number, bytes: number, write: boolean): void {
    const { memory } = write ? this.writes : this.reads;
    const address = memory.addressOf(this.space, seen, bytes);
    if (!memory.meets(address, bytes)) return;
    const end = address + bytes;
    const first = Math.max(0, this.accesses.length - LOOK_BACK);
    for (let i = first; i < this.accesses.length; i++) {
      const other = this.accesses[i] as WatchedAccess;
      const otherEnd = other.address + other.bytes;
      if (other.write !== write || address > otherEnd || end < other.address) continue;
      const start = guestAddr(Math.min(address, other.address));
      this.accesses[i] = { address: start, bytes: Math.max(end, otherEnd) - start, write };
      return;
    }
    this.accesses.push({ address, bytes, write });
  }

  /** Whether an access was refused since the last call. */
  takeRefusal(): boolean {
    const { refused } = this;
    this.refused = false;
    return refused;
  }

  /** What was noted since the last call. */
  takeAccesses(): readonly WatchedAccess[] {
    if (this.accesses.length === 0) return this.accesses;
    const taken = this.accesses;
    this.accesses = [];
    return taken;
  }

  private mark(value: 0 | 0xff): void {
    for (const [set, bits, mark] of [[this.writes, WATCHED_WRITES, WATCHED.WRITES], [this.reads, WATCHED_READS, WATCHED.READS]] as const) {
      for (const { start, end } of set.marked.intervals) {
        cut(start, end, GUEST_SPACE_SIZE, (from, to) => {
          fillBits(this.linear.u8, bits, from, to, value);
          this.linear.u8.fill(value, WATCHED_LINES + Math.floor(from / WATCHED_LINE), WATCHED_LINES + Math.floor((to - 1) / WATCHED_LINE) + 1);
        });
        const [first, last] = [Math.floor(start / PAGE_SIZE), Math.floor((end - 1) / PAGE_SIZE)];
        cut(first, last + 1, PAGE_TABLE_ENTRIES, (from, to) => this.space.pages.markWatched(from, to, value === 0 ? 0 : mark));
      }
    }
  }
}

function areSame(some: readonly WatchedRange[], others: readonly WatchedRange[]): boolean {
  return some.length === others.length && some.every(({ start, end, kind }, i) => start === others[i]?.start && end === others[i]?.end && kind === others[i]?.kind);
}

/** The parts of [start, end) modulo `size`. */
function cut(start: number, end: number, size: number, visit: (from: number, to: number) => void): void {
  if (end - start >= size) return visit(0, size);
  const from = start % size;
  const to = from + (end - start);
  visit(from, Math.min(to, size));
  if (to > size) visit(0, to - size);
}

/** Sets or clears bits [from, to) of a map. */
function fillBits(bytes: Uint8Array, map: number, from: number, to: number, value: 0 | 0xff): void {
  const first = map + Math.floor(from / 8);
  const last = map + Math.floor((to - 1) / 8);
  const ofFirst = (0xff << from % 8) & 0xff;
  const ofLast = 0xff >> (7 - ((to - 1) % 8));
  const put = (at: number, mask: number): void => {
    bytes[at] = ((bytes[at] as number) & ~mask) | (value & mask);
  };
  if (first === last) return put(first, ofFirst & ofLast);
  put(first, ofFirst);
  bytes.fill(value, first + 1, last);
  put(last, ofLast);
}

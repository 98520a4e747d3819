/** Breakpoints and watchpoints that a client has set: any number, of any length. They are conditions of a search. */
import type { GuestAddr } from '../base/types.js';
import { type Condition, type Hit, type MemoryRange, memoryRange } from '../replay/timeline/conditions.js';
import { hitMeets } from '../replay/timeline/hitMeets.js';

/** By their numbers in Z packets. */
export const STOP_KINDS = ['software', 'hardware', 'watch', 'rwatch', 'awatch'] as const;
type StopKind = (typeof STOP_KINDS)[number];
export type WatchKind = 'watch' | 'rwatch' | 'awatch';

const ACCESS = { watch: 'write', rwatch: 'read', awatch: 'access' } as const;

interface Watchpoint {
  readonly kind: WatchKind;
  /** As the client wrote it. */
  readonly range: MemoryRange;
  readonly condition: Condition;
}

export class Stops {
  private readonly breakpoints = { software: new Set<GuestAddr>(), hardware: new Set<GuestAddr>() };
  /** Code by which a breakpoint counts or not, by address: any of them has to be true. */
  private readonly onlyIf = new Map<GuestAddr, readonly Uint8Array[]>();
  private readonly watched = new Map<string, Watchpoint>();

  get watchpoints(): Iterable<Watchpoint> {
    return this.watched.values();
  }

  get size(): number {
    const { software, hardware } = this.breakpoints;
    return software.size + hardware.size + this.watched.size;
  }

  get hasConditions(): boolean {
    return this.onlyIf.size > 0;
  }

  conditionsAt(address: GuestAddr): readonly Uint8Array[] {
    return this.onlyIf.get(address) ?? [];
  }

  /** `meaning`: what a watched range is to searches (Execution.meaning). */
  insert(
    kind: StopKind,
    address: GuestAddr,
    length: number,
    onlyIf: readonly Uint8Array[] = [],
    meaning: (range: MemoryRange) => readonly MemoryRange[] = (range) => [range],
  ): void {
    if (kind === 'software' || kind === 'hardware') {
      // If there is one of each kind, either may have conditions; the client looks once more.
      if (onlyIf.length > 0 && !this.breakpoints[kind === 'software' ? 'hardware' : 'software'].has(address)) this.onlyIf.set(address, onlyIf);
      else this.onlyIf.delete(address);
      this.breakpoints[kind].add(address);
    }
    else {
      const range = memoryRange(address, Math.max(1, length));
      const condition: Condition = { kind: 'memory', access: ACCESS[kind], ranges: meaning(range) };
      this.watched.set(key(kind, address, length), { kind, range, condition });
    }
  }

  remove(kind: StopKind, address: GuestAddr, length: number): void {
    if (kind === 'software' || kind === 'hardware') {
      this.breakpoints[kind].delete(address);
      this.onlyIf.delete(address);
    }
    else this.watched.delete(key(kind, address, length));
  }

  breakpointAt(address: GuestAddr): 'software' | 'hardware' | undefined {
    if (this.breakpoints.software.has(address)) return 'software';
    return this.breakpoints.hardware.has(address) ? 'hardware' : undefined;
  }

  /** All that a hit meets. */
  watchpointsAt(hit: Hit): Watchpoint[] {
    return [...this.watched.values()].filter(({ condition }) => hitMeets(condition, hit));
  }

  get breakpointConditions(): Condition[] {
    const addresses = [...this.breakpoints.software, ...this.breakpoints.hardware];
    return addresses.length === 0 ? [] : [{ kind: 'address', addresses }];
  }

  get memoryConditions(): Condition[] {
    return [...this.watched.values()].map(({ condition }) => condition);
  }

  /** What a new process has from its parent. */
  copy(): Stops {
    const copy = new Stops();
    for (const kind of ['software', 'hardware'] as const) for (const address of this.breakpoints[kind]) copy.breakpoints[kind].add(address);
    for (const [address, code] of this.onlyIf) copy.onlyIf.set(address, code);
    for (const [name, watchpoint] of this.watched) copy.watched.set(name, watchpoint);
    return copy;
  }

  clear(): void {
    this.breakpoints.software.clear();
    this.breakpoints.hardware.clear();
    this.watched.clear();
    this.onlyIf.clear();
  }
}

/**
 * What a client is told of watchpoints that were hit at once: one address. It takes all for hit that have it, so it
 * should be one that as many as possible have. Of those the one that is told of is the first, so that a client which
 * looks at the kind, too, sees what it has set.
 */
export function toldOf(watchpoints: readonly Watchpoint[]): { readonly how: WatchKind; readonly address: number } | undefined {
  const candidates = watchpoints.map(({ range }) => range.start);
  const countAt = (address: number): number => watchpoints.filter(({ range }) => address >= range.start && address < range.end).length;
  const address = candidates.reduce<number | undefined>((best, candidate) => (best === undefined || countAt(candidate) > countAt(best) ? candidate : best), undefined);
  const first = watchpoints.find(({ range }) => address !== undefined && address >= range.start && address < range.end);
  return first === undefined || address === undefined ? undefined : { how: first.kind, address };
}

function key(kind: WatchKind, address: number, length: number): string {
  return `${kind} ${address} ${length}`;
}

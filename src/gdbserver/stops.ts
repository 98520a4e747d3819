/** Breakpoints and watchpoints that a client has set: any number, of any length. They are conditions of a search. */
import type { Condition, MemoryRange } from '../replay/timeline/conditions.js';

/** By their numbers in Z packets. */
export const STOP_KINDS = ['software', 'hardware', 'watch', 'rwatch', 'awatch'] as const;
export type StopKind = (typeof STOP_KINDS)[number];
export type WatchKind = 'watch' | 'rwatch' | 'awatch';

const ACCESS = { watch: 'write', rwatch: 'read', awatch: 'access' } as const;
const WATCHES: readonly WatchKind[] = ['watch', 'rwatch', 'awatch'];

export interface Watchpoint {
  readonly kind: WatchKind;
  readonly range: MemoryRange;
}

export class Stops {
  private readonly breakpoints = { software: new Set<number>(), hardware: new Set<number>() };
  /** Code by which a breakpoint counts or not, by address: any of them has to be true. */
  private readonly onlyIf = new Map<number, readonly Uint8Array[]>();
  private readonly watched = new Map<string, Watchpoint>();

  get watchpoints(): Iterable<Watchpoint> {
    return this.watched.values();
  }

  get hasWatchpoints(): boolean {
    return this.watched.size > 0;
  }

  get size(): number {
    const { software, hardware } = this.breakpoints;
    return software.size + hardware.size + this.watched.size;
  }

  get hasConditions(): boolean {
    return this.onlyIf.size > 0;
  }

  conditionsAt(address: number): readonly Uint8Array[] {
    return this.onlyIf.get(address) ?? [];
  }

  insert(kind: StopKind, address: number, length: number, onlyIf: readonly Uint8Array[] = []): void {
    if (kind === 'software' || kind === 'hardware') {
      // If there is one of each kind, either may have conditions; the client looks once more.
      if (onlyIf.length > 0 && !this.breakpoints[kind === 'software' ? 'hardware' : 'software'].has(address)) this.onlyIf.set(address, onlyIf);
      else this.onlyIf.delete(address);
      this.breakpoints[kind].add(address);
    }
    else this.watched.set(key(kind, address, length), { kind, range: { start: address, end: address + Math.max(1, length) } });
  }

  remove(kind: StopKind, address: number, length: number): void {
    if (kind === 'software' || kind === 'hardware') {
      this.breakpoints[kind].delete(address);
      this.onlyIf.delete(address);
    }
    else this.watched.delete(key(kind, address, length));
  }

  breakpointAt(address: number): 'software' | 'hardware' | undefined {
    if (this.breakpoints.software.has(address)) return 'software';
    return this.breakpoints.hardware.has(address) ? 'hardware' : undefined;
  }

  /** The first watchpoint that such an access meets. */
  watchpointAt(address: number, bytes: number, isWrite: boolean): Watchpoint | undefined {
    for (const watchpoint of this.watched.values()) {
      const { kind, range } = watchpoint;
      const wanted = kind === 'awatch' || (kind === 'watch') === isWrite;
      if (wanted && address < range.end && range.start < address + bytes) return watchpoint;
    }
    return undefined;
  }

  /** For searches. */
  get conditions(): Condition[] {
    const addresses = [...this.breakpoints.software, ...this.breakpoints.hardware];
    return [...(addresses.length === 0 ? [] : [{ kind: 'address', addresses } satisfies Condition]), ...this.memoryConditions];
  }

  get memoryConditions(): Condition[] {
    return WATCHES.flatMap((kind) => {
      const ranges = [...this.watched.values()].filter((watchpoint) => watchpoint.kind === kind).map(({ range }) => range);
      return ranges.length === 0 ? [] : [{ kind: 'memory', access: ACCESS[kind], ranges } satisfies Condition];
    });
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

function key(kind: WatchKind, address: number, length: number): string {
  return `${kind} ${address} ${length}`;
}

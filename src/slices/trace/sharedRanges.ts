/**
 * Which memory of each address space is shared with others, or with a file: the same bytes have other addresses there.
 * A byte of it is known by its place in the file, or in what stands for one.
 */
import type { KernelChange } from '../../replay/timeline/observing.js';

export interface SharedRange {
  readonly address: number;
  readonly bytes: number;
  readonly channel: string;
  /** Of its first byte. */
  readonly position: number;
}

const NONE: readonly SharedRange[] = [];

export class SharedRanges {
  private readonly spaces: Map<number, readonly SharedRange[]>;

  constructor(from?: SharedRanges) {
    this.spaces = new Map(from?.spaces);
  }

  /** The list is never changed. */
  of(space: number): readonly SharedRange[] {
    return this.spaces.get(space) ?? NONE;
  }

  changed(change: KernelChange): void {
    switch (change.kind) {
      case 'replace': {
        const { space, address, bytes, file, isShared } = change;
        const rest = without(this.of(space), address, bytes);
        if (file !== undefined && isShared === true) this.spaces.set(space, [...rest, { address, bytes, ...file }]);
        else if (rest.length > 0 || this.spaces.has(space)) this.spaces.set(space, rest);
        break;
      }
      case 'move': {
        const { space, from, to, bytes } = change;
        const moved = inside(this.of(space), from, bytes).map((one) => ({ ...one, address: one.address - from + to }));
        if (this.spaces.has(space)) this.spaces.set(space, [...without(this.of(space), to, bytes), ...moved]);
        break;
      }
      case 'copy': this.spaces.set(change.space, this.of(change.from)); break;
      case 'clear': this.spaces.delete(change.space); break;
      default:
    }
  }
}

function part({ address, channel, position }: SharedRange, start: number, end: number): SharedRange[] {
  return start < end ? [{ address: start, bytes: end - start, channel, position: position + start - address }] : [];
}

function without(ranges: readonly SharedRange[], address: number, bytes: number): readonly SharedRange[] {
  if (ranges.length === 0) return ranges;
  return ranges.flatMap((one) => {
    const end = one.address + one.bytes;
    return [...part(one, one.address, Math.min(end, address)), ...part(one, Math.max(one.address, address + bytes), end)];
  });
}

function inside(ranges: readonly SharedRange[], address: number, bytes: number): readonly SharedRange[] {
  return ranges.flatMap((one) => part(one, Math.max(one.address, address), Math.min(one.address + one.bytes, address + bytes)));
}

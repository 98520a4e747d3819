/**
 * Registers that a function takes back from the stack before it returns. What its caller wants of such a register was
 * there before the function was called, so a restore and the save that belongs to it are passed through. That they
 * belong together is known when the save is met: until then a tag stands for the restore among those who want the
 * bytes on the stack.
 */
import { PairTable } from './pairTable.js';
import { NODES, type WanterSet, type Wanters } from './wanters.js';

interface Restore {
  /** When it was done. */
  readonly time: number;
  /** Its first cell. */
  readonly register: number;
  /** Of each byte: who wants it. */
  readonly wanters: readonly WanterSet[];
  /** Bytes of which the save has not been met. */
  left: number;
}

/** Numbers of tags, above those of all nodes. */
const FIRST_TAG = NODES;
const NO_TIME = -1;

export class Restores {
  private readonly tags: (Restore | undefined)[] = [];
  private readonly free: number[] = [];
  private readonly known = new Map<number, PairTable>();

  constructor(private readonly wanters: Wanters) {}

  /** Who is to want the bytes on the stack. */
  add(restore: Restore): WanterSet {
    const tag = this.free.pop() ?? this.tags.length;
    this.tags[tag] = restore;
    return this.wanters.of(FIRST_TAG + tag);
  }

  /**
   * The same, for all restores of which the same is wanted: it is not known when they were. They are not given back.
   */
  common(register: number, low: WanterSet, high: WanterSet): WanterSet {
    let known = this.known.get(register);
    if (known === undefined) this.known.set(register, (known = new PairTable()));
    const found = known.get(low + 1, high + 1);
    if (found !== 0) return found;
    const tag = this.add({ time: NO_TIME, register, wanters: [low, low, low, low, high, high, high, high], left: Infinity });
    known.set(low + 1, high + 1, tag);
    return tag;
  }

  /** The restores that a set stands for, if it is one of `common` and nothing else. */
  commonOf(set: WanterSet): Restore | undefined {
    const one = set > FIRST_TAG && set <= FIRST_TAG + this.tags.length ? this.tags[set - 1 - FIRST_TAG] : undefined;
    return one?.time === NO_TIME ? one : undefined;
  }

  /** The restores in a set. */
  tagsIn(set: WanterSet): readonly number[] {
    return this.wanters.hasTags(set) ? this.wanters.nodes(set).filter((node) => node >= FIRST_TAG) : NONE;
  }

  get(tag: number): Restore {
    return this.tags[tag - FIRST_TAG] as Restore;
  }

  /** So many bytes of it have been found. */
  found(tag: number, bytes = 1): void {
    const one = this.get(tag);
    one.left -= bytes;
    if (one.left > 0) return;
    this.tags[tag - FIRST_TAG] = undefined;
    this.free.push(tag - FIRST_TAG);
  }
}

const NONE: readonly number[] = [];

/**
 * When the instances of a slice were: a walk tells them newest first, and they are kept as small differences. There is
 * a bound: older instances than there is room for are counted only.
 */
import type { Wanters } from './wants/wanters.js';
import { SliceGraph } from './graph.js';

const MOST_BYTES = 64 << 20;
const FIRST_BYTES = 1 << 12;
/** Two numbers of at most 2^53 with seven bits a byte. */
const LONGEST = 16;

export interface MemberTime {
  /** A node, or the place of a member in its slice. */
  readonly of: number;
  readonly time: number;
  /** One of its own instances, not of what was called there. */
  readonly isOwn: boolean;
}

export class MemberTimes {
  /** Whether all of them are there. */
  isComplete = true;
  count = 0;
  private bytes = new Uint8Array(FIRST_BYTES);
  private length = 0;
  private last = 0;

  constructor(private readonly most = MOST_BYTES) {}

  /** Newest first. */
  add(of: number, time: number, isOwn: boolean): void {
    if (!this.isComplete) return;
    if (this.length + LONGEST > this.bytes.length && !this.grow()) return;
    this.put(of * 2 + (isOwn ? 1 : 0));
    const difference = this.count === 0 ? time : this.last - time;
    this.put(difference >= 0 ? difference * 2 : -difference * 2 - 1);
    this.last = time;
    this.count++;
  }

  /** Newest first. */
  *[Symbol.iterator](): Generator<MemberTime> {
    let [at, time] = [0, 0];
    const next = (): number => {
      let [value, scale] = [0, 1];
      for (;;) {
        const byte = this.bytes[at++] as number;
        value += (byte & 0x7f) * scale;
        if (byte < 0x80) return value;
        scale *= 0x80;
      }
    };
    for (let i = 0; i < this.count; i++) {
      const tagged = next();
      const coded = next();
      const difference = coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
      time = i === 0 ? difference : time - difference;
      yield { of: Math.floor(tagged / 2), time, isOwn: tagged % 2 === 1 };
    }
  }

  /** In the other order. */
  reversed(): MemberTimes {
    const made = new MemberTimes(this.most);
    const all = [...this].reverse();
    for (const { of, time, isOwn } of all) made.add(of, time, isOwn);
    made.isComplete &&= this.isComplete;
    return made;
  }

  private put(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.bytes[this.length++] = rest;
  }

  private grow(): boolean {
    if (this.bytes.length * 2 > this.most) {
      this.isComplete = false;
      return false;
    }
    const larger = new Uint8Array(this.bytes.length * 2);
    larger.set(this.bytes);
    this.bytes = larger;
    return true;
  }
}

/** A graph that notes when its members were. */
export class TimedGraph extends SliceGraph {
  readonly times = new MemberTimes();

  constructor(wanters: Wanters) {
    super(wanters);
  }

  override add(node: number, time: number, counts: boolean): void {
    super.add(node, time, counts);
    this.times.add(node, time, counts);
  }
}


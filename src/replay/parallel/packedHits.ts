/**
 * Hits as numbers: there may be millions, and objects are slow to send to another thread and take much memory while they wait. A hit is
 * an access, a system call, a signal or none of them.
 */
import type { Hit } from '../timeline/conditions.js';

/** Hits in order. */
export interface Hits extends Iterable<Hit> {
  readonly length: number;
}

const FIELDS = 11;
/** For what a hit does not have. */
const NONE = -1;

export class PackedHits implements Hits {
  constructor(private readonly numbers: Float64Array) {}

  get length(): number {
    return this.numbers.length / FIELDS;
  }

  *[Symbol.iterator](): Generator<Hit> {
    for (let i = 0; i < this.length; i++) yield this.hit(i * FIELDS);
  }

  private hit(first: number): Hit {
    const position = { time: this.field(first), done: this.field(first + 1) };
    const condition = this.field(first + 2);
    const task = this.field(first + 3);
    const rip = this.field(first + 4);
    const address = this.field(first + 5);
    // Plain literals: spreading takes longer than all the rest.
    if (address !== NONE) {
      const access = { address, bytes: this.field(first + 6), write: this.field(first + 7) !== 0, by: this.field(first + 8) === 0 ? 'program' : 'kernel' } as const;
      return { position, condition, task, rip, access };
    }
    const syscall = this.field(first + 9);
    if (syscall !== NONE) return { position, condition, task, rip, syscall };
    const signal = this.field(first + 10);
    return signal === NONE ? { position, condition, task, rip } : { position, condition, task, rip, signal };
  }

  private field(index: number): number {
    return this.numbers[index] as number;
  }
}

export function packHits(hits: readonly Hit[]): Float64Array<ArrayBuffer> {
  const numbers = new Float64Array(hits.length * FIELDS);
  let next = 0;
  const put = (value: number): void => {
    numbers[next++] = value;
  };
  for (const { position, condition, task, rip, access, syscall, signal } of hits) {
    put(position.time);
    put(position.done);
    put(condition);
    put(task);
    put(rip);
    put(access?.address ?? NONE);
    put(access?.bytes ?? 0);
    put(access?.write === true ? 1 : 0);
    put(access?.by === 'kernel' ? 1 : 0);
    put(syscall ?? NONE);
    put(signal ?? NONE);
  }
  return numbers;
}

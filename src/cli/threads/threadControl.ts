/**
 * What a searching thread and the one that asks tell each other while a search is on, in shared memory: the thread does
 * not look at messages meanwhile.
 *
 *    0  i32  the last job that is not wanted any more, and all before it
 *    4  i32  how much of the present one is done
 */
import type { JobControl } from '../../replay/timeline/parallel/searchWorker.js';

const GIVEN_UP = 0;
const DONE = 1;
/** Progress is told in units of so many instructions. */
const UNIT = 65_536;

export class ThreadControl implements JobControl {
  private readonly words: Int32Array;
  private job = 0;

  constructor(readonly shared = new SharedArrayBuffer(8)) {
    this.words = new Int32Array(shared);
  }

  /** Jobs have growing numbers from 1 on. */
  begin(job: number): void {
    this.job = job;
    this.done = 0;
  }

  giveUp(job: number): void {
    Atomics.store(this.words, GIVEN_UP, job);
  }

  get isGivenUp(): boolean {
    return Atomics.load(this.words, GIVEN_UP) >= this.job;
  }

  get done(): number {
    return Atomics.load(this.words, DONE) * UNIT;
  }

  set done(instructions: number) {
    Atomics.store(this.words, DONE, Math.floor(instructions / UNIT));
  }
}

/**
 * What the thread of a query and the main thread tell each other while a query runs, in shared memory:
 *
 *    0  i32  not 0: the user has had enough
 *    4  i32  how much is done, in thousandths
 */
const CANCELLED = 0;
const DONE = 1;
const UNITS = 1000;

export class QueryControl {
  private readonly words: Int32Array;

  constructor(readonly shared = new SharedArrayBuffer(8)) {
    this.words = new Int32Array(shared);
  }

  cancel(): void {
    Atomics.store(this.words, CANCELLED, 1);
  }

  /** Before the next query. */
  reset(): void {
    Atomics.store(this.words, CANCELLED, 0);
    Atomics.store(this.words, DONE, 0);
  }

  get isCancelled(): boolean {
    return Atomics.load(this.words, CANCELLED) !== 0;
  }

  tell(part: number): void {
    Atomics.store(this.words, DONE, Math.floor(part * UNITS));
  }

  get done(): number {
    return Atomics.load(this.words, DONE) / UNITS;
  }
}

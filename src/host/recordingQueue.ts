/**
 * What the thread that writes a recording tells the one that records, in shared memory: how much it has
 * done, and why it stopped if it did. The recording thread is busy for minutes without looking at
 * messages, and may wait here for room in the queue.
 *
 *    0  i32  how many bytes of payload are done, modulo 2^32
 *    4  i32  length of the failure's text, 0 if there is none
 *    8  …    the text
 */
const DONE = 0;
const FAILED = 1;
const TEXT_OFFSET = 8;
const TEXT_SIZE = 504;

export class QueueProgress {
  private readonly words: Int32Array;
  private readonly text: Uint8Array;

  constructor(readonly shared = new SharedArrayBuffer(TEXT_OFFSET + TEXT_SIZE)) {
    this.words = new Int32Array(shared, 0, TEXT_OFFSET / 4);
    this.text = new Uint8Array(shared, TEXT_OFFSET);
  }

  /** Bytes that are done, modulo 2^32. */
  get done(): number {
    return Atomics.load(this.words, DONE) >>> 0;
  }

  advance(bytes: number): void {
    Atomics.add(this.words, DONE, bytes);
    Atomics.notify(this.words, DONE);
  }

  /** Waits until more is done than `done`; false if that took too long. */
  waitForMore(done: number, milliseconds: number): boolean {
    return Atomics.wait(this.words, DONE, done | 0, milliseconds) !== 'timed-out';
  }

  get failure(): string | undefined {
    const length = Atomics.load(this.words, FAILED);
    return length === 0 ? undefined : new TextDecoder().decode(this.text.slice(0, length));
  }

  /** The first one stays. */
  fail(text: string): void {
    if (this.failure !== undefined) return;
    const { written } = new TextEncoder().encodeInto(text, this.text);
    Atomics.store(this.words, FAILED, written);
  }
}

/**
 * What is in a pipe. As Linux has it, a pipe is a row of pages: what is written starts a page of its own unless
 * its odd end fits behind what was written last, and a page is free again only when all of it was read. So a pipe may
 * be full with less than its size in it, and programs that fill pipes to the brim see that.
 */
export const PAGE = 4096;
export const PIPE_SIZE = 16 * PAGE;

interface Slot {
  readonly page: Uint8Array;
  /** What is still to be read: from here ... */
  start: number;
  /** ... to here. */
  end: number;
  /** One message: what does not fit a reader's buffer is lost, and nothing is added. */
  readonly packet: boolean;
}

export class PipeQueue {
  private readonly slots: Slot[] = [];
  /** Pages that were read, to be used again. */
  private readonly spare: Uint8Array[] = [];
  filled = 0;

  constructor(private capacity = PIPE_SIZE / PAGE) {}

  get size(): number {
    return this.capacity * PAGE;
  }

  get isFull(): boolean {
    return this.slots.length >= this.capacity;
  }

  /** Whether it could be made that small. */
  resize(pages: number): boolean {
    if (pages < this.slots.length) return false;
    this.capacity = pages;
    return true;
  }

  take(target: Uint8Array): number {
    let done = 0;
    while (done < target.length) {
      const slot = this.slots[0];
      if (slot === undefined) break;
      const bytes = slot.page.subarray(slot.start, Math.min(slot.end, slot.start + target.length - done));
      target.set(bytes, done);
      done += bytes.length;
      slot.start += bytes.length;
      this.filled -= bytes.length;
      if (slot.packet) this.filled -= slot.end - slot.start;
      if (slot.start === slot.end || slot.packet) this.drop();
      if (slot.packet) break;
    }
    return done;
  }

  /** A copy of the first bytes, which stay. */
  peek(length: number): Uint8Array {
    const bytes = new Uint8Array(Math.min(length, this.filled));
    let done = 0;
    for (const { page, start, end } of this.slots) {
      const piece = page.subarray(start, Math.min(end, start + bytes.length - done));
      bytes.set(piece, done);
      done += piece.length;
    }
    return bytes;
  }

  /** As many of the bytes as there is room for. */
  put(bytes: Uint8Array, packet: boolean): number {
    let done = packet ? 0 : this.append(bytes);
    while (done < bytes.length && !this.isFull) {
      const page = this.spare.pop() ?? new Uint8Array(PAGE);
      const piece = bytes.subarray(done, done + PAGE);
      page.set(piece);
      this.slots.push({ page, start: 0, end: piece.length, packet });
      done += piece.length;
      this.filled += piece.length;
    }
    return done;
  }

  /** The part that makes no whole page goes behind what is there, if all of it fits. */
  private append(bytes: Uint8Array): number {
    const last = this.slots.at(-1);
    const odd = bytes.length % PAGE;
    if (last === undefined || last.packet || odd === 0 || last.end + odd > PAGE) return 0;
    last.page.set(bytes.subarray(0, odd), last.end);
    last.end += odd;
    this.filled += odd;
    return odd;
  }

  private drop(): void {
    const slot = this.slots.shift();
    if (slot !== undefined && this.spare.length < 2) this.spare.push(slot.page);
  }
}

/**
 * The content of a file that was written to in the sandbox: blocks in memory over the real file's
 * bytes. A block is copied from the real file when it is first written to, so that a change in a large
 * file costs little; a block that was not written and that the real file does not have is zeros.
 *
 * Forks share blocks until one of them writes. A block may be shorter than BLOCK: the rest is zeros.
 */
import type { Budget } from '../../base/budget.js';
import { E } from '../../base/errno.js';
import { LayeredMap } from './layeredMap.js';

const BLOCK = 1 << 16;
const SMALLEST_BLOCK = 64;

/** Where the bytes come from that were not written here. Never written to. */
export interface LowerBytes {
  /** As many bytes as there are, or a negative error number. */
  read(target: Uint8Array, position: number): number;
}

export class FileData {
  private held = 0;

  private constructor(
    private readonly blocks: LayeredMap<number, Uint8Array>,
    private readonly lower: LowerBytes | undefined,
    /** Bytes from here on are not the real file's, even if it has some. */
    private lowerEnd: number,
    private length: number,
  ) {}

  static empty(): FileData {
    return new FileData(new LayeredMap(), undefined, 0, 0);
  }

  static over(lower: LowerBytes, size: number): FileData {
    return new FileData(new LayeredMap(), lower, size, size);
  }

  get size(): number {
    return this.length;
  }

  /** Bytes of memory in use. */
  get bytesHeld(): number {
    return this.held;
  }

  fork(): FileData {
    const copy = new FileData(this.blocks.fork(), this.lower, this.lowerEnd, this.length);
    copy.held = this.held;
    return copy;
  }

  read(target: Uint8Array, position: number): number {
    const count = Math.max(0, Math.min(target.length, this.length - position));
    for (let done = 0; done < count; ) {
      const within = (position + done) % BLOCK;
      const piece = target.subarray(done, Math.min(count, done + BLOCK - within));
      const failure = this.readPiece(piece, position + done);
      if (failure < 0) return done > 0 ? done : failure;
      done += piece.length;
    }
    return count;
  }

  write(bytes: Uint8Array, position: number, budget: Budget): number {
    let done = 0;
    while (done < bytes.length) {
      const within = (position + done) % BLOCK;
      const piece = bytes.subarray(done, done + BLOCK - within);
      const block = this.blockForWriting(Math.floor((position + done) / BLOCK), within + piece.length, budget);
      if (typeof block === 'number') return done > 0 ? done : block;
      block.set(piece, within);
      done += piece.length;
      this.length = Math.max(this.length, position + done);
    }
    return done;
  }

  truncate(size: number, budget: Budget): number {
    if (size < this.length) {
      const failure = this.cutBlocks(size, budget);
      if (failure < 0) return failure;
      this.lowerEnd = Math.min(this.lowerEnd, size);
    }
    this.length = size;
    return 0;
  }

  /** What may be other than zeros at or behind `position`, in pieces. */
  heldFrom(position: number): { start: number; end: number }[] {
    const pieces = [...this.blocks.entries()].map(([index, block]) => ({ start: index * BLOCK, end: index * BLOCK + block.length }));
    pieces.push({ start: 0, end: this.lowerEnd });
    return pieces.filter(({ end }) => end > position).map(({ start, end }) => ({ start: Math.max(start, position), end }));
  }

  /** Fills one piece that lies within a block. */
  private readPiece(piece: Uint8Array, position: number): number {
    const block = this.blocks.get(Math.floor(position / BLOCK));
    if (block === undefined) return this.readLower(piece, position);
    const within = position % BLOCK;
    const bytes = block.subarray(within, within + piece.length);
    piece.set(bytes);
    piece.fill(0, bytes.length);
    return 0;
  }

  private readLower(piece: Uint8Array, position: number): number {
    const wanted = Math.max(0, Math.min(piece.length, this.lowerEnd - position));
    let got = 0;
    while (got < wanted) {
      const count = this.lower?.read(piece.subarray(got, wanted), position + got) ?? 0;
      if (count < 0) return count;
      if (count === 0) break;
      got += count;
    }
    piece.fill(0, got);
    return 0;
  }

  /** The block, ours alone, with room for at least `length` bytes. */
  private blockForWriting(index: number, length: number, budget: Budget): Uint8Array | number {
    const old = this.blocks.get(index);
    if (old !== undefined && old.length >= length && this.blocks.owns(index)) return old;
    const start = index * BLOCK;
    const fromLower = old === undefined ? Math.max(0, Math.min(BLOCK, this.lowerEnd - start)) : 0;
    const block = new Uint8Array(roomFor(Math.max(length, fromLower, old?.length ?? 0)));
    if (!this.account(block.length - (old?.length ?? 0), budget)) return -E.NOSPC;
    if (old !== undefined) block.set(old);
    const failure = fromLower > 0 ? this.readLower(block.subarray(0, fromLower), start) : 0;
    if (failure < 0) return failure;
    this.blocks.set(index, block);
    return block;
  }

  private cutBlocks(size: number, budget: Budget): number {
    const last = Math.floor(size / BLOCK);
    for (const [index, block] of this.blocks.entries()) {
      if (index < last || block.length === 0) continue;
      const kept = index === last ? Math.min(block.length, size % BLOCK) : 0;
      if (kept === 0) this.blocks.delete(index);
      else if (this.blocks.owns(index)) block.fill(0, kept);
      else this.blocks.set(index, block.slice(0, kept));
      this.account((this.blocks.get(index)?.length ?? 0) - block.length, budget);
    }
    return 0;
  }

  private account(bytes: number, budget: Budget): boolean {
    if (bytes < 0) budget.giveBack(-bytes);
    else if (!budget.take(bytes)) return false;
    this.held += bytes;
    return true;
  }
}

/** Doubling, so that a file written byte by byte is not copied each time. */
function roomFor(length: number): number {
  let room = SMALLEST_BLOCK;
  while (room < length) room *= 2;
  return room;
}

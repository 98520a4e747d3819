/**
 * Unpacks zstd (RFC 8878), which compilers use for debug sections (ELFCOMPRESS_ZSTD); the zlib of older versions of
 * Node does not know it. Checksums are not looked at, dictionaries not known.
 */
import { type HuffmanTable, littleEndian, readLiterals } from './literals.js';
import { readSequences, RecentOffsets, type SequenceTables } from './sequences.js';
import { fail } from './zstdError.js';

const MAGIC = 0xfd2f_b528;
/** The last four bits are anything. */
const SKIPPED = 0x184d_2a50;
const BLOCK = { RAW: 0, RUN: 1, COMPRESSED: 2 } as const;
const LARGEST_BLOCK = 128 * 1024;

/** All frames of `packed`, which must make no more than `length` bytes. Throws a ZstdError. */
export function unpackZstd(packed: Uint8Array, length: number): Uint8Array {
  const output = new Output(length);
  let at = 0;
  while (at < packed.length) {
    const magic = littleEndian(packed, at, 4);
    if (magic === MAGIC) at = new Frame(packed, output).read(at + 4);
    else if (magic - (magic % 16) === SKIPPED) at += 8 + littleEndian(packed, at + 4, 4);
    else fail('no frame here');
  }
  return output.bytes.subarray(0, output.length);
}

class Output {
  readonly bytes: Uint8Array;
  length = 0;

  constructor(most: number) {
    this.bytes = new Uint8Array(most);
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  run(byte: number, count: number): void {
    this.reserve(count);
    this.bytes.fill(byte, this.length, this.length + count);
    this.length += count;
  }

  /** Bytes from `offset` before the end; what is copied may be part of what is copied from. */
  repeat(offset: number, count: number, start: number): void {
    this.reserve(count);
    const from = this.length - offset;
    if (offset < 1 || from < start) fail('match from before the beginning');
    const { bytes } = this;
    if (offset >= count) bytes.copyWithin(this.length, from, from + count);
    else for (let i = 0; i < count; i++) bytes[this.length + i] = bytes[from + i] as number;
    this.length += count;
  }

  private reserve(count: number): void {
    if (this.length + count > this.bytes.length) fail('more bytes than promised');
  }
}

class Frame {
  private readonly start: number;
  private readonly recent = new RecentOffsets();
  private huffman: HuffmanTable | undefined;
  private tables: SequenceTables | undefined;

  constructor(
    private readonly packed: Uint8Array,
    private readonly output: Output,
  ) {
    this.start = output.length;
  }

  /** Returns where the frame ends. */
  read(from: number): number {
    const { packed } = this;
    const flags = littleEndian(packed, from, 1);
    let at = from + headerLength(flags);
    for (let isLast = false; !isLast; ) {
      const header = littleEndian(packed, at, 3);
      isLast = header % 2 === 1;
      at = this.readBlock(at + 3, (header >> 1) & 3, header >> 3);
    }
    const end = at + ((flags & 4) === 0 ? 0 : 4);
    return end > packed.length ? fail('cut off') : end;
  }

  private readBlock(at: number, kind: number, size: number): number {
    const end = at + (kind === BLOCK.RUN ? 1 : size);
    if (end > this.packed.length || (kind === BLOCK.COMPRESSED && size > LARGEST_BLOCK)) fail('block is cut off');
    const block = this.packed.subarray(at, end);
    switch (kind) {
      case BLOCK.RAW: this.output.append(block); break;
      case BLOCK.RUN: this.output.run(block[0] as number, size); break;
      case BLOCK.COMPRESSED: this.decompress(block); break;
      default: fail('block of an unknown kind');
    }
    return end;
  }

  private decompress(block: Uint8Array): void {
    const { output } = this;
    const literals = readLiterals(block, this.huffman);
    this.huffman = literals.table;
    let used = 0;
    this.tables = readSequences(block.subarray(literals.length), this.tables, this.recent, (count, match, offset) => {
      if (used + count > literals.bytes.length) fail('more literals than there are');
      output.append(literals.bytes.subarray(used, used + count));
      output.repeat(offset, match, this.start);
      used += count;
    });
    output.append(literals.bytes.subarray(used));
  }
}

/** Flags, window, dictionary, length of the contents. */
function headerLength(flags: number): number {
  const isSingleSegment = (flags & 0x20) !== 0;
  if ((flags & 8) !== 0) fail('frame of an unknown kind');
  if ((flags & 3) !== 0) fail('dictionaries are not known');
  const contentLength = [isSingleSegment ? 1 : 0, 2, 4, 8][flags >> 6] as number;
  return 1 + (isSingleSegment ? 0 : 1) + contentLength;
}

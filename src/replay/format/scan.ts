/**
 * Finds the chunks of a recording by their headers alone: no payload is read, so that gigabytes take
 * moments. Where a header should be and is not, something is damaged, and the next sound header is
 * searched for. It must belong to this recording and have a higher number than the chunk before:
 * payloads may hold whole recordings, even an earlier part of this one.
 */
import { type ByteSource, ReadAhead } from './byteSource.js';
import { CHUNK_HEADER_SIZE, type ChunkHeader, decodeChunkHeader, MARKER_BYTES, START_SIZE } from './encoding.js';

/** No real recording comes near; a malicious file could otherwise fill our memory with headers. */
const MOST_CHUNKS = 2 ** 20;
const SEARCH_BLOCK = 256 * 1024;

interface ScannedChunk {
  readonly offset: number;
  readonly header: ChunkHeader;
}

export interface Scan {
  readonly chunks: readonly ScannedChunk[];
  /** What is wrong, in order, each in a few words. */
  readonly damage: readonly string[];
  /** The file ends in the middle of a chunk: in a few words. */
  readonly cut: string | undefined;
}

/** `recordingId` is undefined if the start of the file is damaged; then the first chunk has it. */
export function scanChunks(source: ByteSource, recordingId: number | undefined): Scan {
  return new Scanner(source, recordingId).scan();
}

class Scanner {
  private readonly chunks: ScannedChunk[] = [];
  private readonly damage: string[] = [];
  private cut: string | undefined;
  private readonly ahead: ReadAhead;
  private number = -1;

  constructor(
    private readonly source: ByteSource,
    private recordingId: number | undefined,
  ) {
    this.ahead = new ReadAhead(source);
  }

  scan(): Scan {
    const { size } = this.source;
    let at = START_SIZE;
    while (at < size && this.chunks.length < MOST_CHUNKS) {
      const header = decodeChunkHeader(this.ahead.at(at, CHUNK_HEADER_SIZE));
      const found = header !== undefined && this.accepts(header, at) ? { offset: at, header } : this.search();
      if (found?.offset !== at) this.noteDamage(at, header, found);
      if (found === undefined) break;
      this.take(found);
      at = endOf(found);
    }
    if (this.chunks.length === MOST_CHUNKS && at < size) this.damage.push(`more than ${MOST_CHUNKS} chunks, of which the rest is ignored`);
    return { chunks: this.chunks, damage: this.damage, cut: this.cut };
  }

  private accepts(header: ChunkHeader, offset: number): boolean {
    const ours = this.recordingId === undefined || header.recordingId === this.recordingId;
    return ours && header.number > this.number && endOf({ offset, header }) <= this.source.size;
  }

  private take(found: ScannedChunk): void {
    const { number, recordingId } = found.header;
    const missing = number - this.number - 1;
    if (missing > 0) this.damage.push(missing === 1 ? `chunk ${number - 1} is lost` : `chunks ${this.number + 1} to ${number - 1} are lost`);
    this.number = number;
    this.recordingId = recordingId;
    this.chunks.push(found);
  }

  /**
   * The next chunk after the last sound header. Its payload is searched, too: if bytes are missing from it,
   * its end is not where the header says. What was searched once is never searched again.
   */
  private search(): ScannedChunk | undefined {
    const last = this.chunks.at(-1);
    let base = last === undefined ? START_SIZE : last.offset + CHUNK_HEADER_SIZE;
    while (base + CHUNK_HEADER_SIZE <= this.source.size) {
      const block = this.source.read(base, SEARCH_BLOCK);
      if (block.length < CHUNK_HEADER_SIZE) return undefined;
      const found = this.searchBlock(block, base);
      if (found !== undefined) return found;
      base += block.length - CHUNK_HEADER_SIZE + 1;
    }
    return undefined;
  }

  private searchBlock(block: Uint8Array, base: number): ScannedChunk | undefined {
    const [first, second] = MARKER_BYTES as Uint8Array & [number, number];
    for (let i = block.indexOf(first); i >= 0; i = block.indexOf(first, i + 1)) {
      const header = block[i + 1] === second ? decodeChunkHeader(block, i) : undefined;
      if (header !== undefined && this.accepts(header, base + i)) return { offset: base + i, header };
    }
    return undefined;
  }

  private noteDamage(at: number, header: ChunkHeader | undefined, found: ScannedChunk | undefined): void {
    const { size } = this.source;
    const isCut = size - at < CHUNK_HEADER_SIZE || (header !== undefined && endOf({ offset: at, header }) > size);
    if (found !== undefined) this.damage.push(`damaged at byte ${Math.min(at, found.offset)}`);
    else if (isCut) this.cut = `cut off in the middle of chunk ${this.number + 1} (at byte ${size})`;
    else this.damage.push(`damaged from byte ${at} on`);
  }
}

export function endOf({ offset, header }: ScannedChunk): number {
  return offset + CHUNK_HEADER_SIZE + header.storedLength;
}

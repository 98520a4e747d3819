/** A row of byte sections in one buffer, each at a multiple of 8: what typed arrays can look at without copying. */

const MAGIC = 0x45444f43;
const HEADER_WORDS = 2;
const ALIGNMENT = 8;

export function joinSections(sections: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const header = aligned((HEADER_WORDS + sections.length * 2) * 4);
  const total = sections.reduce((at, { length }) => aligned(at + length), header);
  const bytes = new Uint8Array(total);
  const words = new Uint32Array(bytes.buffer);
  words.set([MAGIC, sections.length]);
  let at = header;
  sections.forEach((section, i) => {
    words.set([at, section.length], HEADER_WORDS + i * 2);
    bytes.set(section, at);
    at = aligned(at + section.length);
  });
  return bytes;
}

/** Undefined if these are not `count` sections. The bytes must lie at a multiple of 8 of their buffer. */
export function splitSections(bytes: Uint8Array<ArrayBuffer>, count: number): Uint8Array<ArrayBuffer>[] | undefined {
  if (bytes.length < (HEADER_WORDS + count * 2) * 4) return undefined;
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER_WORDS + count * 2);
  if (words[0] !== MAGIC || words[1] !== count) return undefined;
  const sections: Uint8Array<ArrayBuffer>[] = [];
  for (let i = 0; i < count; i++) {
    const [at, length] = [words[HEADER_WORDS + i * 2] as number, words[HEADER_WORDS + i * 2 + 1] as number];
    if (at % ALIGNMENT !== 0 || at + length > bytes.length) return undefined;
    sections.push(bytes.subarray(at, at + length));
  }
  return sections;
}

export function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

export function float64s({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): Float64Array {
  return new Float64Array(buffer, byteOffset, length >>> 3);
}

export function uint32s({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length >>> 2);
}

export function aligned(at: number, to = ALIGNMENT): number {
  return (at + to - 1) & ~(to - 1);
}

/** Pieces of bytes one after the other, each at a multiple of 4. */
export class Heap {
  private buffer = new Uint8Array(1 << 16);
  private used = 0;

  /** Where it is. */
  add(bytes: Uint8Array): number {
    const at = this.used;
    const end = aligned(at + bytes.length, 4);
    if (end > this.buffer.length) {
      const larger = new Uint8Array(Math.max(end, this.buffer.length * 2));
      larger.set(this.buffer);
      this.buffer = larger;
    }
    this.buffer.set(bytes, at);
    this.used = end;
    return at;
  }

  get bytes(): Uint8Array {
    return this.buffer.subarray(0, this.used);
  }
}

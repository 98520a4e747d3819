/**
 * Translations as bytes, and back. There may be a hundred thousand of them and a run needs few, so nothing is unpacked
 * before it is asked for: addresses lie in order, to be searched, and the rest of each is in one piece:
 *
 *   u32 bytes of bytecode, u16 constants, u16 instructions of the map, the guest's code, bytecode, u16 per constant
 *   (where the bytecode names it), u16 pairs of the map (offset in the bytecode, address from the start)
 */
import type { BytecodeMap, ConstantUse } from '../../jit/bytecodeEncoder.js';
import { ConstantPool } from '../../jit/bytecodeEncoder.js';
import { aligned, bytesOf, float64s, Heap, uint32s } from './sections.js';
import { type Fetch, isPrefix, type StoredTranslation, type StoredTranslations } from './translationLibrary.js';

const MOST_U16 = 0xffff;
const PIECE_HEADER = 8;
/** Words per translation: bytes of code, instructions, where its piece is. */
const COLUMNS = 3;

/** Sections: addresses, columns, pieces, constants, kinds of constants. */
export const TRANSLATION_SECTIONS = 5;

export function encodeTranslations(all: Iterable<StoredTranslation>, pool: ConstantPool): Uint8Array[] {
  const sorted = [...all].sort((a, b) => a.start - b.start);
  const addresses = new Float64Array(sorted.length);
  const columns = new Uint32Array(sorted.length * COLUMNS);
  const heap = new Heap();
  let count = 0;
  for (const translation of sorted) {
    const piece = encodePiece(translation, pool);
    if (piece === undefined) continue;
    addresses[count] = translation.start;
    columns.set([translation.next - translation.start, translation.instructions, heap.add(piece)], count * COLUMNS);
    count++;
  }
  const { bytes, kinds } = pool.export();
  return [bytesOf(addresses.subarray(0, count)), bytesOf(columns.subarray(0, count * COLUMNS)), heap.bytes, bytes, kinds];
}

/** Undefined if it does not fit. */
function encodePiece({ start, source, bytecode, constants, map, pool: own }: StoredTranslation, pool: ConstantPool): Uint8Array | undefined {
  const instructions = map.offsets.length;
  if (bytecode.length > MOST_U16 || source.length > MOST_U16) return undefined;
  const code = aligned(PIECE_HEADER + source.length, 4);
  const bytes = new Uint8Array(code + bytecode.length + constants.length * 2 + instructions * 4);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytecode.length, true);
  view.setUint16(4, constants.length, true);
  view.setUint16(6, instructions, true);
  bytes.set(source, PIECE_HEADER);
  bytes.set(bytecode, code);
  let at = code + bytecode.length;
  for (const use of constants) {
    if (own !== pool) {
      const slot = pool.slotOf(use.value);
      if (slot < 0) return undefined;
      view.setUint16(code + use.at, slot, true);
    }
    view.setUint16(at, use.at, true);
    at += 2;
  }
  for (let i = 0; i < instructions; i++) {
    const delta = (map.addresses[i] as number) - start;
    if (delta < 0 || delta > MOST_U16) return undefined;
    view.setUint16(at, map.offsets[i] as number, true);
    view.setUint16(at + 2, delta, true);
    at += 4;
  }
  return bytes;
}

/** Throws a RangeError, sooner or later, if the sections make no sense. */
export function openTranslations(sections: readonly Uint8Array<ArrayBuffer>[]): StoredTranslations {
  const [addresses, columns, pieces, constants, kinds] = sections as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array, Uint8Array];
  return new Opened(float64s(addresses), uint32s(columns), pieces, ConstantPool.import(constants, kinds));
}

class Opened implements StoredTranslations {
  constructor(
    private readonly addresses: Float64Array,
    private readonly columns: Uint32Array,
    private readonly pieces: Uint8Array<ArrayBuffer>,
    readonly pool: ConstantPool,
  ) {}

  get count(): number {
    return this.addresses.length;
  }

  find(address: number, fetch: Fetch): StoredTranslation | undefined {
    for (let i = this.firstAt(address); this.addresses[i] === address; i++) {
      const length = this.columns[i * COLUMNS] as number;
      const found = this.piece(i);
      if (isPrefix(found.source, fetch(address, length))) return found;
    }
    return undefined;
  }

  *all(): Iterable<StoredTranslation> {
    for (let i = 0; i < this.addresses.length; i++) yield this.piece(i);
  }

  private firstAt(address: number): number {
    let [low, high] = [0, this.addresses.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.addresses[middle] as number) < address) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private piece(i: number): StoredTranslation {
    const [length, instructions, at] = this.columns.subarray(i * COLUMNS, (i + 1) * COLUMNS) as unknown as [number, number, number];
    return new Piece(this.addresses[i] as number, length, instructions, this.pieces.subarray(at), this.pool);
  }
}

class Piece implements StoredTranslation {
  readonly next: number;
  readonly source: Uint8Array;
  readonly bytecode: Uint8Array;
  readonly map: BytecodeMap;
  private readonly view: DataView;
  private readonly codeEnd: number;

  constructor(
    readonly start: number,
    length: number,
    readonly instructions: number,
    bytes: Uint8Array<ArrayBuffer>,
    readonly pool: ConstantPool,
  ) {
    this.next = start + length;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.source = bytes.subarray(PIECE_HEADER, PIECE_HEADER + length);
    const code = aligned(PIECE_HEADER + length, 4);
    this.codeEnd = code + this.view.getUint32(0, true);
    this.bytecode = bytes.subarray(code, this.codeEnd);
    this.map = new PieceMap(this.view, this.codeEnd + this.constantCount * 2, this.view.getUint16(6, true), start);
  }

  get constants(): readonly ConstantUse[] {
    const code = new DataView(this.bytecode.buffer, this.bytecode.byteOffset, this.bytecode.byteLength);
    return Array.from({ length: this.constantCount }, (_, i) => {
      const at = this.view.getUint16(this.codeEnd + i * 2, true);
      return { at, value: this.pool.valueAt(code.getUint16(at, true)) };
    });
  }

  private get constantCount(): number {
    return this.view.getUint16(4, true);
  }
}

/** Only needed where an instruction faults. */
class PieceMap implements BytecodeMap {
  constructor(
    private readonly view: DataView,
    private readonly at: number,
    private readonly count: number,
    private readonly start: number,
  ) {}

  get offsets(): number[] {
    return Array.from({ length: this.count }, (_, i) => this.view.getUint16(this.at + i * 4, true));
  }

  get addresses(): number[] {
    return Array.from({ length: this.count }, (_, i) => this.start + this.view.getUint16(this.at + i * 4 + 2, true));
  }
}

/** Bounds-checked little-endian reading. Whatever lies outside the file is an ElfError that says what was missing. */
import { ElfError } from './elfError.js';

export class ElfReader {
  readonly view: DataView;

  constructor(
    readonly path: string,
    readonly bytes: Uint8Array,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get size(): number {
    return this.bytes.length;
  }

  fail(problem: string): never {
    throw new ElfError(this.path, problem);
  }

  /** Throws unless [offset, offset + length) lies in the file. `what` names it: "program headers". */
  need(offset: number, length: number, what: string): void {
    if (!(offset >= 0 && length >= 0 && offset + length <= this.size)) {
      this.fail(`truncated ELF file: ${what} lie outside the file`);
    }
  }

  slice(offset: number, length: number, what: string): Uint8Array {
    this.need(offset, length, what);
    return this.bytes.subarray(offset, offset + length);
  }

  u16(offset: number): number {
    return this.view.getUint16(offset, true);
  }

  u32(offset: number): number {
    return this.view.getUint32(offset, true);
  }

  /** As a double: exact below 2^53, and anything above is out of range for us anyway. */
  u64(offset: number): number {
    return this.view.getUint32(offset + 4, true) * 0x1_0000_0000 + this.view.getUint32(offset, true);
  }

  /** The string up to NUL at `offset` in the table [tableOffset, tableOffset + tableSize); '' if out of bounds. */
  cString(tableOffset: number, tableSize: number, offset: number): string {
    if (offset >= tableSize) return '';
    const end = tableOffset + tableSize;
    const start = tableOffset + offset;
    const nul = this.bytes.indexOf(0, start);
    return decoder.decode(this.bytes.subarray(start, nul < 0 || nul > end ? end : nul));
  }
}

const decoder = new TextDecoder('utf-8');

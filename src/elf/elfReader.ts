/**
 * Bounds-checked little-endian reading. Whatever lies outside the file is an ElfError that says
 * what was missing. Running a program needs only the start of its file, so the rest (symbols,
 * debug information) is read when a caller asks for a byte of it.
 */
import { ElfError } from './elfError.js';

/** A file of which the start is at hand, and the rest can be had. */
export interface ElfSource {
  readonly size: number;
  /** The first bytes: at least the program headers, or all there is. */
  readonly head: Uint8Array;
  /** All `size` bytes. */
  all(): Uint8Array;
}

const decoder = new TextDecoder('utf-8');

export class ElfReader {
  private readonly source: ElfSource;
  private view: DataView;
  private bytes: Uint8Array;

  constructor(
    readonly path: string,
    given: Uint8Array | ElfSource,
  ) {
    this.source = given instanceof Uint8Array ? { size: given.length, head: given, all: () => given } : given;
    this.bytes = this.source.head;
    this.view = viewOf(this.bytes);
  }

  get size(): number {
    return this.source.size;
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
    this.reach(offset + length);
    return this.bytes.subarray(offset, offset + length);
  }

  u8(offset: number): number {
    this.reach(offset + 1);
    return this.bytes[offset] ?? 0;
  }

  u16(offset: number): number {
    this.reach(offset + 2);
    return this.view.getUint16(offset, true);
  }

  u32(offset: number): number {
    this.reach(offset + 4);
    return this.view.getUint32(offset, true);
  }

  /** As a double: exact below 2^53, and anything above is out of range for us anyway. */
  u64(offset: number): number {
    this.reach(offset + 8);
    return this.view.getUint32(offset + 4, true) * 0x1_0000_0000 + this.view.getUint32(offset, true);
  }

  /** The string up to NUL at `offset` in the table [tableOffset, tableOffset + tableSize); '' if out of bounds. */
  cString(tableOffset: number, tableSize: number, offset: number): string {
    if (offset >= tableSize) return '';
    const end = tableOffset + tableSize;
    this.reach(end);
    const start = tableOffset + offset;
    const nul = this.bytes.indexOf(0, start);
    return decoder.decode(this.bytes.subarray(start, nul < 0 || nul > end ? end : nul));
  }

  /** Gets the whole file if its start is not enough. */
  private reach(end: number): void {
    if (end <= this.bytes.length || this.bytes.length === this.size) return;
    this.bytes = this.source.all();
    this.view = viewOf(this.bytes);
    // The file shrank since it was opened.
    if (this.bytes.length < this.size) this.fail('truncated ELF file: it became shorter while in use');
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A copy of some of the program's memory, kept up to date by what is stored to it. What was never stored is zero. */
import type { FieldValue } from '../model.js';
import type { MemoryField } from './flatten.js';

const PAGE = 4096;
const WORD = 8;

export class MemoryMirror {
  private readonly pages = new Map<number, DataView>();
  private lastNumber = -1;
  private last: DataView | undefined;

  write(address: number, bytes: number, content: DataView, at: number): void {
    for (let i = 0; i < bytes; ) {
      const page = this.page(Math.floor((address + i) / PAGE));
      const offset = (address + i) % PAGE;
      const end = Math.min(bytes, i + PAGE - offset);
      if (end - i === WORD) page.setBigUint64(offset, content.getBigUint64(at + i), false);
      else for (let k = i; k < end; k++) page.setUint8(offset + k - i, content.getUint8(at + k));
      i = end;
    }
  }

  clear(address: number, bytes: number): void {
    for (const [number, page] of this.pages) {
      const [start, end] = [Math.max(address, number * PAGE), Math.min(address + bytes, (number + 1) * PAGE)];
      for (let at = start; at < end; at++) page.setUint8(at % PAGE, 0);
    }
  }

  read(address: number, field: MemoryField): FieldValue {
    const start = address + field.offset;
    const offset = start % PAGE;
    if (field.bits === undefined && field.kind !== 'text' && offset + field.bytes <= PAGE) return scalar(this.page(Math.floor(start / PAGE)), offset, field);
    const bytes = new Uint8Array(field.bytes);
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.page(Math.floor((start + i) / PAGE)).getUint8((start + i) % PAGE);
    return field.kind === 'text' ? text(bytes) : field.bits === undefined ? scalar(new DataView(bytes.buffer), 0, field) : bitsOf(bytes, field);
  }

  private page(number: number): DataView {
    if (number === this.lastNumber && this.last !== undefined) return this.last;
    let page = this.pages.get(number);
    if (page === undefined) this.pages.set(number, (page = new DataView(new ArrayBuffer(PAGE))));
    this.lastNumber = number;
    this.last = page;
    return page;
  }
}

function scalar(view: DataView, at: number, { bytes, kind }: MemoryField): FieldValue {
  if (kind === 'float') return bytes === 4 ? view.getFloat32(at, true) : bytes === 8 ? view.getFloat64(at, true) : extended(view, at);
  const isSigned = kind === 'signed';
  switch (bytes) {
    case 1: return isSigned ? view.getInt8(at) : view.getUint8(at);
    case 2: return isSigned ? view.getInt16(at, true) : view.getUint16(at, true);
    case 4: return isSigned ? view.getInt32(at, true) : view.getUint32(at, true);
    case 8: {
      const high = isSigned ? view.getInt32(at + 4, true) : view.getUint32(at + 4, true);
      const number = high * 2 ** 32 + view.getUint32(at, true);
      return Number.isSafeInteger(number) ? number : isSigned ? view.getBigInt64(at, true) : view.getBigUint64(at, true);
    }
    default: {
      const big = Array.from({ length: bytes }, (_, i) => BigInt(view.getUint8(at + i)) << BigInt(8 * i)).reduce((sum, part) => sum | part, 0n);
      return plain(isSigned ? BigInt.asIntN(bytes * 8, big) : big);
    }
  }
}

/** 80 bits, to the nearest number. */
function extended(view: DataView, at: number): number {
  const top = view.getUint16(at + 8, true);
  const mantissa = Number(view.getBigUint64(at, true));
  return (top & 0x8000 ? -1 : 1) * mantissa * 2 ** ((top & 0x7fff) - 16383 - 63);
}

/** The integer that the bytes make up to the first that is 0, the first one lowest. */
function text(bytes: Uint8Array): FieldValue {
  const end = bytes.indexOf(0);
  return plain((end < 0 ? bytes : bytes.subarray(0, end)).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n));
}

function bitsOf(bytes: Uint8Array, { bits, kind }: MemoryField): FieldValue {
  if (bits === undefined) return 0;
  const all = bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n) >> BigInt(bits.shift);
  return plain(kind === 'signed' ? BigInt.asIntN(bits.size, all) : BigInt.asUintN(bits.size, all));
}

function plain(big: bigint): FieldValue {
  const number = Number(big);
  return Number.isSafeInteger(number) ? number : big;
}

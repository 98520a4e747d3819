import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteReader, WasmFormatError } from './byteReader.js';
import { ByteWriter, u32Size } from './byteWriter.js';

function roundTrip<T>(write: (out: ByteWriter) => void, read: (r: ByteReader) => T): T {
  const out = new ByteWriter(1);
  write(out);
  const r = new ByteReader(out.view());
  const value = read(r);
  expect(r.done).toBe(true);
  return value;
}

test('u32', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.nat(31), (n, shift) => {
    const value = n >>> shift;
    expect(roundTrip((out) => out.u32(value), (r) => r.u32())).toBe(value);
    const out = new ByteWriter();
    out.u32(value);
    expect(u32Size(value)).toBe(out.length);
  }));
});

test('s32 and s64', () => {
  fc.assert(fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.nat(62), (n, shift) => {
    const value = n >> BigInt(shift);
    const low = Number(BigInt.asIntN(32, value));
    const high = Number(BigInt.asIntN(32, value >> 32n));
    expect(roundTrip((out) => out.s64(low, high), (r) => r.s64())).toBe(value);
    expect(roundTrip((out) => out.s32(low), (r) => r.s32())).toBe(low);
  }));
});

test('names and bytes', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => {
    expect(roundTrip((out) => out.name(text), (r) => r.name())).toBe(text);
  }));
});

test.each<[string, number[], (r: ByteReader) => unknown]>([
  ['past the end', [0x80], (r) => r.u32()],
  ['33 bits', [0xff, 0xff, 0xff, 0xff, 0x1f], (r) => r.u32()],
  ['six bytes', [0x80, 0x80, 0x80, 0x80, 0x80, 0x00], (r) => r.u32()],
  ['signed 33 bits', [0x80, 0x80, 0x80, 0x80, 0x08], (r) => r.s32()],
  ['signed 65 bits', [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], (r) => r.s64()],
  ['no UTF-8', [1, 0xff], (r) => r.name()],
  ['too few bytes', [1, 2], (r) => r.bytes(3)],
  ['too few bytes of a float', [1, 2], (r) => r.bits32()],
])('refused: %s', (_, bytes, read) => {
  expect(() => read(new ByteReader(Uint8Array.from(bytes)))).toThrow(WasmFormatError);
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { differenceFrom, readInput, writeInput } from './inputs.js';
import { LogReader } from './logReader.js';
import { LogWriter } from './logWriter.js';

function written(bytes: Uint8Array): ReturnType<typeof readInput> {
  const writer = new LogWriter();
  writeInput(writer, 3, 0x7fff_1234_5678, bytes);
  const reader = new LogReader(writer.take());
  const input = readInput(reader);
  expect(reader.isAtEnd).toBe(true);
  return input;
}

/** Bytes at any place of a larger buffer, as those in linear memory are. */
const placed = fc.record({ bytes: fc.uint8Array({ minLength: 1, maxLength: 600 }), at: fc.nat(7) }).map(({ bytes, at }) => {
  const memory = new Uint8Array(1024);
  memory.set(bytes, at);
  return memory.subarray(at, at + bytes.length);
});

it('what was read is the same, or is not', () => {
  fc.assert(
    fc.property(placed, fc.nat(), fc.integer({ min: 1, max: 255 }), (bytes, place, change) => {
      const input = written(bytes);
      expect(input).toMatchObject({ space: 3, address: 0x7fff_1234_5678, length: bytes.length });
      expect(differenceFrom(input, bytes)).toBeUndefined();
      bytes[place % bytes.length]! ^= change;
      expect(differenceFrom(input, bytes)).toMatch(/^recorded .*, found /);
    }),
  );
});

it('differences are readable', () => {
  const text = (value: string): Uint8Array => new TextEncoder().encode(value);
  expect(differenceFrom(written(text('/etc/passwd\0')), text('/etc/shadow\0'))).toBe('recorded "/etc/passwd\\u0000", found "/etc/shadow\\u0000"');
  expect(differenceFrom(written(Uint8Array.of(1, 255)), Uint8Array.of(1, 254))).toBe('recorded bytes 01 ff, found bytes 01 fe');
  expect(differenceFrom(written(text('gone')), undefined)).toBe('recorded "gone", found nothing mapped');
  expect(differenceFrom(written(new Uint8Array(500)), new Uint8Array(500).fill(1))).toMatch(/^recorded bytes with hash [0-9a-f]+, found bytes with hash [0-9a-f]+$/);
});

import { crc32 as zlibCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32 } from './crc32.js';

const bytes = fc.uint8Array({ maxLength: 100 });

test('the check value of the standard', () => {
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
});

test('what zlib says, in one part or two', () => {
  fc.assert(
    fc.property(bytes, bytes, (one, two) => {
      expect(crc32(one)).toBe(zlibCrc32(one));
      expect(crc32(two, crc32(one))).toBe(zlibCrc32(Buffer.concat([one, two])));
    }),
  );
});

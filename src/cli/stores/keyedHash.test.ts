/** Against the vectors of the paper's authors: a key of 0, 1, 2, …, and a message that begins in the same way. */
import { expect, it } from 'vitest';
import { keyedHash } from './keyedHash.js';

const KEY = Uint8Array.from({ length: 16 }, (_, i) => i);
const message = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => i);

it.each<[number, bigint]>([
  [0, 0x726f_db47_dd0e_0e31n], [1, 0x74f8_39c5_93dc_67fdn], [7, 0xab02_00f5_8b01_d137n], [8, 0x93f5_f579_9a93_2462n], [15, 0xa129_ca61_49be_45e5n],
])('of %i bytes', (length, hash) => {
  expect(keyedHash(KEY, [message(length)])).toBe(hash);
});

it('is the same in parts, depends on the key, and on every bit of large contents', () => {
  expect(keyedHash(KEY, [message(8), message(15).subarray(8)])).toBe(keyedHash(KEY, [message(15)]));
  const large = new Uint8Array(1_000_003).fill(5);
  const hash = keyedHash(KEY, [large]);
  for (const at of [0, 7, 262_143, 262_144, 999_999, 1_000_002]) {
    large[at]! ^= 1;
    expect(keyedHash(KEY, [large])).not.toBe(hash);
    large[at]! ^= 1;
  }
  expect(keyedHash(KEY, [large])).toBe(hash);
  expect(keyedHash(message(17).subarray(1), [large])).not.toBe(hash);
});

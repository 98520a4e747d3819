import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unpackZstd } from './unpackZstd.js';
import { ZstdError } from './zstdError.js';

function pack(bytes: Uint8Array, ...options: string[]): Uint8Array {
  return execFileSync('zstd', ['-q', '-c', ...options], { input: bytes, maxBuffer: 1 << 28 });
}

/** Words of a small language, some of them far apart: literals, matches and repeated offsets of all sizes. */
function text(length: number, seed: number): Uint8Array {
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const words = Array.from({ length: 300 }, () => Array.from({ length: 1 + next(12) }, () => String.fromCharCode(97 + next(next(26) + 1))).join(''));
  let result = '';
  while (result.length < length) result += next(50) === 0 ? '\0'.repeat(next(900)) : `${words[next(next(300) + 1)]}${String.fromCharCode(next(256))}`;
  return Buffer.from(result, 'latin1').subarray(0, length);
}

const LEVELS = ['-1', '-3', '-9', '-19', '--fast=5', '--no-check'];
const CONTENTS: [string, Uint8Array][] = [
  ['nothing', new Uint8Array(0)],
  ['one byte', Uint8Array.of(7)],
  ['zeros', new Uint8Array(500_000)],
  ['noise', Uint8Array.from({ length: 300_000 }, (_, i) => (Math.imul(i, 0x9e3779b1) >>> 13) & 0xff)],
  ['short text', text(300, 1)],
  ['long text', text(700_000, 2)],
  ['a program', execFileSync('cat', ['/bin/ls'], { maxBuffer: 1 << 28 })],
];

describe('zstd', () => {
  it.each(CONTENTS)('unpacks %s as it was', (_, bytes) => {
    for (const level of LEVELS) expect(Buffer.compare(unpackZstd(pack(bytes, level), bytes.length), bytes), level).toBe(0);
  });

  it('unpacks frames one after the other, and passes over those for others', () => {
    const [a, b] = [text(1000, 3), text(2000, 4)];
    const skipped = Uint8Array.of(0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3);
    const packed = Buffer.concat([pack(a), skipped, pack(b)]);
    expect(Buffer.compare(unpackZstd(packed, 3000), Buffer.concat([a, b]))).toBe(0);
    expect(() => unpackZstd(packed, 2999)).toThrow('more bytes than promised');
  });

  it('never does worse than throwing its error, whatever the bytes are', () => {
    const packed = CONTENTS.slice(3).map(([, bytes]) => pack(bytes.subarray(0, 20_000), '-9', '--no-check'));
    const damage = fc.record({ which: fc.nat(packed.length - 1), at: fc.double({ min: 0, max: 1, noNaN: true }), byte: fc.nat(255), cut: fc.boolean() });
    fc.assert(
      fc.property(damage, ({ which, at, byte, cut }) => {
        const bytes = Uint8Array.from(packed[which] as Uint8Array);
        const place = Math.floor(at * (bytes.length - 1));
        bytes[place] = byte;
        try {
          unpackZstd(cut ? bytes.subarray(0, place) : bytes, 20_000);
        } catch (error) {
          expect(error).toBeInstanceOf(ZstdError);
        }
      }),
      { numRuns: 1500, seed: 3 },
    );
  });
});

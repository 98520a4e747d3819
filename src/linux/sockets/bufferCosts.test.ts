import { expect, it } from 'vitest';
import { datagramCost, streamChunk, streamCost } from './bufferCosts.js';

// What SIOCOUTQ says on Linux 6.18 after one message of that length.
it('messages cost what Linux counts', () => {
  expect([1, 192, 193, 704, 705, 3776, 3777, 5000, 8192, 32_768].map(streamCost)).toEqual([
    768, 768, 1280, 1280, 2304, 4352, 4864, 6400, 8960, 33_536,
  ]);
  expect([0, 1, 704, 705, 3777, 8192, 16_384, 65_536].map(datagramCost)).toEqual([768, 768, 1280, 2304, 8448, 16_640, 20_736, 69_888]);
});

it('a stream is cut into pieces', () => {
  expect(streamChunk(100, 212_992)).toBe(100);
  expect(streamChunk(1_000_000, 212_992)).toBe(36_544);
  expect(streamChunk(1_000_000, 4608)).toBe(2240);
});

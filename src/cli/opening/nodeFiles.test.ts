import { deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { NODE_FILES } from './nodeFiles.js';

it('unpacks debug information as long as it is no longer than it says', () => {
  const packed = deflateSync(Buffer.alloc(10_000, 1));
  expect(NODE_FILES.inflate?.(packed, 10_000)).toHaveLength(10_000);
  expect(() => NODE_FILES.inflate?.(packed, 9_999)).toThrow();
});

import { expect, test } from 'vitest';
import { time } from '../../base/types.js';
import { CHUNK, FORMAT_VERSION } from './chunks.js';
import { MemorySink } from './testing/memorySink.js';
import { RecordingWriter } from './recordingWriter.js';

/** Recordings that people have must stay readable: a change of this raises FORMAT_VERSION. */
test('the bytes of format 1', () => {
  const sink = new MemorySink({ recordingId: 0x123456789abc });
  const writer = new RecordingWriter(sink);
  writer.appendJson(CHUNK.HEADER, {});
  writer.append(CHUNK.EVENTS, { firstTime: time(1), lastTime: time(2 ** 32 + 2), count: 3 }, Uint8Array.of(0xaa));
  writer.append(CHUNK.BLOB, { blobId: 4, offset: 2 ** 40 }, Uint8Array.of(0xbb));
  writer.append(CHUNK.CHECKPOINT, { time: time(5), part: 1, parts: 2 }, Uint8Array.of(0xcc));
  writer.appendJson(CHUNK.END, {});
  expect(FORMAT_VERSION).toBe(1);
  expect(Buffer.from(sink.bytes()).toString('hex').match(/.{1,64}/g)).toMatchInlineSnapshot(`
    [
      "8943554c500d0a1a01000000bc9a7856341200003bb7f9c3f543554c01000000",
      "0200000002000000000000000000000000000000000000000000000000000000",
      "00000000bc9a7856341200000000000043bfa6a366753cba7b7df543554c0200",
      "0000010000000100000001000000000000000200000001000000030000000000",
      "000001000000bc9a785634120000000000007ba501e45bd60f00aaf543554c03",
      "0000000100000001000000000000000001000000000000000000000400000000",
      "00000002000000bc9a785634120000000000008985b18e2d5c518fbbf543554c",
      "0400000001000000010000000500000000000000050000000000000001000000",
      "0200000003000000bc9a785634120000000000001661d040b6bb574eccf54355",
      "4c05000000020000000200000000000000000000000000000000000000000000",
      "000000000004000000bc9a7856341200000000000043bfa6a363d185827b7d",
    ]
  `);
});

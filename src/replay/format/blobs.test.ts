import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UserError } from '../../base/errors.js';
import { BLOB_PART, BlobStore } from './blobs.js';
import { CHUNK } from './chunks.js';
import { MemorySink } from './testing/memorySink.js';
import { DamagedChunk, type RecordingReader } from './recordingReader.js';
import { RecordingWriter } from './recordingWriter.js';
import { deflate, openBytes } from './testing/sampleRecordings.js';

function recorded(write: (writer: RecordingWriter) => void): Uint8Array {
  const sink = new MemorySink({ deflate });
  const writer = new RecordingWriter(sink);
  writer.appendJson(CHUNK.HEADER, {});
  write(writer);
  return sink.bytes();
}

/** Stores bytes as a blob; an empty one, too. */
function storeBlob(writer: RecordingWriter, blobId: number, bytes: Uint8Array): void {
  for (let offset = 0; offset === 0 || offset < bytes.length; offset += BLOB_PART) {
    writer.append(CHUNK.BLOB, { blobId, offset }, bytes.slice(offset, offset + BLOB_PART));
  }
}

/** The reader, and how often it was asked for a chunk. */
function counted(bytes: Uint8Array): { readonly reader: RecordingReader; readonly reads: () => number } {
  const reader = openBytes(bytes);
  const read = reader.read.bind(reader);
  let reads = 0;
  reader.read = (chunk) => {
    reads++;
    return read(chunk);
  };
  return { reader, reads: () => reads };
}

function pattern(size: number, seed: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) => (i >> 4) * seed + i);
}

test('any part of any file, whatever the order and size of its parts', () => {
  const file = fc.record({ size: fc.nat(3000), part: fc.integer({ min: 1, max: 700 }) });
  const request = fc.record({ which: fc.nat(), offset: fc.nat(3500), length: fc.nat(1500) });
  fc.assert(
    fc.property(fc.array(file, { minLength: 1, maxLength: 4 }), fc.array(request, { maxLength: 20 }), fc.nat(2000), (files, requests, cacheSize) => {
      const contents = files.map(({ size }, id) => pattern(size, id + 3));
      const bytes = recorded((writer) => {
        files.forEach(({ size, part }, blobId) => {
          for (let offset = Math.floor(size / part) * part; offset >= 0; offset -= part) {
            writer.append(CHUNK.BLOB, { blobId, offset }, contents[blobId]!.slice(offset, offset + part));
          }
        });
      });
      const store = new BlobStore(openBytes(bytes), cacheSize);
      for (const { which, offset, length } of requests) {
        const id = which % files.length;
        const target = new Uint8Array(length).fill(0xee);
        const count = store.blob(id)!.read(offset, target);
        const expected = contents[id]!.subarray(offset, offset + length);
        expect([store.blob(id)!.size, count]).toEqual([contents[id]!.length, expected.length]);
        expect(Buffer.compare(target.subarray(0, count), expected)).toBe(0);
        expect(target.subarray(count).every((byte) => byte === 0xee)).toBe(true);
      }
    }),
    { numRuns: 40 },
  );
});

test('what was read lately is not read again, and no more than that is kept', () => {
  const content = pattern(5 * BLOB_PART, 7);
  const { reader, reads } = counted(recorded((writer) => storeBlob(writer, 9, content)));
  const store = new BlobStore(reader, 2 * BLOB_PART);
  const page = (part: number): number => store.blob(9)!.read(part * BLOB_PART + 4096, new Uint8Array(4096));
  for (const part of [0, 0, 1, 0, 1]) page(part);
  expect(reads()).toBe(2);
  page(2);
  page(1);
  expect(reads()).toBe(3);
  page(0);
  expect(reads()).toBe(4);
});

test('a small and an empty file', () => {
  const store = new BlobStore(openBytes(recorded((writer) => {
    storeBlob(writer, 1, new Uint8Array(0));
    storeBlob(writer, 2, Uint8Array.of(1, 2, 3));
  })));
  expect(store.ids).toEqual([1, 2]);
  expect(store.blob(1)!.size).toBe(0);
  expect(store.blob(1)!.read(0, new Uint8Array(10))).toBe(0);
  expect(store.blob(2)!.size).toBe(3);
  expect(store.blob(2)!.read(3, new Uint8Array(1))).toBe(0);
  expect(store.blob(3)).toBeUndefined();
});

test('a part that is missing or damaged: the others can be read', () => {
  const bytes = recorded((writer) => storeBlob(writer, 1, pattern(3 * BLOB_PART, 5)));
  const { offset } = openBytes(bytes).chunks[2]!.where;
  const target = new Uint8Array(10);
  for (const [at, error] of [[offset + 20, UserError], [offset + 100, DamagedChunk]] as const) {
    const damaged = bytes.slice();
    damaged[at]! ^= 0x10;
    const blob = new BlobStore(openBytes(damaged)).blob(1)!;
    expect(blob.size).toBe(3 * BLOB_PART);
    expect(blob.read(BLOB_PART - 10, target)).toBe(10);
    expect(blob.read(2 * BLOB_PART, target)).toBe(10);
    expect(() => blob.read(BLOB_PART - 5, target)).toThrow(error);
  }
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UserError } from '../../base/errors.js';
import { time } from '../../base/types.js';
import { MemorySource } from './testing/memorySource.js';
import { CHUNK, FORMAT_VERSION, MAX_PAYLOAD } from './chunks.js';
import { crc32 } from './crc32.js';
import { encodeChunkHeader } from './encoding.js';
import { MemorySink } from './testing/memorySink.js';
import { DamagedChunk, RecordingReader } from './recordingReader.js';
import { RecordingWriter } from './recordingWriter.js';
import { bytesOf, contentOf, inflate, openBytes, samples, SMALL, text, writeSample } from './testing/sampleRecordings.js';

test('what is read is what was written', () => {
  fc.assert(
    fc.property(samples, (sample) => {
      const reader = openBytes(bytesOf(sample));
      expect(reader.header).toEqual(sample.header);
      expect(reader.end).toEqual(sample.end);
      expect(reader.damage).toBeUndefined();
      expect(contentOf(reader)).toEqual(sample.chunks);
    }),
    { numRuns: 60 },
  );
});

test('one that was cut off between two chunks is sound, and has no end', () => {
  const reader = openBytes(bytesOf({ ...SMALL, end: undefined }));
  expect(reader.end).toBeUndefined();
  expect(reader.damage).toBeUndefined();
  expect(reader.usableEvents.map(({ index, firstTime, lastTime }) => [index, firstTime, lastTime])).toEqual([[0, 0, 10], [1, 10, 20], [2, 20, 30]]);
});

test('opening reads headers only', () => {
  const sink = new MemorySink();
  const writer = new RecordingWriter(sink);
  writer.appendJson(CHUNK.HEADER, {});
  for (let i = 0; i < 20; i++) writer.append(CHUNK.BLOB, { blobId: 1, offset: i << 20 }, new Uint8Array(1 << 20));
  const source = new MemorySource(sink.bytes());
  let read = 0;
  const counting = {
    size: source.size,
    name: source.name,
    read(offset: number, length: number): Uint8Array {
      const bytes = source.read(offset, length);
      read += bytes.length;
      return bytes;
    },
  };
  expect(RecordingReader.open(counting, inflate).chunks).toHaveLength(21);
  expect(read).toBeLessThan(source.size / 20);
});

test('chunks of kinds that we do not know are skipped', () => {
  const sink = new MemorySink();
  const writer = new RecordingWriter(sink);
  writer.appendJson(CHUNK.HEADER, { program: 'x' });
  sink.write({ kind: 77, number: 1, first: 1, last: 2, a: 3, b: 4, payload: text('from the future') });
  sink.write({ kind: CHUNK.BLOB, number: 2, first: 2 ** 40, last: 0, a: 3, b: 0, payload: text('bytes') });
  const reader = openBytes(sink.bytes());
  expect(reader.damage).toBeUndefined();
  expect(reader.chunks).toMatchObject([{ kind: CHUNK.HEADER }, { kind: CHUNK.BLOB, blobId: 3, offset: 2 ** 40 }]);
});

test('a payload stored in a way that we do not know', () => {
  const stored = text('packed');
  const header = encodeChunkHeader({
    kind: CHUNK.BLOB, number: 1, recordingId: 1, flags: 2, length: stored.length, storedLength: stored.length,
    first: 0, last: 0, a: 0, b: 0, checksum: crc32(stored),
  });
  const reader = openBytes(join(bytesOf({ header: {}, chunks: [], end: undefined }), header, stored));
  expect(() => reader.read(reader.chunks[1]!)).toThrow('a.culprit: chunk 1 (at byte 90) is stored in a way that this version of culprit does not know');
});

function join(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function openingFails(bytes: Uint8Array, message: string): void {
  let thrown: unknown;
  try {
    openBytes(bytes);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(UserError);
  expect((thrown as UserError).message).toBe(message);
}

test('not a recording, in one line each', () => {
  openingFails(new Uint8Array(0), 'a.culprit: an empty file, not a recording');
  openingFails(text('#!/bin/sh\necho a script\n'.repeat(9)), 'a.culprit: not a recording of culprit');
  openingFails(text('x'), 'a.culprit: not a recording of culprit');
  openingFails(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), 'a.culprit: not a recording of culprit');
  openingFails(bytesOf(SMALL).subarray(0, 3), 'a.culprit: its header is damaged, without which it cannot be used');
  openingFails(bytesOf(SMALL).subarray(0, 24), 'a.culprit: its header is damaged, without which it cannot be used');
});

test('a newer version', () => {
  const bytes = bytesOf(SMALL);
  const view = new DataView(bytes.buffer);
  view.setUint32(8, FORMAT_VERSION + 6, true);
  view.setUint32(20, crc32(bytes.subarray(0, 20)), true);
  const reads = `(format ${FORMAT_VERSION + 6}; this one reads up to ${FORMAT_VERSION})`;
  openingFails(bytes, `a.culprit was made by a newer version of culprit ${reads}`);
});

test('a header that is no JSON object', () => {
  for (const content of ['', '[]', 'null', '{"a":', '7', '\u00ff']) {
    const sink = new MemorySink();
    new RecordingWriter(sink).append(CHUNK.HEADER, {}, Uint8Array.from(content, (c) => c.charCodeAt(0)));
    openingFails(sink.bytes(), 'a.culprit: its header is damaged, without which it cannot be used');
  }
});

test('a recording inside of a payload of a damaged one is not taken for its chunks', () => {
  const inner = bytesOf(SMALL, 2);
  const sink = new MemorySink({ recordingId: 1 });
  const writer = new RecordingWriter(sink);
  writer.appendJson(CHUNK.HEADER, {});
  writer.append(CHUNK.BLOB, { blobId: 1, offset: 0 }, inner);
  // This recording as it was a moment ago: a program may look at what it is recorded to.
  writer.append(CHUNK.BLOB, { blobId: 2, offset: 0 }, sink.bytes());
  writer.append(CHUNK.EVENTS, { firstTime: time(0), lastTime: time(1), count: 1 }, text('last'));
  const bytes = sink.bytes();
  const places = openBytes(bytes).chunks.map(({ where }) => where.offset);
  for (const victim of [1, 2]) {
    const damaged = bytes.slice();
    damaged[places[victim]! + 9]! ^= 1;
    const reader = openBytes(damaged);
    expect(reader.chunks.map(({ where }) => where.offset)).toEqual(places.filter((_, i) => i !== victim));
    expect(reader.damage).toBe(`a.culprit: damaged at byte ${places[victim]}; chunk ${victim} is lost`);
  }
});

test('lengths that promise too much', () => {
  const start = bytesOf({ header: {}, chunks: [], end: undefined });
  const stored = text('abc');
  const lie = { kind: CHUNK.BLOB, number: 1, recordingId: 1, first: 0, last: 0, a: 0, b: 0, checksum: crc32(stored) };
  const tooLong = encodeChunkHeader({ ...lie, flags: 1, length: MAX_PAYLOAD + 1, storedLength: 3 });
  expect(openBytes(join(start, tooLong, stored)).damage).toBe('a.culprit: damaged from byte 90 on');
  const bomb = openBytes(join(start, encodeChunkHeader({ ...lie, flags: 1, length: MAX_PAYLOAD, storedLength: 3 }), stored));
  expect(bomb.damage).toBeUndefined();
  expect(() => bomb.read(bomb.chunks[1]!)).toThrow(DamagedChunk);
});

test('events out of order end what can be used', () => {
  const sink = new MemorySink();
  const writer = new RecordingWriter(sink);
  writeSample(writer, SMALL);
  writer.append(CHUNK.EVENTS, { firstTime: time(5), lastTime: time(6), count: 1 }, text('again'));
  const reader = openBytes(sink.bytes());
  expect(reader.chunks.at(-1)).toMatchObject({ kind: CHUNK.EVENTS, index: 3 });
  expect(reader.usableEvents).toHaveLength(3);
});

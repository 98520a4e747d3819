/** Recordings for tests: random ones, and a small one that has everything. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { time } from '../../../base/types.js';
import { MemorySource } from './memorySource.js';
import { CHUNK, type Chunk, type ChunkKind, type FieldsOf } from '../chunks.js';
import { MemorySink } from './memorySink.js';
import { type Inflate, RecordingReader } from '../recordingReader.js';
import { type JsonObject, RecordingWriter } from '../recordingWriter.js';

export const deflate = (bytes: Uint8Array): Uint8Array => deflateRawSync(bytes, { level: 1 });
export const inflate: Inflate = (stored, length) => inflateRawSync(stored, { maxOutputLength: Math.max(1, length) });

export interface SampleChunk<K extends ChunkKind = ChunkKind> {
  readonly kind: K;
  readonly fields: FieldsOf[K];
  readonly payload: Uint8Array;
}

interface Sample {
  readonly header: JsonObject;
  readonly chunks: readonly SampleChunk[];
  /** Undefined: cut off. */
  readonly end: JsonObject | undefined;
}

const instant = fc.maxSafeNat().map(time);
const word = fc.integer({ min: 0, max: 0xffffffff });
/** Some that deflate makes smaller, some that it does not. */
const payload = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.nat(700).map((length) => new Uint8Array(length).fill(length)));
const fields = fc.oneof(
  fc.tuple(instant, instant, word).map(([one, two, count]) => ({
    kind: CHUNK.EVENTS,
    fields: { firstTime: time(Math.min(one, two)), lastTime: time(Math.max(one, two)), count },
  })),
  fc.tuple(word, fc.maxSafeNat()).map(([blobId, offset]) => ({ kind: CHUNK.BLOB, fields: { blobId, offset } })),
  fc.tuple(instant, word, word).map(([time, part, parts]) => ({ kind: CHUNK.CHECKPOINT, fields: { time, part, parts } })),
  fc.maxSafeNat().map((firstPage) => ({ kind: CHUNK.PAGES, fields: { firstPage } })),
);
const json = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer())).map((value) => ({ ...value }) as JsonObject);

export const samples: fc.Arbitrary<Sample> = fc.record({
  header: json,
  chunks: fc.array(fc.tuple(fields, payload).map(([{ kind, fields }, payload]): SampleChunk => ({ kind, fields, payload }))),
  end: fc.option(json, { nil: undefined }),
});

/** Every kind, payloads deflated and not, and EVENTS chunks before and after others. */
export const SMALL: Sample = {
  header: { program: '/bin/true', args: ['true'] },
  chunks: [
    events(0, 10, 'first events'),
    { kind: CHUNK.BLOB, fields: { blobId: 1, offset: 0 }, payload: new Uint8Array(300).fill(7) },
    events(10, 20, 'second events'),
    { kind: CHUNK.CHECKPOINT, fields: { time: time(20), part: 0, parts: 1 }, payload: text('checkpoint '.repeat(10)) },
    events(20, 30, 'third events'),
  ],
  end: { status: 0 },
};

function events(first: number, last: number, content: string): SampleChunk<typeof CHUNK.EVENTS> {
  return { kind: CHUNK.EVENTS, fields: { firstTime: time(first), lastTime: time(last), count: 1 }, payload: text(content) };
}

export function text(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

export function writeSample(writer: RecordingWriter, { header, chunks, end }: Sample): void {
  writer.appendJson(CHUNK.HEADER, header);
  for (const { kind, fields, payload } of chunks) writer.append(kind, fields, payload.slice());
  if (end !== undefined) writer.appendJson(CHUNK.END, end);
}

export function bytesOf(sample: Sample, recordingId = 1): Uint8Array {
  const sink = new MemorySink({ deflate, recordingId });
  writeSample(new RecordingWriter(sink), sample);
  return sink.bytes();
}

export function openBytes(bytes: Uint8Array, name = 'a.culprit'): RecordingReader {
  return RecordingReader.open(new MemorySource(bytes, name), inflate);
}

/** What a reader says of a chunk, in the form that was written. */
export function sampleOf(reader: RecordingReader, chunk: Chunk): SampleChunk {
  const { kind, where: _where, ...fields } = chunk;
  if ('index' in fields) delete (fields as { index?: number }).index;
  return { kind, fields, payload: new Uint8Array(reader.read(chunk)) };
}

/** All but header and end. */
export function contentOf(reader: RecordingReader): SampleChunk[] {
  const inner = reader.chunks.filter(({ kind }) => kind !== CHUNK.HEADER && kind !== CHUNK.END);
  return inner.map((chunk) => sampleOf(reader, chunk));
}

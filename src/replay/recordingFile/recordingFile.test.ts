import { describe, expect, it } from 'vitest';
import { MemorySource } from '../format/testing/memorySource.js';
import { CHUNK } from '../format/chunks.js';
import { MemorySink } from '../format/testing/memorySink.js';
import { RecordingReader } from '../format/recordingReader.js';
import { type ChunkSink, RecordingWriter } from '../format/recordingWriter.js';
import { FileTarget } from './fileTarget.js';
import { openRecording, type Recording } from './openRecording.js';
import { EVENTS_VERSION, parseHeader, parseSummary, type RecordingHeader, type RecordingSummary } from './recordingHeader.js';

const HEADER: RecordingHeader = {
  eventsVersion: EVENTS_VERSION, culprit: '1', program: 'p', args: ['a\u00ff'], cwd: '/', environment: [], scheduleSeed: 0, startSeconds: 5, date: '',
  host: { kernel: '6', uid: 0, gid: 0 },
};
const SUMMARY: RecordingSummary = { ending: { how: 'exited', code: 0 }, instructions: 10, seconds: 0.5, events: 3, threads: 1, processes: 1, signals: 0 };

function open(bytes: Uint8Array): Recording {
  return openRecording(RecordingReader.open(new MemorySource(bytes), (stored) => stored), 'file');
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

describe('a target', () => {
  it('puts what came before there was a file behind the header', async () => {
    const target = new FileTarget(() => undefined);
    target.blob(1, 0, bytes('contents'));
    const sink = new MemorySink();
    target.open(sink, HEADER);
    target.events(bytes('...'), 0, 10, 3);
    await target.close(SUMMARY);
    const { header, summary, log, blobs, isComplete, damage } = open(sink.bytes());
    expect({ header, summary, isComplete, damage, end: log.endTime }).toEqual({ header: HEADER, summary: SUMMARY, isComplete: true, damage: undefined, end: 10 });
    const target8 = new Uint8Array(10);
    expect([blobs.read(1, 0, target8), blobs.read(2, 0, target8), blobs.totalBytes]).toEqual([8, 0, 8]);
  });

  it('says once that it cannot store any more', async () => {
    const reasons: string[] = [];
    const full: ChunkSink = { write: () => undefined, flush: async () => undefined, close: async () => undefined, failure: 'No space' };
    const target = new FileTarget((reason) => reasons.push(reason));
    target.events(bytes('x'), 0, 1, 1);
    expect(reasons).toEqual([]);
    target.open(full, HEADER);
    target.events(bytes('x'), 1, 2, 1);
    await target.close(SUMMARY);
    expect(reasons).toEqual(['No space']);
  });
});

describe('a recording', () => {
  it('without some of its events is not complete', () => {
    const sink = new MemorySink();
    const writer = new RecordingWriter(sink);
    writer.appendJson(CHUNK.HEADER, { ...HEADER });
    writer.appendJson(CHUNK.END, { ...SUMMARY });
    expect(open(sink.bytes())).toMatchObject({ isComplete: false, summary: SUMMARY });
  });

  it('that has lost a part of a file says so when it is wanted', () => {
    const sink = new MemorySink();
    const writer = new RecordingWriter(sink);
    writer.appendJson(CHUNK.HEADER, { ...HEADER });
    writer.append(CHUNK.BLOB, { blobId: 1, offset: 0 }, bytes('first'));
    const before = sink.bytes().length;
    writer.append(CHUNK.BLOB, { blobId: 1, offset: 5 }, bytes('second'));
    const after = sink.bytes().length;
    writer.append(CHUNK.BLOB, { blobId: 2, offset: 0 }, bytes('other'));
    const whole = sink.bytes();
    const { blobs } = open(Uint8Array.from([...whole.subarray(0, before), ...whole.subarray(after)]));
    expect(blobs.read(1, 0, new Uint8Array(5))).toBe(5);
    expect(() => blobs.read(1, 0, new Uint8Array(8))).toThrow('contents of a mapped file are lost');
    expect(open(whole).blobs.read(1, 0, new Uint8Array(20))).toBe(11);
  });
});

it('headers and summaries that make no sense', () => {
  expect(() => parseHeader({ ...HEADER, eventsVersion: 99 }, 'x.culprit')).toThrow('x.culprit was made by a newer version of culprit (events 99; this one reads up to');
  for (const wrong of [{ args: 'a' }, { startSeconds: -1 }, { host: null }, { program: 7 }]) expect(() => parseHeader({ ...HEADER, ...wrong }, 'f')).toThrow('f: its header makes no sense');
  for (const wrong of [{ ending: { how: 'exited' } }, { ending: 3 }, { instructions: 1.5 }, { events: undefined }]) expect(parseSummary({ ...SUMMARY, ...wrong })).toBeUndefined();
  expect(parseSummary(undefined)).toBeUndefined();
  expect(parseSummary({ ...SUMMARY, ending: { how: 'deadlock' } })).toMatchObject({ ending: { how: 'deadlock' } });
});

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { time } from '../base/types.js';
import { CHUNK } from '../replay/format/chunks.js';
import type { RecordingReader } from '../replay/format/recordingReader.js';
import { RecordingWriter } from '../replay/format/recordingWriter.js';
import { contentOf, SMALL, text, writeSample } from '../replay/format/testing/sampleRecordings.js';
import { openRecordingFile } from './nodeRecordingFile.js';
import { createNumberedRecordingFile, createRecordingFile, createTemporaryRecordingFile } from './nodeRecordingSink.js';
import { payloadOf } from './testing/recordingPayload.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recording-'));
const file = path.join(folder, 'a.culprit');
const THREAD = path.join(folder, 'thread.mjs');
const CHILD = path.join(folder, 'child.mjs');
const UNLIMITED = 1e9;

beforeAll(() => {
  const built = { bundle: true, platform: 'node', format: 'esm', target: 'node20' } as const;
  buildSync({ ...built, entryPoints: ['src/host/recordingThread.ts'], outfile: THREAD });
  buildSync({ ...built, entryPoints: ['src/host/testing/recordingChild.ts'], outfile: CHILD });
});

afterAll(() => fs.rmSync(folder, { recursive: true }));

function reading<T>(use: (reader: RecordingReader) => T): T {
  const { reader, close } = openRecordingFile(file);
  try {
    return use(reader);
  } finally {
    close();
  }
}

for (const [how, script] of [['a thread', THREAD], ['no thread', '']] as const) {
  const create = (name: string): ReturnType<typeof createRecordingFile> => createRecordingFile(name, script === '' ? undefined : script);

  test(`with ${how}: what is read is what was written`, async () => {
    const sink = create(file);
    writeSample(new RecordingWriter(sink), SMALL);
    await sink.close();
    expect(sink.failure).toBeUndefined();
    reading((reader) => {
      expect(reader.damage).toBeUndefined();
      expect([reader.header, contentOf(reader), reader.end]).toEqual([SMALL.header, SMALL.chunks, SMALL.end]);
    });
  });

  test(`with ${how}: one that is not kept is not compressed, and can be read like others`, async () => {
    const sizes: number[] = [];
    const payload = new Uint8Array(10_000).fill(65);
    for (const make of [createRecordingFile, createTemporaryRecordingFile]) {
      const sink = make(file, script === '' ? undefined : script);
      const chunks = [{ ...SMALL.chunks[0]!, payload }];
      writeSample(new RecordingWriter(sink), { ...SMALL, chunks });
      await sink.close();
      expect(reading(contentOf)).toEqual(chunks);
      sizes.push(fs.statSync(file).size);
    }
    expect(sizes[0]).toBeLessThan(payload.length / 10);
    expect(sizes[1]).toBeGreaterThan(payload.length);
  });

  test(`with ${how}: after a flush it is in the file`, async () => {
    const sink = create(file);
    const writer = new RecordingWriter(sink);
    writeSample(writer, { ...SMALL, end: undefined });
    await Promise.all([sink.flush(), sink.flush()]);
    expect(reading(contentOf)).toEqual(SMALL.chunks);
    const pooled = Buffer.from('part of a larger buffer');
    writer.append(CHUNK.BLOB, { blobId: 1, offset: 0 }, pooled.subarray(5));
    await sink.flush();
    expect(reading(contentOf).at(-1)!.payload).toEqual(new Uint8Array(text('of a larger buffer')));
    await sink.close();
    await sink.close();
  });

  test(`with ${how}: a full disk`, async () => {
    const sink = create('/dev/full');
    const writer = new RecordingWriter(sink);
    writeSample(writer, SMALL);
    await sink.flush();
    expect(sink.failure).toBe('No space left on device');
    writeSample(writer, SMALL);
    await sink.flush();
    await sink.close();
    expect(sink.failure).toBe('No space left on device');
  });
}

test('one that is not kept needs no thread while it is small', async () => {
  const sink = createTemporaryRecordingFile(file, '/no/such/script.mjs');
  writeSample(new RecordingWriter(sink), SMALL);
  expect(fs.statSync(file).size).toBe(0);
  await sink.close();
  expect(sink.failure).toBeUndefined();
  expect(reading(contentOf)).toEqual(SMALL.chunks);
});

test('one that is not kept goes to its file when it becomes large', async () => {
  const sink = createTemporaryRecordingFile(file, THREAD);
  const writer = new RecordingWriter(sink);
  writer.appendJson(CHUNK.HEADER, {});
  const append = (n: number): void => writer.append(CHUNK.EVENTS, { firstTime: time(n), lastTime: time(n), count: 1 }, new Uint8Array(25_000_000).fill(n));
  append(0);
  append(1);
  await sink.flush();
  expect(fs.statSync(file).size).toBeGreaterThan(50_000_000);
  append(2);
  await sink.close();
  expect(sink.failure).toBeUndefined();
  reading((reader) => {
    expect(reader.usableEvents.map((chunk) => [chunk.where.length, reader.read(chunk)[7]])).toEqual([0, 1, 2].map((n) => [25_000_000, n]));
  });
});

test('one that is not kept says what is wrong with its file', async () => {
  const sink = createTemporaryRecordingFile('/dev/full', THREAD);
  writeSample(new RecordingWriter(sink), SMALL);
  expect(sink.failure).toBeUndefined();
  await sink.close();
  expect(sink.failure).toBe('No space left on device');
});

test('a place where no file can be', () => {
  expect(() => createRecordingFile(`${folder}/no/where`)).toThrow(`cannot create the recording ${folder}/no/where: No such file or directory`);
});

test('the first name that is free', async () => {
  const nameOf = (n: number): string => `${folder}/numbered-${n}`;
  fs.writeFileSync(nameOf(1), 'precious');
  for (const expected of [2, 3]) {
    const { path, sink } = createNumberedRecordingFile(nameOf);
    expect(path).toBe(nameOf(expected));
    await sink.close();
  }
  expect(fs.readFileSync(nameOf(1), 'utf8')).toBe('precious');
});

test('no recording, no file, a directory', () => {
  const text = path.join(folder, 'text');
  fs.writeFileSync(text, 'a text');
  expect(() => openRecordingFile(text)).toThrow(`${text}: not a recording of culprit`);
  expect(() => openRecordingFile(`${folder}/none`)).toThrow(`${folder}/none: No such file or directory`);
  expect(() => openRecordingFile(folder)).toThrow(`${folder}: a directory, not a recording`);
  expect(() => openRecordingFile('/dev/null')).toThrow('/dev/null: not an ordinary file');
});

test('a thread that dies harms no other', async () => {
  const broken = path.join(folder, 'broken.mjs');
  fs.writeFileSync(broken, 'throw new Error("broken");');
  const sink = createRecordingFile(file, broken);
  writeSample(new RecordingWriter(sink), SMALL);
  await sink.flush();
  expect(sink.failure).toBe('broken');
  await sink.close();
});

test('more than the queue holds', async () => {
  const sink = createRecordingFile(file, THREAD);
  const writer = new RecordingWriter(sink);
  writer.appendJson(CHUNK.HEADER, {});
  for (let n = 0; n < 6; n++) writer.append(CHUNK.EVENTS, { firstTime: time(n), lastTime: time(n), count: 1 }, new Uint8Array(25_000_000).fill(n));
  await sink.close();
  expect(sink.failure).toBeUndefined();
  reading((reader) => {
    expect(reader.usableEvents.map(({ where }) => where.length)).toEqual(Array<number>(6).fill(25_000_000));
    expect(reader.read(reader.usableEvents[5]!).every((byte) => byte === 5)).toBe(true);
  });
});

/** What a child wrote is what it should have written, from the start and without a gap. */
function checkChildsChunks(reader: RecordingReader): void {
  expect(reader.header).toEqual({ made: 'by a test' });
  expect(reader.usableEvents).toHaveLength(reader.chunks.filter(({ kind }) => kind === CHUNK.EVENTS).length);
  for (const chunk of reader.usableEvents) {
    expect(Buffer.compare(reader.read(chunk), payloadOf(chunk.index))).toBe(0);
    expect(chunk.firstTime).toBe(chunk.index);
  }
}

test('the thread does not keep the process from ending', () => {
  const { stdout } = spawnSync(process.execPath, [CHILD, file, THREAD, '50'], { encoding: 'utf8', timeout: 20_000 });
  expect(stdout).toBe('started\ndone\n');
  reading((reader) => {
    checkChildsChunks(reader);
    expect(reader.end).toEqual({ chunks: 50 });
  });
});

test('killed at any moment: what was written is there', async () => {
  let most = 0;
  for (const milliseconds of [0, 20, 60, 150]) {
    const child = spawn(process.execPath, [CHILD, file, THREAD, String(UNLIMITED)], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    await new Promise((resolve) => {
      setTimeout(resolve, milliseconds);
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    reading((reader) => {
      checkChildsChunks(reader);
      expect(reader.end).toBeUndefined();
      most = Math.max(most, reader.usableEvents.length);
    });
  }
  expect(most).toBeGreaterThan(10);
});

test('no room after a while: what was written is a sound recording', () => {
  const command = `ulimit -f 1000; exec '${process.execPath}' '${CHILD}' '${file}' '${THREAD}' 2000`;
  const { stdout } = spawnSync('bash', ['-c', command], { encoding: 'utf8', timeout: 20_000 });
  expect(stdout).toBe('started\nFile too large\n');
  reading((reader) => {
    checkChildsChunks(reader);
    expect(reader.damage).toBeUndefined();
    expect(reader.usableEvents.length).toBeGreaterThan(10);
  });
  expect(fs.statSync(file).size).toBeLessThan(1000 * 1024);
});

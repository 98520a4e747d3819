/**
 * The file that a recording goes to. Chunks are handed to a thread of their own that compresses and
 * writes them, so that the program is not held up; only if that thread falls far behind do we wait.
 * Whatever goes wrong with the file, the program runs on: `failure` says what it was.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { Worker } from 'node:worker_threads';
import { UserError } from '../base/errors.js';
import type { Continuation } from '../replay/format/recordingReader.js';
import type { ChunkToWrite } from '../replay/format/encoding.js';
import type { ChunkSink } from '../replay/format/recordingWriter.js';
import { DeferredRecordingSink } from './deferredRecordingSink.js';
import { RecordingFileWriter } from './recordingFileWriter.js';
import { createNewRecordingPlace, createRecordingPlace } from './recordingPlace.js';
import { QueueProgress } from './recordingQueue.js';
import type { RecordingMessage, RecordingThreadData } from './recordingThread.js';
import { systemErrorText } from './systemError.js';
import { threadScript } from './threadScript.js';

/** How many bytes may wait to be written: what is lost at worst if we are killed. */
const MOST_QUEUED = 64 * 1024 * 1024;
/** Not even a very slow disk takes as long for one chunk. */
const PATIENCE = 60_000;
/**
 * A recording that is gone soon is worth compressing only where it becomes large: so many bytes in any case, and if the
 * disk has room, this part of it up to so many.
 */
const LARGE = 256 * 1024 * 1024;
const DISK_SHARE = 1 / 8;
const LARGEST = 1024 * 1024 * 1024;
/** Types of file systems that are memory: tmpfs and ramfs. */
const IN_MEMORY: readonly number[] = [0x0102_1994, 0x8584_58f6];

/**
 * Creates a recording's file, in place of an older one; throws a UserError if that is impossible. To be called
 * after the host has been made, which looks at what descriptors the shell left us. `script` is for tests.
 */
export function createRecordingFile(path: string, script = threadScript('host/recordingThread')): ChunkSink {
  return sinkFor(createRecordingPlace(path), script);
}

/** The same for one that will not be kept. */
export function createTemporaryRecordingFile(path: string, script = threadScript('host/recordingThread')): ChunkSink {
  const fd = createRecordingPlace(path);
  return new DeferredRecordingSink((isLarge) => sinkFor(fd, isLarge ? script : undefined, { packedFrom: isLarge ? roomBeside(path) : LARGE }));
}

/** What a file that is gone soon may take without being compressed. */
function roomBeside(path: string): number {
  try {
    const { type, bavail, bsize } = fs.statfsSync(path);
    return IN_MEMORY.includes(type) ? LARGE : Math.max(LARGE, Math.min(LARGEST, bavail * bsize * DISK_SHARE));
  } catch {
    return LARGE;
  }
}

/** The first of the names for 1, 2, … that is not taken. */
export function createNumberedRecordingFile(nameOf: (n: number) => string): { readonly path: string; readonly sink: ChunkSink } {
  for (let n = 1; ; n++) {
    const path = nameOf(n);
    const fd = createNewRecordingPlace(path);
    if (fd !== undefined) return { path, sink: sinkFor(fd, threadScript('host/recordingThread')) };
  }
}

/**
 * Adds to a recording's file, in place of what is behind `offset`. Throws a UserError if that is impossible, or if the
 * file has not the size any more that it had when it was read: then another process writes to it.
 */
export function continueRecordingFile(path: string, { recordingId, offset }: Continuation, size: number, script = threadScript('host/recordingThread')): ChunkSink {
  const fd = openToAdd(path, size);
  try {
    fs.ftruncateSync(fd, offset);
    return sinkFor(fd, script, { recordingId, end: offset });
  } catch (error) {
    fs.closeSync(fd);
    throw cannotAdd(path, systemErrorText(error));
  }
}

function openToAdd(path: string, size: number): number {
  let fd: number;
  try {
    fd = fs.openSync(path, fs.constants.O_WRONLY | fs.constants.O_APPEND);
  } catch (error) {
    throw cannotAdd(path, systemErrorText(error));
  }
  if (fs.fstatSync(fd).size === size) return fd;
  fs.closeSync(fd);
  throw cannotAdd(path, 'somebody else writes to it');
}

function cannotAdd(path: string, reason: string): UserError {
  return new UserError(`cannot add to the recording ${path}: ${reason}`);
}

function sinkFor(fd: number, script: string | undefined, { recordingId = randomBytes(6).readUIntLE(0, 6), end = 0, packedFrom = 0 } = {}): ChunkSink {
  return (script === undefined ? undefined : startThread(script, { fd, recordingId, end, packedFrom })) ?? new DirectRecordingSink(fd, recordingId, end, packedFrom);
}

/** Undefined if the system lets us have no more threads. */
function startThread(script: string, file: Omit<RecordingThreadData, 'shared'>): ThreadedRecordingSink | undefined {
  try {
    return new ThreadedRecordingSink(script, file);
  } catch {
    return undefined;
  }
}

class ThreadedRecordingSink implements ChunkSink {
  private readonly progress = new QueueProgress();
  private readonly thread: Worker;
  /** Bytes given to the thread, modulo 2^32. */
  private sent = 0;
  /** Flushes that wait for an answer, which come in their order. */
  private readonly flushes: (() => void)[] = [];
  private readonly ended: Promise<void>;
  private alive = true;

  constructor(
    script: string,
    private readonly file: Omit<RecordingThreadData, 'shared'>,
  ) {
    const workerData: RecordingThreadData = { ...file, shared: this.progress.shared };
    this.thread = new Worker(script, { workerData, execArgv: [] });
    this.thread.on('message', () => this.flushes.shift()?.());
    this.thread.on('error', (error) => this.progress.fail(systemErrorText(error)));
    this.ended = new Promise((resolve) => {
      this.thread.on('exit', () => resolve(this.threadEnded()));
    });
    this.thread.unref();
  }

  get failure(): string | undefined {
    return this.progress.failure;
  }

  write(chunk: ChunkToWrite): void {
    if (this.failure !== undefined || !this.alive) return;
    const payload = ownBuffer(chunk.payload);
    if (!this.waitForRoom(payload.length)) return;
    this.sent = (this.sent + payload.length) >>> 0;
    this.post({ ...chunk, payload }, [payload.buffer]);
  }

  async flush(): Promise<void> {
    if (!this.alive) return;
    this.thread.ref();
    this.post('flush');
    await new Promise<void>((resolve) => {
      this.flushes.push(resolve);
    });
    if (this.flushes.length === 0) this.thread.unref();
  }

  async close(): Promise<void> {
    if (!this.alive) return this.ended;
    this.thread.ref();
    this.post('close');
    await this.ended;
  }

  private post(message: RecordingMessage, transfer: ArrayBuffer[] = []): void {
    this.thread.postMessage(message, transfer);
  }

  private waitForRoom(length: number): boolean {
    for (;;) {
      const { done } = this.progress;
      const queued = (this.sent - done) >>> 0;
      if (this.failure !== undefined) return false;
      if (queued === 0 || queued + length <= MOST_QUEUED) return true;
      if (!this.progress.waitForMore(done, PATIENCE)) this.progress.fail('the thread that writes it does not answer');
    }
  }

  private threadEnded(): void {
    if (!this.alive) return;
    this.alive = false;
    if (this.progress.done !== this.sent) this.progress.fail('the thread that writes it has ended');
    const failure = closeFile(this.file.fd);
    if (failure !== undefined) this.progress.fail(failure);
    for (const resolve of this.flushes.splice(0)) resolve();
  }
}

/** The same without a thread: every chunk is in the file when `write` returns. */
class DirectRecordingSink implements ChunkSink {
  private readonly file: RecordingFileWriter;
  private closeFailure: string | undefined;
  private open = true;

  constructor(
    private readonly fd: number,
    recordingId: number,
    end = 0,
    packedFrom = 0,
  ) {
    this.file = new RecordingFileWriter(fd, recordingId, end, packedFrom);
  }

  get failure(): string | undefined {
    return this.file.failure ?? this.closeFailure;
  }

  write(chunk: ChunkToWrite): void {
    if (this.open) this.file.write(chunk);
  }

  async flush(): Promise<void> {}

  async close(): Promise<void> {
    if (this.open) this.closeFailure = closeFile(this.fd);
    this.open = false;
  }
}

/** Some file systems tell only now that they have no room. */
function closeFile(fd: number): string | undefined {
  try {
    fs.closeSync(fd);
    return undefined;
  } catch (error) {
    return systemErrorText(error);
  }
}

/** Only a buffer as a whole can go to another thread, and only an ordinary one. */
function ownBuffer(payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = payload;
  const whole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return whole ? (payload as Uint8Array<ArrayBuffer>) : new Uint8Array(payload);
}

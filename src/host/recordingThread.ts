/** The thread that compresses and writes a recording (nodeRecordingSink.ts starts it). */
import { parentPort, workerData } from 'node:worker_threads';
import type { ChunkToWrite } from '../replay/format/encoding.js';
import { RecordingFileWriter } from './recordingFileWriter.js';
import { QueueProgress } from './recordingQueue.js';

export interface RecordingThreadData {
  readonly fd: number;
  readonly recordingId: number;
  /** Where the file ends. */
  readonly end: number;
  /** What comes before is stored as it is. */
  readonly packedFrom: number;
  readonly shared: SharedArrayBuffer;
}

/** `flush` is answered when everything before it is done; `close` ends the thread. */
export type RecordingMessage = ChunkToWrite | 'flush' | 'close';

function serve({ fd, recordingId, end, packedFrom, shared }: RecordingThreadData): void {
  const progress = new QueueProgress(shared);
  const file = new RecordingFileWriter(fd, recordingId, end, packedFrom);
  const report = (): void => {
    if (file.failure !== undefined) progress.fail(file.failure);
  };
  report();
  parentPort?.on('message', (message: RecordingMessage) => {
    if (message === 'flush') return parentPort?.postMessage('flushed', []);
    if (message === 'close') return parentPort?.close();
    const { length } = message.payload;
    file.write(message);
    report();
    progress.advance(length);
  });
}

serve(workerData as RecordingThreadData);

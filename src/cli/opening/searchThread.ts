/** A thread that searches parts of a recording (nodeSearchers.ts starts it). It ends when the one who asks does. */
import { parentPort, workerData } from 'node:worker_threads';
import { UserError } from '../../base/errors.js';
import { openRecordingFile } from '../../host/nodeRecordingFile.js';
import { packHits } from '../../replay/timeline/parallel/packedHits.js';
import { BadStart } from '../../replay/timeline/parallel/searchers.js';
import { SearchWorker } from '../../replay/timeline/parallel/searchWorker.js';
import { Divergence } from '../../replay/play/divergence.js';
import { openRecording } from '../../replay/recordingFile/openRecording.js';
import { playerOptions } from './openedRecording.js';
import type { SoundEnd } from '../../replay/recordingFile/soundEnd.js';
import type { SearchAnswer, SearchRequest, SearchThreadData } from '../threads/searchMessages.js';
import { ThreadControl } from '../threads/threadControl.js';

function serve({ fd, name, end, shared }: SearchThreadData): void {
  const control = new ThreadControl(shared);
  let worker: SearchWorker | undefined;
  const answer = ({ number, job }: SearchRequest): SearchAnswer => {
    try {
      control.begin(number);
      worker ??= open(fd, name, end);
      const found = worker.run(job, control);
      return found === undefined ? { kind: 'givenUp' } : { kind: 'found', hits: packHits(found.hits), to: found.to };
    } catch (error) {
      return failure(error);
    }
  };
  parentPort?.on('message', (request: SearchRequest) => {
    const message = answer(request);
    parentPort?.postMessage(message, message.kind === 'found' ? [message.hits.buffer] : []);
  });
}

function open(fd: number, name: string, end: SoundEnd | undefined): SearchWorker {
  const recording = openRecording(openRecordingFile(name, fd).reader, name, end);
  return new SearchWorker(playerOptions(recording), recording.stored);
}

function failure(error: unknown): SearchAnswer {
  if (error instanceof BadStart) return { kind: 'badStart' };
  if (error instanceof Divergence) return { kind: 'divergence', time: error.time, what: error.what };
  if (error instanceof UserError) return { kind: 'userError', message: error.message, exitCode: error.exitCode };
  return { kind: 'defect', text: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

serve(workerData as SearchThreadData);

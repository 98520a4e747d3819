/** A recording, opened for traces. */
import type { Work } from '../replay/timeline/work.js';
import { Execution } from '../traces/execution/execution.js';
import { NODE_FILES } from './nodeFiles.js';
import { openedRecording, timelineOf } from './openedRecording.js';
import { QueryStore } from './queryStore.js';
import { setPatience } from './tiering.js';

export interface OpenOptions {
  readonly work?: Pick<Work, 'progress' | 'isCancelled'>;
  /** Bytes that checkpoints may take. */
  readonly checkpointMemory?: number | undefined;
}

export interface OpenedExecution {
  readonly execution: Execution;
  /** What earlier queries found out, and what this one does. */
  readonly store: QueryStore;
}

/** Throws a UserError for whatever is not a recording. */
export function openedExecution(path: string, { work, checkpointMemory }: OpenOptions = {}): OpenedExecution {
  const recording = openedRecording(path);
  setPatience('guest code');
  const store = new QueryStore(path, recording);
  const timeline = timelineOf(recording, { checkpointMemory });
  const execution = new Execution({ timeline, log: recording.log, files: NODE_FILES, known: store.known, ...(work === undefined ? {} : { work }) });
  return { execution, store };
}

/** A recording, opened for traces. */
import type { BranchMaker } from '../../replay/branch/branchExecution.js';
import type { Work } from '../../replay/timeline/work.js';
import type { Timeline } from '../../replay/timeline/timeline.js';
import { TracedExecution } from '../../traces/execution/tracedExecution.js';
import { NODE_FILES } from './nodeFiles.js';
import { openedRecording, playerOptions, timelineOf } from './openedRecording.js';
import { QueryStore } from '../stores/queryStore.js';
import { expectLongScripts, setPatience } from '../v8/tiering.js';

const LONG_MILLISECONDS = 1000;

export interface OpenOptions {
  readonly work?: Pick<Work, 'progress' | 'isCancelled'>;
  /** Bytes that checkpoints may take. */
  readonly checkpointMemory?: number | undefined;
}

export interface OpenedExecution {
  readonly execution: TracedExecution;
  /** What earlier queries found out, and what this one does. */
  readonly store: QueryStore;
  /** What of the recording cannot be used. */
  readonly lost: string | undefined;
}

/** Throws a UserError for whatever is not a recording. */
export function openedExecution(path: string, { work, checkpointMemory }: OpenOptions = {}): OpenedExecution {
  const recording = openedRecording(path);
  const store = new QueryStore(path, recording);
  setPatience('interpreter');
  const timeline = timelineOf(recording, { checkpointMemory });
  setPatience('guest code');
  noticeLongQueries(store);
  const another = (): Timeline => timelineOf(recording, { checkpointMemory });
  const branches = async (): Promise<BranchMaker> => {
    const { branchesOf } = await import('./branchesOf.js');
    return branchesOf(another(), playerOptions(recording));
  };
  const execution = new TracedExecution({ execution: timeline, another, branches, files: NODE_FILES, known: store.known, ...(work === undefined ? {} : { work }) });
  return { execution, store, lost: recording.lost };
}

/** What takes long will take longer: from then on it pays to have V8 optimise more. */
function noticeLongQueries({ known }: QueryStore): void {
  const began = performance.now();
  const { onChange } = known;
  known.onChange = () => {
    onChange?.();
    if (performance.now() - began < LONG_MILLISECONDS) return;
    known.onChange = onChange;
    expectLongScripts();
  };
}

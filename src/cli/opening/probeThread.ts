/** A thread that tries candidates for `probe` (threads/probeThreads.ts starts it). */
import { parentPort, workerData } from 'node:worker_threads';
import { Modules } from '../../debugger/program/modules.js';
import { ProgramView } from '../../debugger/program/programView.js';
import { SourceText } from '../../debugger/program/sourceText.js';
import { Statements } from '../../debugger/program/statements.js';
import { ValueEvaluator } from '../../debugger/values/valueEvaluator.js';
import { openRecordingFile } from '../../host/nodeRecordingFile.js';
import { attempt } from '../../probe/attempt.js';
import type { Outcome } from '../../probe/failure.js';
import { openRecording } from '../../replay/recordingFile/openRecording.js';
import { Timeline } from '../../replay/timeline/timeline.js';
import type { Thread } from '../../replay/timeline/state.js';
import type { ProbeAnswer, ProbeRequest, ProbeThreadData } from '../threads/probeMessages.js';
import { branchesOf } from './branchesOf.js';
import { NODE_FILES } from './nodeFiles.js';
import { playerOptions } from './openedRecording.js';

type Try = (request: ProbeRequest) => Promise<Outcome>;

async function open({ fd, name, end }: ProbeThreadData): Promise<Try> {
  const recording = openRecording(openRecordingFile(name, fd).reader, name, end);
  const options = playerOptions(recording);
  const timeline = new Timeline({ ...options, stored: recording.stored });
  const maker = branchesOf(timeline, options);
  const [modules, statements, evaluator] = [new Modules(NODE_FILES), new Statements(new SourceText(NODE_FILES)), new ValueEvaluator()];
  await timeline.seekEnd();
  return ({ attempt: one, rules }) => {
    const { state } = timeline;
    const program = new ProgramView(state, (state.current ?? state.threads[0]) as Thread, modules);
    return attempt({ maker, recording: timeline, program, modules, statements }, evaluator, one, rules);
  };
}

const opened = open(workerData as ProbeThreadData);

async function answer(request: ProbeRequest): Promise<ProbeAnswer> {
  try {
    return { kind: 'outcome', outcome: await (await opened)(request) };
  } catch (error) {
    return { kind: 'defect', text: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

parentPort?.on('message', (request: ProbeRequest) => void answer(request).then((message) => parentPort?.postMessage(message, [])));

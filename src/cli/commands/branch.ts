/** `culprit branch`: what would have happened if something had been different at some time of a recording. */
import { constants } from 'node:os';
import { UserError } from '../../base/errors.js';
import { Modules } from '../../debugger/program/modules.js';
import { ProgramView } from '../../debugger/program/programView.js';
import { SourceText } from '../../debugger/program/sourceText.js';
import { Statements } from '../../debugger/program/statements.js';
import { jsonText, visible } from '../../base/visible.js';
import { hex, time } from '../../base/types.js';
import { NodeHost } from '../../host/nodeHost.js';
import { signalName } from '../../base/signalNames.js';
import { compareStates, type Differences, stateOf } from '../../replay/branch/compareStates.js';
import type { BranchEnd, BranchOutput } from '../../replay/branch/branchExecution.js';
import type { RecordedBranch } from '../../replay/branch/recordedBranch.js';
import { TimelineBranches } from '../../replay/branch/timelineBranches.js';
import { at, type Position } from '../../replay/log/position.js';
import { StoredModules } from '../../replay/play/storedModules.js';
import type { RecordingSummary } from '../../replay/recordingFile/recordingHeader.js';
import type { Timeline } from '../../replay/timeline/timeline.js';
import { Cancelled, type Work } from '../../replay/timeline/work.js';
import { type Alteration, parseAlteration } from '../../whatIf/alteration.js';
import { applyAlterations } from '../../whatIf/apply.js';
import { recordedOutput } from '../../whatIf/recordedOutput.js';
import { makeChange, type Change } from '../arguments/branchChanges.js';
import type { CheckpointMemoryOptions } from '../arguments/checkpointMemory.js';
import { endBySignal } from '../running/endBySignals.js';
import { shellStatus } from '../running/exitStatus.js';
import { count, plural } from '../output/numbers.js';
import { EXIT_INCOMPLETE, tellLoss } from '../opening/lost.js';
import { checkTime, type OpenedRecording, openedRecording, playerOptions, timelineOf } from '../opening/openedRecording.js';
import { NODE_FILES } from '../opening/nodeFiles.js';
import { ReaderGone, writeFully } from '../output/output.js';
import { complain } from '../output/report.js';
import { setPatience } from '../v8/tiering.js';

export type { Change } from '../arguments/branchChanges.js';

/** As the command line has it. */
export interface WrittenAlteration {
  readonly what: Alteration['what'];
  readonly text: string;
}

export interface BranchOptions extends CheckpointMemoryOptions {
  /** Default: where the first alteration takes effect. */
  readonly at?: number | 'end';
  readonly changes: readonly Change[];
  readonly alterations: readonly WrittenAlteration[];
  /** Everything that the program writes, from its start on, and nothing else. */
  readonly output?: boolean;
  readonly run?: number;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

/** What timeout(1) exits with. */
const EXIT_DEADLOCK = 124;
/** Instructions between two looks at what the program has written. */
const PART = 20_000_000;
const MOST_SHOWN = 8;

interface Report {
  readonly time: number;
  readonly end: BranchEnd | undefined;
  readonly differences: Differences;
  /** When the two were compared. */
  readonly comparedAt: number;
}

export async function branchCommand(path: string, options: BranchOptions): Promise<number> {
  const alterations = options.alterations.map(({ what, text }) => parseAlteration(what, text));
  if (options.at === undefined && (alterations.length === 0 || options.changes.length > 0)) throw new UserError('say where the branch begins, as --at 67,981 or --at end');
  const recording = openedRecording(path);
  if (options.at !== undefined && options.at !== 'end') checkTime(recording, options.at);
  tellLoss(recording);
  setPatience('guest code');
  const timeline = timelineOf(recording, { checkpointMemory: options.checkpointMemory });
  const branches = new TimelineBranches(timeline, playerOptions(recording), new NodeHost());
  const branch = await begin(branches, timeline, alterations, options);
  const { start } = branch;
  const modules = new StoredModules();
  for (const change of options.changes) await makeChange(branch, change, modules);
  const interrupted = interruption();
  if (options.output === true) say(recordedOutput(timeline, start));
  await runOn(branch, options, interrupted);
  if (options.output === true && !interrupted()) return endOfOutput(branch, recording);
  const report = await compare(branch, timeline);
  if (options.json === true) sayJson(branch, report, start);
  else for (const line of linesOf(branch, report, recording.summary)) complain(`culprit: ${visible(line)}`);
  if (interrupted()) return endBySignal(constants.signals.SIGINT);
  return recording.lost === undefined ? statusOf(report.end) : EXIT_INCOMPLETE;
}

async function begin(branches: TimelineBranches, timeline: Timeline, alterations: readonly Alteration[], { at: when }: BranchOptions): Promise<RecordedBranch> {
  const start = when === undefined ? undefined : await startOf(timeline, when);
  if (alterations.length === 0) return branches.branchAt(start as Position);
  await timeline.seekEnd();
  const { state } = timeline;
  const thread = state.current ?? state.threads[0];
  if (thread === undefined) throw new UserError('no thread is there at the end: name a time with --at');
  const modules = new Modules(NODE_FILES);
  const statements = new Statements(new SourceText(NODE_FILES));
  const whatIf = { maker: branches, recording: timeline, program: new ProgramView(state, thread, modules), modules, statements };
  return (await applyAlterations(whatIf, alterations, start === undefined ? {} : { from: start, notAfter: start })) as RecordedBranch;
}

/** Only what the program wrote was asked for: what is missing of it is said all the same. */
function endOfOutput(branch: RecordedBranch, { lost }: OpenedRecording): number {
  const { end, position, endTime } = branch;
  const reached = end !== undefined && position.time === endTime ? end : undefined;
  if (reached !== undefined && reached.kind !== 'ended') complain(`culprit: ${visible(`the branch ${endText(reached)} at time ${count(position.time)}`)}`);
  return lost === undefined ? statusOf(reached) : EXIT_INCOMPLETE;
}

function say(output: readonly BranchOutput[]): void {
  for (const { fd, bytes } of output) writeFully(fd === 2 ? 2 : 1, bytes);
}

async function startOf(timeline: Timeline, time: number | 'end'): Promise<Position> {
  if (time !== 'end') return at(time);
  await timeline.seekEnd();
  return timeline.position;
}

/** Whether the user has had enough: then what there is so far is reported. */
function interruption(): () => boolean {
  let seen = false;
  process.once('SIGINT', () => void (seen = true));
  return () => seen;
}

async function runOn(branch: RecordedBranch, { run = Infinity, quiet, json }: BranchOptions, isCancelled: () => boolean): Promise<void> {
  const work: Work = { isCancelled, breathe: () => new Promise((resolve) => void setImmediate(resolve)) };
  const limit = branch.position.time + run;
  let said = 0;
  try {
    while (branch.position.time < limit && (branch.end === undefined || branch.position.time < branch.endTime)) {
      await branch.forward([{ kind: 'time', time: time(Math.min(limit, branch.position.time + PART)) }], work);
      const { output } = branch;
      if (quiet !== true && json !== true) say(output.slice(said));
      said = output.length;
    }
  } catch (error) {
    if (!(error instanceof Cancelled) && !(error instanceof ReaderGone)) throw error;
  }
}

/** With the recording, at the last time that both have. */
async function compare(branch: RecordedBranch, timeline: Timeline): Promise<Report> {
  const { end, position: { time } } = branch;
  const comparedAt = Math.min(time, timeline.endTime);
  const here = branch.position;
  await branch.seek(at(comparedAt));
  await timeline.seek(at(comparedAt));
  const differences = compareStates(stateOf(timeline.player.world), stateOf(branch.world));
  await branch.seek(here);
  return { time, end: end !== undefined && time === branch.endTime ? end : undefined, differences, comparedAt };
}

function* linesOf(branch: RecordedBranch, { time, end, differences, comparedAt }: Report, recorded: RecordingSummary | undefined): Iterable<string> {
  const { departure } = branch;
  yield* new Set(branch.warnings);
  yield `the branch ${endText(end)} at time ${count(time)}${recorded === undefined ? '' : ` (the recording: ${recordedText(recorded)})`}`;
  if (departure === undefined || departure.time > time) yield 'it asked for nothing that the recording does not have';
  else yield `it left the recording at time ${count(departure.time)}: ${departure.why}`;
  const { registers, memory, onlyInFirst, onlyInSecond } = differences;
  const bytes = memory.reduce((sum, { start: from, end: to }) => sum + to - from, 0);
  const all = registers.length + memory.length + onlyInFirst.length + onlyInSecond.length;
  yield all === 0 ? `at time ${count(comparedAt)} it is as the recording` : `at time ${count(comparedAt)} it differs from the recording in ${plural(registers.length, 'register')} and ${plural(bytes, 'byte')} of memory`;
  for (const { thread, register, values } of registers.slice(0, MOST_SHOWN)) yield `  ${thread}: ${register} is 0x${values[1].toString(16)}, recorded 0x${values[0].toString(16)}`;
  for (const { space, start: from, end: to, kind } of memory.slice(0, MOST_SHOWN)) yield `  ${space}: ${plural(to - from, 'byte')} at ${hex(from)}${kind === 'changed' ? '' : kind === 'only in first' ? ' (only in the recording)' : ' (only in the branch)'}`;
  if (registers.length > MOST_SHOWN || memory.length > MOST_SHOWN) yield '  ... (--json has all)';
}

function endText(end: BranchEnd | undefined): string {
  switch (end?.kind) {
    case undefined:
      return 'stands';
    case 'ended':
      return end.status.kind === 'exited' ? `exited with status ${end.status.code}` : `was killed by ${signalName(end.status.signal)}`;
    case 'deadlock':
      return `waits for ever (${end.tasks.join('; ')})`;
    case 'cutOff':
      return 'came to where the recording is cut off,';
    case 'unsupported':
      return `cannot go on (${end.why})`;
  }
}

function recordedText({ ending, instructions }: RecordingSummary): string {
  const how = ending.how === 'exited' ? `exited with status ${ending.code}` : ending.how === 'signaled' ? `killed by ${signalName(ending.signal)}` : ending.how;
  return `${how} at ${count(instructions)}`;
}

function statusOf(end: BranchEnd | undefined): number {
  switch (end?.kind) {
    case undefined:
      return 0;
    case 'ended':
      return shellStatus(end.status);
    case 'deadlock':
      return EXIT_DEADLOCK;
    default:
      return EXIT_INCOMPLETE;
  }
}

function sayJson(branch: RecordedBranch, { time, end, differences, comparedAt }: Report, start: Position): void {
  const { departure, warnings, output } = branch;
  const text = jsonText({
    start: start.time, time, end: end ?? { kind: 'reached' },
    departure: departure === undefined || departure.time > time ? null : { time: departure.time, why: departure.why },
    warnings: [...new Set(warnings)], output: output.map(shownOutput), comparedAt, differences,
  }, undefined, (_key, value) => (typeof value === 'bigint' ? `0x${value.toString(16)}` : value));
  writeFully(1, new TextEncoder().encode(`${text}\n`));
}

function shownOutput({ time, fd, bytes }: BranchOutput): { time: number; fd: number; text: string } {
  return { time, fd, text: new TextDecoder().decode(bytes) };
}

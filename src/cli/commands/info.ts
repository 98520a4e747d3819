/** `culprit info`: what is in a recording. */
import { jsonText, shellWord, visible } from '../../base/visible.js';
import { type BytePath, textOfBytePath } from '../../base/bytePath.js';
import { openRecordingFile } from '../../host/nodeRecordingFile.js';
import { signalMessage, signalName } from '../../base/signalNames.js';
import type { StopKind } from '../../replay/log/events.js';
import { FORMAT_VERSION } from '../../replay/format/chunks.js';
import { openRecording, type Recording } from '../../replay/recordingFile/openRecording.js';
import type { RecordedEnding } from '../../replay/recordingFile/recordingHeader.js';
import { type Survey, surveyRecording } from '../../replay/recordingFile/surveyRecording.js';
import { count, plural } from '../output/numbers.js';
import { EXIT_INCOMPLETE } from '../opening/lost.js';
import { untilReaderGone, writeFully } from '../output/output.js';
import { Progress } from '../output/progress.js';

export interface InfoOptions {
  readonly json?: boolean;
}

export function infoCommand(path: string, options: InfoOptions): number {
  const { reader, size } = openRecordingFile(path);
  const recording = openRecording(reader, path);
  const progress = new Progress('reading');
  // Three parts, and how long each takes is not known before.
  const third = (number: number) => (part: number): void => progress.report((number + part) / 3);
  const survey = surveyRecording(recording, third(0));
  const blobs = recording.blobs.check(third(1));
  const lostCheckpoints = recording.stored.check(third(2));
  progress.clear();
  const state = stateOf(recording, survey, blobs);
  const facts = { path, size, recording, survey, lostCheckpoints, state };
  const text = options.json === true ? jsonText(infoJson(facts), 2) : infoText(facts);
  return untilReaderGone(() => {
    writeFully(1, Buffer.from(`${text}\n`));
    return state.whole ? 0 : EXIT_INCOMPLETE;
  });
}

interface State {
  readonly whole: boolean;
  readonly text: string;
}

interface Facts {
  readonly path: string;
  readonly size: number;
  readonly recording: Recording;
  readonly survey: Survey;
  /** Those of the stored ones that cannot be used. */
  readonly lostCheckpoints: number;
  readonly state: State;
}

function stateOf({ isComplete, summary, damage }: Recording, { failure }: Survey, blobs: string | undefined): State {
  const wrong = [failure, blobs, damage].find((what) => what !== undefined);
  if (wrong !== undefined) return { whole: false, text: wrong };
  if (summary === undefined) return { whole: false, text: 'cut off: its end is missing' };
  return isComplete ? { whole: true, text: 'complete' } : { whole: false, text: 'events are missing' };
}

function infoText({ size, recording: { header, blobs, stored }, survey, lostCheckpoints, state }: Facts): string {
  const rows: [string, string][] = [
    ['program', [header.program, ...header.args].map((word) => shellWord(shown(word))).join(' ')],
    ['directory', shown(header.cwd)],
    ['recorded', `${header.date} by culprit ${header.culprit} on Linux ${header.host.kernel}`],
    ['ended', survey.ending === undefined ? 'not recorded' : endingText(survey.ending)],
    ['length', `${plural(survey.instructions, 'instruction')}, ${survey.seconds.toFixed(3)} s of the program's time`],
    ['ran', `${plural(survey.processes, 'process', 'processes')}, ${plural(survey.threads, 'thread')}`],
    ['signals', signalsText(survey)],
    ['events', `${count(survey.events)}: ${eventsText(survey)}`],
    ['files', `${count(survey.files)} mapped, ${plural(blobs.totalBytes, 'byte')}`],
    ['checkpoints', checkpointsText(stored, lostCheckpoints)],
    ['size', plural(size, 'byte')],
    ['state', state.text],
  ];
  return rows.map(([label, value]) => `${label.padEnd(13)}${visible(value)}`).join('\n');
}

function infoJson({ path, size, recording: { header, blobs, stored }, survey, lostCheckpoints, state }: Facts): object {
  return {
    file: path,
    size,
    format: FORMAT_VERSION,
    program: shown(header.program),
    args: header.args.map(shown),
    directory: shown(header.cwd),
    environment: header.environment.map(shown),
    date: header.date,
    culprit: header.culprit,
    host: header.host,
    scheduleSeed: header.scheduleSeed,
    aslrSeed: header.aslrSeed ?? null,
    sandbox: header.sandbox ?? false,
    pidBase: header.pidBase ?? null,
    ending: survey.ending ?? null,
    instructions: survey.instructions,
    seconds: survey.seconds,
    processes: survey.processes,
    threads: survey.threads,
    signals: Object.fromEntries([...survey.signals].map(([signal, times]) => [signalName(signal), times])),
    events: survey.events,
    eventsByKind: survey.eventsByKind,
    files: survey.files,
    fileBytes: blobs.totalBytes,
    checkpoints: stored.times.length - lostCheckpoints,
    checkpointBytes: stored.bytes,
    complete: state.whole,
    state: state.text,
  };
}

function checkpointsText({ times, bytes }: Recording['stored'], lost: number): string {
  if (times.length === 0) return 'none';
  const rest = lost === 0 ? '' : `; ${count(lost)} of them cannot be used (damaged, or of another version of culprit)`;
  return `${count(times.length)} stored, ${plural(bytes, 'byte')}${rest}`;
}

function endingText(ending: RecordedEnding): string {
  switch (ending.how) {
    case 'exited':
      return `exited with status ${ending.code}`;
    case 'signaled':
      return `killed by ${signalName(ending.signal)} (${signalMessage(ending.signal)})`;
    case 'timeout':
      return 'ended by --timeout';
    case 'deadlock':
      return 'ended because all threads waited for each other';
  }
}

function signalsText({ signals }: Survey): string {
  const each = [...signals].map(([signal, times]) => `${signalName(signal)}${times === 1 ? '' : ` × ${count(times)}`}`);
  return each.length === 0 ? 'none' : each.join(', ');
}

const KINDS: Readonly<Record<StopKind, readonly [one: string, many: string] | undefined>> = {
  start: undefined,
  more: undefined,
  syscall: ['system call', 'system calls'],
  budget: ['turn', 'turns'],
  interrupted: ['interruption', 'interruptions'],
  pageFault: ['page fault', 'page faults'],
  trap: ['exception', 'exceptions'],
  unknownInstruction: ['unknown instruction', 'unknown instructions'],
  breakpoint: undefined,
  watched: undefined,
  astray: undefined,
  undefined: undefined,
};

function eventsText({ eventsByKind }: Survey): string {
  return Object.entries(KINDS)
    .flatMap(([kind, names]) => {
      const times = eventsByKind[kind as StopKind] ?? 0;
      return names === undefined || times === 0 ? [] : [plural(times, names[0], names[1])];
    })
    .join(', ');
}

function shown(text: string): string {
  return textOfBytePath(text as BytePath);
}

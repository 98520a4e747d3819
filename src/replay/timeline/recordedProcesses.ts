/**
 * The processes of a recording, from its events alone: nothing is replayed. A client debugs one of them while it runs
 * one program. What executes another program is another one in this list, with the same number.
 */
import { UserError } from '../../base/errors.js';
import { bytePathFromText } from '../../base/bytePath.js';
import { time } from '../../base/types.js';
import type { EventLog } from '../log/eventLog.js';
import type { Effect } from '../log/effects.js';
import { at, comparePositions, type Position } from '../log/position.js';

export interface RecordedProcess {
  readonly pid: number;
  readonly parent: number;
  /** How it was made by its parent. */
  readonly origin: 'fork' | 'vfork';
  /** The program that it runs. Names have one character a byte. */
  readonly exe: string;
  readonly args: readonly string[];
  /** Where that program begins, or where the process was forked. */
  readonly begin: Position;
  /** Where the program was loaded, by it or by who forked it. */
  readonly loaded: { readonly pid: number; readonly position: Position };
  /** Right before it ended, or executed another program; undefined if the recording ends before. */
  readonly end: Position | undefined;
  /** It executes another program at its end. */
  readonly isReplaced: boolean;
  /** 0 if it exited with `code`. */
  readonly signal: number;
  readonly code: number;
}

type Known = { -readonly [K in keyof RecordedProcess]: RecordedProcess[K] } & { readonly number: number };

interface Here extends Position {
  readonly effects: readonly Effect[];
}

/** Signals whose default is a core dump: what ends by one has crashed. */
const CRASHES: ReadonlySet<number> = new Set([3, 4, 5, 6, 7, 8, 11, 24, 25, 31]);

/** In the order in which they came to be. A log that breaks off has what comes before. */
export function recordedProcesses(log: EventLog): RecordedProcess[] {
  const known: Known[] = [];
  const cursor = log.cursor();
  let here = { time: time(0), done: 0 };
  try {
    for (let event = cursor.next(); event !== undefined; event = cursor.next()) {
      here = { time: time(event.time), done: event.time === here.time ? here.done : 0 };
      for (const effect of event.effects) note(known, effect, { ...here, effects: event.effects });
      here.done++;
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
  return known;
}

function note(known: Known[], effect: Effect, here: Here): void {
  const { time, done } = here;
  if (effect.op === 'process') {
    const { process: number, pid, parent } = effect;
    const origin = known.findLast((one) => one.pid === parent);
    const begin = after(time, done);
    const how = here.effects.some(({ op }) => op === 'copySpace') ? 'fork' : 'vfork';
    known.push({ number, pid, parent, origin: how, exe: origin?.exe ?? '', args: origin?.args ?? [], begin, loaded: origin?.loaded ?? { pid, position: begin }, end: undefined, isReplaced: false, signal: 0, code: 0 });
  } else if (effect.op === 'program') {
    const one = known.findLast(({ number }) => number === effect.process);
    if (one === undefined) return;
    const program = { exe: bytePathFromText(effect.exe), args: effect.args.map(bytePathFromText) };
    // A fork is told with the program that it has from its parent.
    const position = after(time, done);
    if (comparePositions(position, one.begin) === 0) Object.assign(one, program);
    else {
      Object.assign(one, { end: { time, done }, isReplaced: true });
      known.push({ ...one, ...program, begin: position, loaded: { pid: one.pid, position }, end: undefined, isReplaced: false });
    }
  } else if (effect.op === 'processEnd') {
    const one = known.findLast(({ number }) => number === effect.process);
    if (one !== undefined) Object.assign(one, { end: { time, done }, signal: effect.signal, code: effect.code });
  }
}

/** Nothing can be seen before all that happens at time 0. */
function after(time: number, done: number): Position {
  return at(time, time === 0 ? Infinity : done + 1);
}

/** The last program of each. */
export function lastPrograms(processes: readonly RecordedProcess[]): RecordedProcess[] {
  return processes.filter(({ isReplaced }) => !isReplaced);
}

/** What a process runs at a position. */
export function programAt(processes: readonly RecordedProcess[], pid: number, position: Position): RecordedProcess | undefined {
  return processes.findLast((one) => one.pid === pid && comparePositions(one.begin, position) <= 0);
}

/** The one with this pid; otherwise the last that crashed, otherwise the first: with the program that it ran last. */
export function chooseProcess(processes: readonly RecordedProcess[], pid: number | undefined): RecordedProcess {
  const last = lastPrograms(processes);
  const chosen = pid === undefined ? (last.findLast(({ signal }) => CRASHES.has(signal)) ?? last.find((one) => one.pid === processes[0]?.pid)) : last.findLast((one) => one.pid === pid);
  if (chosen !== undefined) return chosen;
  if (pid === undefined) throw new UserError('there is no process in the recording');
  throw new UserError(`no process ${pid} in the recording; there are: ${last.map((one) => one.pid).join(', ')}`);
}

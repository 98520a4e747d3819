/**
 * The processes of a recording, from its events alone: nothing is replayed. A client debugs one of them, from where it began to run its
 * last program up to its end.
 */
import { UserError } from '../base/errors.js';
import { bytePathFromText } from '../host/bytePath.js';
import type { EventLog } from '../replay/log/eventLog.js';
import type { Effect } from '../replay/log/effects.js';
import { at, comparePositions, type Position } from '../replay/play/position.js';

export interface RecordedProcess {
  readonly pid: number;
  readonly parent: number;
  /** The program that it ran last. Names have one character a byte. */
  readonly exe: string;
  readonly args: readonly string[];
  /** Where that program begins, or where the process was forked. */
  readonly begin: Position;
  /** Where the program was loaded, by it or by who forked it. */
  readonly loaded: { readonly pid: number; readonly position: Position };
  /** Right before it ended; undefined if the recording ends before. */
  readonly end: Position | undefined;
  /** 0 if it exited with `code`. */
  readonly signal: number;
  readonly code: number;
}

type Known = { -readonly [K in keyof RecordedProcess]: RecordedProcess[K] } & { readonly number: number };

/** Signals whose default is a core dump: what ends by one has crashed. */
const CRASHES: ReadonlySet<number> = new Set([3, 4, 5, 6, 7, 8, 11, 24, 25, 31]);

/** In the order in which they came to be. A log that breaks off has what comes before. */
export function recordedProcesses(log: EventLog): RecordedProcess[] {
  const known = new Map<number, Known>();
  const cursor = log.cursor();
  let here = { time: 0, done: 0 };
  try {
    for (let event = cursor.next(); event !== undefined; event = cursor.next()) {
      here = { time: event.time, done: event.time === here.time ? here.done : 0 };
      for (const effect of event.effects) note(known, effect, here);
      here.done++;
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
  return [...known.values()];
}

function note(known: Map<number, Known>, effect: Effect, { time, done }: Position): void {
  if (effect.op === 'process') {
    const { process: number, pid, parent } = effect;
    const origin = [...known.values()].findLast((one) => one.pid === parent);
    const begin = after(time, done);
    known.set(number, { number, pid, parent, exe: origin?.exe ?? '', args: origin?.args ?? [], begin, loaded: origin?.loaded ?? { pid, position: begin }, end: undefined, signal: 0, code: 0 });
  } else if (effect.op === 'program') {
    const one = known.get(effect.process);
    if (one === undefined) return;
    Object.assign(one, { exe: bytePathFromText(effect.exe), args: effect.args.map(bytePathFromText) });
    // A fork is told with the program that it has from its parent.
    const position = after(time, done);
    if (comparePositions(position, one.begin) !== 0) Object.assign(one, { begin: position, loaded: { pid: one.pid, position } });
  } else if (effect.op === 'processEnd') {
    const one = known.get(effect.process);
    if (one !== undefined) Object.assign(one, { end: { time, done }, signal: effect.signal, code: effect.code });
  }
}

/** Nothing can be seen before all that happens at time 0. */
function after(time: number, done: number): Position {
  return at(time, time === 0 ? Infinity : done + 1);
}

/** The one with this pid; otherwise the last that crashed, otherwise the first. */
export function chooseProcess(processes: readonly RecordedProcess[], pid: number | undefined): RecordedProcess {
  const chosen = pid === undefined ? (processes.findLast(({ signal }) => CRASHES.has(signal)) ?? processes[0]) : processes.findLast((one) => one.pid === pid);
  if (chosen !== undefined) return chosen;
  if (pid === undefined) throw new UserError('there is no process in the recording');
  throw new UserError(`no process ${pid} in the recording; there are: ${processes.map((one) => one.pid).join(', ')}`);
}

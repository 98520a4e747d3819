/**
 * What the kernel does that a client wants to hear of: system calls (`catch syscall`), new processes and programs. They
 * are conditions of a search as breakpoints are; a hit is the position before it happens.
 */
import type { Condition, Hit } from '../replay/timeline/conditions.js';
import type { Arrival } from './arrival.js';
import type { RecordedProcess } from '../replay/timeline/recordedProcesses.js';

export interface EventSettings {
  /** System calls to be told of. */
  readonly caughtCalls: ReadonlySet<number> | 'all' | undefined;
  readonly features: { readonly fork: boolean; readonly vfork: boolean; readonly exec: boolean };
  /** A thread that has made a process by vfork, and waits for it. */
  readonly vforking: number | undefined;
  readonly processes: readonly RecordedProcess[];
  /**
   * Processes that the client knows already. To be told of them once more, after a way back in time, is too much for
   * gdb.
   */
  readonly attached: ReadonlyMap<number, unknown>;
}

/** Calls that make processes. */
const MAKING = [56, 57, 58, 435];

/** `isRecording`: of what a branch makes nothing is known, and a client is not told of it. */
export function eventConditions({ caughtCalls, features, vforking }: EventSettings, isRecording: boolean): Condition[] {
  const numbers = caughtCalls === undefined || caughtCalls === 'all' ? {} : { numbers: [...caughtCalls] };
  return [
    ...(caughtCalls === undefined ? [] : [{ kind: 'syscall', ...numbers } satisfies Condition, { kind: 'return', ...numbers } satisfies Condition]),
    ...(vforking === undefined ? [] : [{ kind: 'return', numbers: MAKING } satisfies Condition]),
    ...(isRecording && (features.fork || features.vfork || features.exec) ? [{ kind: 'process' } satisfies Condition] : []),
  ];
}

/** What an event is to the client. Undefined: nothing. */
export function eventArrival(hit: Hit, settings: EventSettings): Arrival | undefined {
  const { task: thread, syscall, result, process } = hit;
  const { features, caughtCalls, vforking, processes } = settings;
  if (process?.how === 'executes') return features.exec ? { kind: 'executed', thread, program: programAfter(hit, processes) } : undefined;
  if (process !== undefined) {
    const how = processes.find(({ pid }) => pid === process.pid)?.origin ?? 'fork';
    return features[how] && !settings.attached.has(process.pid) ? { kind: 'forked', thread, how, child: process.pid } : undefined;
  }
  if (syscall === undefined) return undefined;
  if (result !== undefined && vforking === thread && MAKING.includes(syscall)) return { kind: 'vforkDone', thread };
  const isCaught = caughtCalls === 'all' || caughtCalls?.has(syscall) === true;
  return isCaught ? { kind: 'call', thread, phase: result === undefined ? 'entry' : 'return', number: syscall } : undefined;
}

function programAfter({ position }: Hit, processes: readonly RecordedProcess[]): string {
  return processes.find(({ begin }) => begin.time === position.time && begin.done === position.done + 1)?.exe ?? '';
}

/**
 * What the recording says by itself: system calls, signals, output, threads. Finding it means to read the log; not one
 * instruction is executed for it.
 */
import { signalName } from '../../base/signalNames.js';
import { type SystemCall, systemCallOf } from './syscallText.js';
import type { EventLog } from '../log/eventLog.js';
import { ChunkEvents, type RecordedEvent } from '../log/events.js';
import { at, type Position } from '../play/position.js';

/** Something in the log. The position is the state right before it. */
export interface LoggedFact {
  readonly position: Position;
  readonly task: number;
  readonly what:
    | { readonly kind: 'syscall'; readonly call: SystemCall }
    | { readonly kind: 'signal'; readonly signal: number; readonly name: string; readonly handled: boolean }
    | { readonly kind: 'output'; readonly fd: number; readonly bytes: Uint8Array }
    /** A thread may be noted several times, when its name changes; its end does not repeat who it was. */
    | { readonly kind: 'thread'; readonly change: 'start' | 'end'; readonly thread: number; readonly tid: number; readonly name: string }
    /** What a system call came back with. */
    | { readonly kind: 'result'; readonly number: number; readonly result: number }
    /** Files are mapped: there may be code that was not there before. */
    | { readonly kind: 'mapping' };
}

export type FactKind = LoggedFact['what']['kind'];

/** Chunks. */
const SHORT = 32;

export class LogFacts {
  private readonly known = new Map<number, readonly LoggedFact[]>();

  constructor(private readonly log: EventLog) {}

  /** Whether all of it can be read in a moment. */
  get isShort(): boolean {
    return this.log.chunks.length <= SHORT;
  }

  /** With `from <= time < to`, in order. */
  *forward(from: number, to: number): Generator<LoggedFact> {
    const { chunks } = this.log;
    for (let i = 0; i < chunks.length; i++) {
      const chunk = chunks[i];
      if (chunk === undefined || chunk.lastTime < from || chunk.firstTime - 1 >= to) continue;
      for (const fact of this.facts(i)) if (fact.position.time >= from && fact.position.time < to) yield fact;
    }
  }

  *backward(from: number, to: number): Generator<LoggedFact> {
    const { chunks } = this.log;
    for (let i = chunks.length - 1; i >= 0; i--) {
      const chunk = chunks[i];
      if (chunk === undefined || chunk.lastTime < from || chunk.firstTime - 1 >= to) continue;
      for (const fact of this.facts(i).toReversed()) if (fact.position.time >= from && fact.position.time < to) yield fact;
    }
  }

  private facts(index: number): readonly LoggedFact[] {
    const known = this.known.get(index);
    if (known !== undefined) return known;
    const chunk = this.log.chunks[index];
    const facts: LoggedFact[] = [];
    const events = chunk === undefined ? undefined : new ChunkEvents(this.log.payload(index), chunk.firstTime);
    let [time, done] = [-1, 0];
    for (let event = events?.next(); event !== undefined; event = events?.next()) {
      done = event.time === time ? done + 1 : 0;
      time = event.time;
      facts.push(...this.factsOf(event, at(event.time, done)));
    }
    this.known.set(index, facts);
    return facts;
  }

  private factsOf(event: RecordedEvent, position: Position): LoggedFact[] {
    const facts: LoggedFact[] = [];
    const { task } = event;
    const before = event.stop === 'syscall' ? at(event.time - 1) : position;
    if (event.stop === 'syscall') facts.push({ position: before, task, what: { kind: 'syscall', call: systemCallOf(event.registers) } });
    for (const effect of event.effects) {
      switch (effect.op) {
        case 'signal':
          facts.push({ position, task: effect.task, what: { kind: 'signal', signal: effect.signal, name: signalName(effect.signal), handled: effect.handled } });
          break;
        case 'output':
          facts.push({ position: before, task, what: { kind: 'output', fd: effect.fd, bytes: effect.bytes } });
          break;
        case 'task':
          facts.push({ position: before, task, what: { kind: 'thread', change: 'start', thread: effect.task, tid: effect.tid, name: effect.name } });
          break;
        case 'taskEnd':
          facts.push({ position: before, task, what: { kind: 'thread', change: 'end', thread: effect.task, tid: 0, name: '' } });
          break;
        case 'result':
          facts.push({ position, task: effect.task, what: { kind: 'result', number: effect.number, result: effect.result } });
          break;
        case 'map':
          if (effect.mapping.object !== undefined) facts.push({ position, task, what: { kind: 'mapping' } });
          break;
      }
    }
    return facts;
  }
}

export interface StartedThread {
  readonly tid: number;
  readonly name: string;
  readonly time: number;
  /**
   * It got another number later: a thread that is not the first of its process and executes a file takes that one's.
   */
  readonly isRenumbered: boolean;
}

/** All threads there ever are, by their numbers in hits, as they were when they started. */
export function startedThreads(facts: LogFacts): ReadonlyMap<number, StartedThread> {
  const started = new Map<number, StartedThread>();
  for (const { position: { time }, what } of facts.forward(0, Infinity)) {
    if (what.kind !== 'thread' || what.change !== 'start') continue;
    const { thread, tid, name } = what;
    const known = started.get(thread);
    if (known === undefined) started.set(thread, { tid, name, time, isRenumbered: false });
    else if (known.tid !== tid) started.set(thread, { ...known, isRenumbered: true });
  }
  return started;
}

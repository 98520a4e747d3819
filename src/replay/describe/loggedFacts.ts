/**
 * What the recording says by itself: system calls, signals, output, threads. Finding it means to read the log; not one
 * instruction is executed for it.
 */
import { signalName } from '../../base/signalNames.js';
import { type SystemCall, systemCallOf } from './syscallText.js';
import type { EventLog } from '../log/eventLog.js';
import { ChunkEvents, type RecordedEvent } from '../log/events.js';
import { at, type Position } from '../log/position.js';

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
  private readonly known = new Map<number, { readonly facts: readonly LoggedFact[]; readonly next: Position }>();

  /** `start`: where the log begins, if events have had their effect before at the same time. */
  constructor(
    private readonly log: EventLog,
    private readonly start: Position = at(0),
  ) {}

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
      for (const fact of this.chunk(i).facts) if (fact.position.time >= from && fact.position.time < to) yield fact;
    }
  }

  *backward(from: number, to: number): Generator<LoggedFact> {
    const { chunks } = this.log;
    for (let i = chunks.length - 1; i >= 0; i--) {
      const chunk = chunks[i];
      if (chunk === undefined || chunk.lastTime < from || chunk.firstTime - 1 >= to) continue;
      for (const fact of this.chunk(i).facts.toReversed()) if (fact.position.time >= from && fact.position.time < to) yield fact;
    }
  }

  private chunk(index: number): { readonly facts: readonly LoggedFact[]; readonly next: Position } {
    const known = this.known.get(index);
    if (known !== undefined) return known;
    const chunk = this.log.chunks[index];
    const facts: LoggedFact[] = [];
    const events = chunk === undefined ? undefined : new ChunkEvents(this.log.payload(index), chunk.firstTime);
    let next = this.nextBefore(index);
    for (let event = events?.next(); event !== undefined; event = events?.next()) {
      if (event.time !== next.time) next = at(event.time, 0);
      facts.push(...this.factsOf(event, next));
      next = at(event.time, next.done + 1);
    }
    const read = { facts, next };
    this.known.set(index, read);
    return read;
  }

  /** Where the next event would be when the chunk before this one ends: this one may begin at the same time. */
  private nextBefore(index: number): Position {
    const [before, chunk] = [this.log.chunks[index - 1], this.log.chunks[index]];
    if (before === undefined) return at(this.start.time, this.start.done === Infinity ? 0 : this.start.done);
    return before.lastTime === chunk?.firstTime ? this.chunk(index - 1).next : at(-1, 0);
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
export function startedThreads(facts: LogFacts, atStart: readonly Pick<StartedThread & { id: number }, 'id' | 'tid' | 'name'>[] = []): ReadonlyMap<number, StartedThread> {
  const started = new Map<number, StartedThread>(atStart.map(({ id, tid, name }) => [id, { tid, name, time: -1, isRenumbered: false }]));
  for (const { position: { time }, what } of facts.forward(0, Infinity)) {
    if (what.kind !== 'thread' || what.change !== 'start') continue;
    const { thread, tid, name } = what;
    const known = started.get(thread);
    if (known === undefined) started.set(thread, { tid, name, time, isRenumbered: false });
    else if (known.tid !== tid) started.set(thread, { ...known, isRenumbered: true });
  }
  return started;
}

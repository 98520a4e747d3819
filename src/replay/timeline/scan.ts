/**
 * Goes through a part of the execution and reports everything that meets some conditions, in order: each thing once,
 * with all the conditions that it meets. Instructions and memory are the engine's business; system calls, signals,
 * switches and what the kernel writes are in the recording.
 */
import { type GuestAddr, guestAddr } from '../../base/types.js';
import { holds, type RegisterTest, type TestedRegisters } from '../../ir/registerTest.js';
import { RSP } from '../../layout/cpuState.js';
import { WatchedMemory } from '../../machine/watchedMemory.js';
import type { HookAnswer } from '../../machine/hooks.js';
import type { Stop } from '../../machine/stop.js';
import type { View } from '../../machine/views.js';
import type { WatchedRange } from '../../machine/watch.js';
import type { RecordedEvent } from '../log/events.js';
import type { PlayedSpace } from '../play/playedSpace.js';
import { NO_QUESTIONS } from '../play/playedWorld.js';
import type { Player } from '../play/player.js';
import { at, comparePositions, type Position } from '../log/position.js';
import type { Condition, Hit, MemoryAccess } from './conditions.js';
import { eventHappenings } from './eventHappenings.js';
import { type Happening, hitFor } from './hitMeets.js';

/** What is reported: 'stop' ends the scan. */
export type HitListener = (hit: Hit) => 'go on' | 'stop';

export class Scan {
  private readonly addresses = new Set<number>();
  private readonly tests = new Map<number, RegisterTest>();
  private readonly watched: WatchedRange[] = [];
  private readonly writable: WatchedMemory;
  private readonly kinds: ReadonlySet<Condition['kind']>;
  /** So many were reported. */
  hits = 0;
  /** Nothing is reported. */
  private stopped = true;
  private listener: HitListener = () => 'stop';
  private lookedAt: RecordedEvent | undefined;
  private start: Position = at(0);
  private limit: Position = at(0);

  constructor(
    private readonly player: Player,
    private readonly conditions: readonly Condition[],
  ) {
    for (const condition of conditions) {
      if (condition.kind !== 'memory') continue;
      for (const { start, end } of condition.ranges) this.watched.push({ start, end, kind: condition.access });
    }
    this.askForAddresses();
    this.writable = new WatchedMemory(this.watched.filter(({ kind }) => kind !== 'read'));
    this.kinds = new Set(conditions.map(({ kind }) => kind));
  }

  private askForAddresses(): void {
    const tested = new Map<number, RegisterTest[]>();
    for (const condition of this.conditions) {
      if (condition.kind !== 'address') continue;
      for (const address of condition.addresses) {
        if (condition.when === undefined) this.addresses.add(address);
        else tested.set(address, [...(tested.get(address) ?? []), condition.when]);
      }
    }
    for (const [address, parts] of tested) if (!this.addresses.has(address)) this.tests.set(address, parts.length === 1 ? (parts[0] as RegisterTest) : { kind: 'or', parts });
  }

  /** Before anything else. Code is translated for these conditions: better once for many parts. */
  begin(): void {
    this.player.setQuestions({ breakpoints: this.addresses, tests: this.tests, watched: this.watched });
    this.player.onEvent = (event, done) => this.lookAt(event, done);
    if (this.kinds.has('block')) this.player.world.onHookAnswer = (answer, space, time) => this.lookAtAnswer(answer, space, time);
  }

  /** Before `run`, and again before a part that does not follow the last one. */
  listen(listener: HitListener): void {
    this.listener = listener;
    this.stopped = false;
    this.lookedAt = undefined;
    this.player.lookAgain();
  }

  /** The player goes elsewhere. */
  pause(): void {
    this.stopped = true;
  }

  end(): void {
    this.player.onEvent = undefined;
    this.player.world.onHookAnswer = undefined;
    this.player.setQuestions(NO_QUESTIONS);
  }

  /**
   * From where the player stands up to `limit`: reports what has its position there, the first included and the last
   * not, so that parts of an execution have together what the whole has. It may be called again for another part.
   * False: ended by the listener.
   */
  run(limit: Position): boolean {
    this.start = this.player.position;
    this.limit = limit;
    return this.times().every((time) => this.runTo(time)) && this.runPlain(limit);
  }

  /** Times to stop at on the way, in order. */
  private times(): readonly number[] {
    const { start, limit } = this;
    const all = new Set(this.conditions.flatMap((condition) => (condition.kind === 'time' ? [condition.time] : [])));
    return [...all].filter((time) => comparePositions(at(time), start) >= 0 && comparePositions(at(time), limit) < 0).sort((a, b) => a - b);
  }

  private runTo(time: number): boolean {
    if (!this.runPlain(at(time))) return false;
    this.report({ kind: 'time', position: at(time), task: this.task, rip: this.rip });
    return !this.stopped;
  }

  private runPlain(end: Position): boolean {
    for (;;) {
      const arrival = this.player.advance(end.time, end.done);
      if (arrival.kind === 'stop') this.reportStop(arrival.stop);
      else this.lookAhead();
      if (this.stopped) return false;
      if (arrival.kind !== 'stop') return true;
    }
  }

  /** A system call that has been made, and not been answered yet, was about to be made before. */
  private lookAhead(): void {
    const { next, position } = this.player;
    if (next?.stop === 'syscall' && next.time === position.time) this.lookAt(next, position.done);
  }

  private get rip(): GuestAddr {
    return this.player.space?.machine.cpu.rip ?? guestAddr(0);
  }

  private get task(): number {
    return this.player.task?.id ?? 0;
  }

  private report(happened: Happening): void {
    const { position } = happened;
    if (this.stopped || comparePositions(position, this.start) < 0 || comparePositions(position, this.limit) >= 0) return;
    const hit = this.tested(hitFor(this.conditions, happened));
    if (hit === undefined) return;
    this.hits++;
    if (this.listener(hit) === 'stop') this.stopped = true;
  }

  /** Without the conditions whose tests of registers do not hold. */
  private tested(hit: Hit | undefined): Hit | undefined {
    const cpu = hit?.kind === 'address' ? this.player.space?.machine.cpu : undefined;
    if (hit === undefined || cpu === undefined) return hit;
    const registers: TestedRegisters = { big: (slot) => cpu.big(slot), stackTop: () => this.numberAt(cpu.num(RSP)) };
    const conditions = hit.conditions.filter((index) => {
      const condition = this.conditions[index];
      return condition?.kind !== 'address' || condition.when === undefined || holds(condition.when, registers);
    });
    return conditions.length === hit.conditions.length ? hit : conditions.length === 0 ? undefined : { ...hit, conditions };
  }

  private numberAt(address: number): bigint | undefined {
    const bytes = this.player.space?.machine.space.peek(guestAddr(address), 8);
    return bytes === undefined || bytes === null ? undefined : new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
  }

  private reportStop(stop: Stop): void {
    const { player, task } = this;
    if (stop.kind === 'breakpoint') this.report({ kind: 'address', position: player.position, task, rip: stop.at });
    if (stop.kind !== 'watched') return;
    const [access, ...others] = stop.accesses.map((one): MemoryAccess => ({ ...one, by: 'program' }));
    if (access === undefined) return;
    const position = at(stop.partial === true ? player.time : player.time - 1);
    this.report({ kind: 'memory', position, task, rip: stop.at, access, ...(others.length === 0 ? {} : { alsoAccessed: others }) });
  }

  private lookAt(event: RecordedEvent, done: number): void {
    if (this.stopped || event === this.lookedAt) return;
    this.lookedAt = event;
    const spaces = (id: number): PlayedSpace | undefined => this.player.world.spaces.get(id);
    const happenings = eventHappenings(event, done, this.kinds, this.writable, (id) => spaces(id)?.machine.space);
    happenings.sort((a, b) => comparePositions(a.position, b.position));
    for (const happened of happenings) this.report(happened);
  }

  /** In the middle of generated code: what the program is then can be looked at when a reader goes there. */
  private lookAtAnswer({ hidden, shown }: HookAnswer, { machine }: PlayedSpace, time: number): void {
    const common = { kind: 'block', position: at(time), task: this.task, rip: machine.cpu.rip } as const;
    const gone: View | undefined = hidden === undefined ? undefined : machine.space.viewNear(hidden);
    if (gone !== undefined) this.report({ ...common, block: { how: 'gone', view: { ...gone } } });
    if (shown !== undefined) this.report({ ...common, block: { how: 'made', view: shown } });
  }
}

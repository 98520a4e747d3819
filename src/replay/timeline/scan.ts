/**
 * Goes through a part of the execution and reports everything that meets one of some conditions, in order.
 * Instructions and memory are the engine's business; system calls, signals, switches and what the
 * kernel writes are in the recording.
 */
import { RIP } from '../../layout/cpuState.js';
import { linearOffset } from '../../machine/addressSpaceAccess.js';
import type { Stop } from '../../machine/stop.js';
import type { WatchedRange } from '../../machine/watch.js';
import type { Effect } from '../log/effects.js';
import type { RecordedEvent } from '../log/events.js';
import { FAULTS, type Player } from '../play/player.js';
import { at, comparePositions, type Position } from '../play/position.js';
import type { Condition, Hit, MemoryRange } from './conditions.js';

/** What is reported: 'stop' ends the scan. */
export type HitListener = (hit: Hit) => 'go on' | 'stop';

export class Scan {
  private readonly addresses = new Set<number>();
  private readonly watched: WatchedRange[] = [];
  /** So many were reported. */
  hits = 0;
  private stopped = false;
  private lookedAt: RecordedEvent | undefined;
  private start: Position = at(0);
  private limit: Position = at(0);

  constructor(
    private readonly player: Player,
    private readonly conditions: readonly Condition[],
    private readonly listener: HitListener,
  ) {
    for (const condition of conditions) {
      if (condition.kind === 'address') for (const address of condition.addresses) this.addresses.add(address);
      if (condition.kind !== 'memory') continue;
      for (const { start, end } of condition.ranges) this.watched.push({ start, end, kind: condition.access });
    }
  }

  /** Before `run`. Code is translated for these conditions: better once for many parts. */
  begin(): void {
    this.player.setQuestions(this.addresses, this.watched);
    this.player.onEvent = (event, done) => this.lookAt(event, done);
  }

  /** Before `run` of a part that does not follow the last one. */
  restart(): void {
    this.stopped = false;
    this.lookedAt = undefined;
  }

  end(): void {
    this.player.onEvent = undefined;
    this.player.setQuestions(new Set(), []);
  }

  /**
   * From where the player stands up to `limit`: reports what has its position there, the first included and the last
   * not, so that parts of an execution have together what the whole has. It may be called again for another part.
   * False: ended by the listener.
   */
  run(limit: Position): boolean {
    this.start = this.player.position;
    this.limit = limit;
    return this.times().every(({ time, index }) => this.runTo(time, index)) && this.runPlain(limit);
  }

  /** Times to stop at on the way, in order. */
  private times(): { readonly time: number; readonly index: number }[] {
    const { start, limit } = this;
    const all = this.conditions.flatMap((condition, index) => (condition.kind === 'time' ? [{ time: condition.time, index }] : []));
    return all.filter(({ time }) => comparePositions(at(time), start) >= 0 && comparePositions(at(time), limit) < 0).sort((a, b) => a.time - b.time);
  }

  private runTo(time: number, index: number): boolean {
    if (!this.runPlain(at(time))) return false;
    this.report({ position: at(time), condition: index, task: this.player.task?.id ?? 0, rip: this.rip });
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

  private get rip(): number {
    return this.player.space?.machine.cpu.rip ?? 0;
  }

  private report(hit: Hit): void {
    if (this.stopped || comparePositions(hit.position, this.start) < 0 || comparePositions(hit.position, this.limit) >= 0) return;
    this.hits++;
    if (this.listener(hit) === 'stop') this.stopped = true;
  }

  private reportStop(stop: Stop): void {
    const { player } = this;
    const task = player.task?.id ?? 0;
    if (stop.kind === 'breakpoint') {
      const condition = this.conditions.findIndex((c) => c.kind === 'address' && c.addresses.includes(stop.at));
      this.report({ position: player.position, condition, task, rip: stop.at });
    }
    if (stop.kind !== 'watched') return;
    for (const { address, bytes, write } of stop.accesses) {
      const condition = this.conditions.findIndex((c) => c.kind === 'memory' && (c.access === 'access' || (c.access === 'write') === write) && overlaps(c.ranges, address, bytes));
      const position = at(stop.partial === true ? player.time : player.time - 1);
      if (condition >= 0) this.report({ position, condition, task, rip: stop.at, access: { address, bytes, write, by: 'program' } });
    }
  }

  private lookAt(event: RecordedEvent, done: number): void {
    if (event === this.lookedAt) return;
    this.lookedAt = event;
    const hits = this.conditions.flatMap((condition, index) => hitsOf(event, done, condition, index));
    hits.sort((a, b) => comparePositions(a.position, b.position));
    for (const hit of hits) this.report(hit);
  }
}

/** What an event has of a condition. */
function hitsOf(event: RecordedEvent, done: number, condition: Condition, index: number): Hit[] {
  if (condition.kind === 'address' || condition.kind === 'time') return [];
  const registers = new DataView(event.registers.buffer, event.registers.byteOffset);
  const moment = at(event.time, done);
  const hit: Hit = {
    // The system call instruction is the last one before the event.
    position: event.stop === 'syscall' ? at(event.time - 1) : moment,
    condition: index, task: event.task, rip: Number(registers.getBigUint64(RIP.offset, true)),
  };
  if (condition.kind === 'syscall') {
    const number = registers.getUint32(0, true);
    return event.stop === 'syscall' && (condition.numbers?.includes(number) ?? true) ? [{ ...hit, syscall: number }] : [];
  }
  if (condition.kind === 'process') return processHit(event, { ...hit, position: moment });
  return event.effects.flatMap((effect) => hitOfEffect(effect, condition, FAULTS.has(event.stop) ? { ...hit, isFault: true } : hit, moment) ?? []);
}

/** A new process is told with the program that it has from its parent: that is no other one. */
function processHit({ effects }: RecordedEvent, hit: Hit): Hit[] {
  const made = effects.find((effect) => effect.op === 'process');
  if (made !== undefined) return [{ ...hit, process: { how: 'made', pid: made.pid } }];
  return effects.some(({ op }) => op === 'program') ? [{ ...hit, process: { how: 'executes' } }] : [];
}

function hitOfEffect(effect: Effect, condition: Condition, hit: Hit, moment: Position): Hit | undefined {
  if (condition.kind === 'memory' && condition.access !== 'read' && effect.op === 'write' && overlaps(condition.ranges, effect.address, effect.bytes.length)) {
    return { ...hit, access: { address: effect.address, bytes: effect.bytes.length, write: true, by: 'kernel' } };
  }
  if (condition.kind === 'signal' && effect.op === 'signal' && (condition.signals?.includes(effect.signal) ?? true)) {
    return { ...hit, position: moment, task: effect.task, signal: effect.signal };
  }
  if (condition.kind === 'return' && effect.op === 'result' && (condition.numbers?.includes(effect.number) ?? true)) {
    return { ...hit, position: moment, task: effect.task, syscall: effect.number, result: effect.result };
  }
  if (condition.kind === 'switch' && effect.op === 'run' && effect.task !== hit.task) return { ...hit, position: moment, task: effect.task };
  return undefined;
}

/** Memory may have several addresses (machine/views.ts), but only one place. */
function overlaps(ranges: readonly MemoryRange[], address: number, length: number): boolean {
  const place = linearOffset(address);
  return ranges.some(({ start, end }) => {
    const from = linearOffset(start);
    return place < from + (end - start) && from < place + length;
  });
}

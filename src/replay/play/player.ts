/**
 * Runs a recording again. There is no kernel: the guest's own code runs up to the time of the next
 * event, must stop there for the recorded reason with the recorded registers, and then what the
 * kernel did is done again (playedWorld.ts).
 */
import { assert } from '../../base/assert.js';
import { type GuestAddr, hex } from '../../base/types.js';
import type { Instrumentation } from '../../machine/instrumentation.js';
import type { PageStore } from '../../machine/snapshots/pageStore.js';
import type { Stop } from '../../machine/stop.js';
import type { EventLog, LogCursor, LogPlace } from '../log/eventLog.js';
import type { RecordedEvent, StopKind } from '../log/events.js';
import { Divergence, wrongRegisters, wrongStop } from './divergence.js';
import { NO_QUESTIONS, type NoteListener, PlayedWorld, type PlayedWorldOptions, type Questions } from './playedWorld.js';
import type { PlayedSpace, PlayedTask } from './playedSpace.js';
import { at, type Position } from '../log/position.js';
import type { WorldState } from './worldState.js';

export interface PlayerOptions extends PlayedWorldOptions {
  readonly log: EventLog;
}

/** Why the player stands where it does. */
export type Arrival =
  /** The time that was asked for. */
  | { readonly kind: 'reached' }
  /** The recording ends here. */
  | { readonly kind: 'end' }
  /** A breakpoint or watched memory of the engine's. */
  | { readonly kind: 'stop'; readonly stop: Stop };

/** Everything that is needed to go on from some time. */
export interface PlayerState {
  readonly time: number;
  readonly doneHere: number;
  readonly lastEvent: number;
  /** Where the next event is in the log. */
  readonly place: LogPlace;
  /** It was looked at already: what it says of the time before it has been done. */
  readonly expected: boolean;
  /** What functions with hooks do, if the log does not say so with the next event. */
  readonly hooks?: Uint8Array;
  readonly world: WorldState;
}

const REACHED: Arrival = { kind: 'reached' };
export const FAULTS: ReadonlySet<StopKind> = new Set(['pageFault', 'trap', 'unknownInstruction']);

export class Player {
  readonly world: PlayedWorld;
  /** Instructions retired. */
  time = 0;
  private readonly log: EventLog;
  private cursor: LogCursor;
  private upcoming: RecordedEvent | undefined;
  /** Where `upcoming` begins in the log. */
  protected place: LogPlace;
  private questions = NO_QUESTIONS;
  /** The breakpoint that was reported last: it is passed when the player goes on. */
  private passed: { readonly time: number; readonly done: number; readonly task: number } | undefined;
  /** Events that were applied at this time. */
  private doneHere = 0;
  /** Time of the last event that was applied. */
  protected lastEvent = 0;

  constructor(options: PlayerOptions) {
    this.log = options.log;
    this.world = new PlayedWorld(options);
    this.cursor = this.log.cursor();
    this.place = this.cursor.place;
  }

  /** Told of every event right before it takes effect, and how many there were at the same time before it. */
  onEvent: ((event: RecordedEvent, done: number) => void) | undefined;

  set onNote(listener: NoteListener | undefined) {
    this.world.onNote = listener;
  }

  get task(): PlayedTask | undefined {
    return this.world.current;
  }

  get space(): PlayedSpace | undefined {
    return this.world.currentSpace;
  }

  get position(): Position {
    return at(this.time, this.next?.time === this.time ? this.doneHere : Infinity);
  }

  /** Events that were applied at this time. */
  get eventsHere(): number {
    return this.doneHere;
  }

  /** The event that ends the stretch of code we are in; undefined at the end. */
  get next(): RecordedEvent | undefined {
    if (this.upcoming === undefined) {
      this.place = this.cursor.place;
      this.upcoming = this.cursor.next();
      if (this.upcoming !== undefined) this.world.applyAll(this.upcoming.known, this.time);
    }
    return this.upcoming;
  }

  /** Goes on to the state at `time`, with the first `done` events at that time (default: all) behind it. */
  advance(time: number, done = Infinity): Arrival {
    for (;;) {
      const event = this.next;
      if (event === undefined) return this.runOpen(time);
      const doneThen = this.time === event.time ? this.doneHere : 0;
      if (event.time > time || (event.time === time && doneThen >= done)) return this.runTowards(event, time);
      const arrival = this.runTo(event);
      if (arrival !== undefined) return arrival;
      this.apply(event);
    }
  }

  /**
   * What to stop at, in all processes: beginning with the next instruction. Where registers are tested, it may stop
   * though the test does not hold.
   */
  setQuestions(questions: Questions): void {
    this.questions = questions;
    this.passed = undefined;
    this.world.setQuestions(questions);
  }

  /** A breakpoint where it stands is reported again. */
  lookAgain(): void {
    this.passed = undefined;
  }

  /** What an analysis wants of the engines of all processes; `setQuestions` says where they stop. */
  instrument(value: Instrumentation): void {
    this.world.instrument(value);
  }

  save(store: PageStore): PlayerState {
    const expected = this.upcoming !== undefined;
    const { time, doneHere, lastEvent } = this;
    const hooks = hooksBefore(this.upcoming) === undefined ? this.world.hookAnswers : undefined;
    return { time, doneHere, lastEvent, place: expected ? this.place : this.cursor.place, expected, ...(hooks === undefined ? {} : { hooks }), world: this.world.save(store) };
  }

  restore(state: PlayerState, store: PageStore): void {
    this.world.restore(state.world, store);
    this.time = state.time;
    this.doneHere = state.doneHere;
    this.lastEvent = state.lastEvent;
    this.passed = undefined;
    this.place = state.place;
    this.cursor = this.log.cursor(state.place);
    this.upcoming = state.expected ? this.cursor.next() : undefined;
    this.world.expectHooks(hooksBefore(this.upcoming) ?? state.hooks, this.time);
  }

  /** By how much the clock moves because of the instructions before the event. */
  protected elapsedBefore(event: RecordedEvent): number {
    return event.time - this.lastEvent;
  }

  protected apply(event: RecordedEvent): void {
    this.world.clock.advance(this.elapsedBefore(event));
    this.lastEvent = event.time;
    this.upcoming = undefined;
    this.world.expectHooks(undefined);
    this.onEvent?.(event, this.doneHere);
    this.doneHere++;
    this.world.applyAll(event.effects, event.time);
  }

  /** After the last event that there is. */
  private runOpen(time: number): Arrival {
    const end = Math.min(time, this.log.openEnd);
    if (end > this.time) {
      const stop = this.run(end - this.time);
      if (isQuestion(stop)) return { kind: 'stop', stop };
      assert(this.time === end, 'nothing happens before the open end of a log');
    }
    return this.log.openEnd > this.lastEvent && this.time >= time ? REACHED : { kind: 'end' };
  }

  private runTowards(event: RecordedEvent, time: number): Arrival {
    if (time <= this.time) return REACHED;
    const stop = this.run(time - this.time);
    if (isQuestion(stop)) return { kind: 'stop', stop };
    // What costs no instruction (a call that is made, one that traps) is met though nothing was left to run.
    const isNext = (stop.kind === 'syscall' || FAULTS.has(stop.kind)) && event.stop === stop.kind && this.time === event.time;
    if (stop.kind !== 'budget' && !isNext) throw this.wrongStop(event, stop.kind);
    return REACHED;
  }

  /** Undefined: there. */
  private runTo(event: RecordedEvent): Arrival | undefined {
    if (event.stop === 'start') return undefined;
    // Usually we are there: only in branches an alteration may have interfered in the middle of a stretch.
    if (event.stop === 'more') return event.time > this.time ? this.runPlain(event) : undefined;
    const faults = FAULTS.has(event.stop);
    const count = event.time - this.time + (faults ? 1 : 0);
    if (count > 0) {
      // Some instructions that trap count as one: a player that stood before their event has met them already.
      this.world.isRepeating = faults && count === 1;
      const stop = this.run(count);
      this.world.isRepeating = false;
      if (isQuestion(stop)) return { kind: 'stop', stop };
      const wanted = event.stop === 'interrupted' ? 'budget' : event.stop;
      if (faults && stop.kind === wanted && count === 1 && this.time === event.time + 1) this.time = event.time;
      if (stop.kind !== wanted || this.time !== event.time) throw this.wrongStop(event, stop.kind);
    }
    this.check(event);
    return undefined;
  }

  private runPlain(event: RecordedEvent): Arrival | undefined {
    const stop = this.run(event.time - this.time);
    if (isQuestion(stop)) return { kind: 'stop', stop };
    if (this.time !== event.time) throw this.wrongStop(event, stop.kind);
    return undefined;
  }

  protected run(count: number): Stop {
    const { current, currentSpace } = this.world;
    if (current === undefined || currentSpace === undefined) throw this.nobodyRuns();
    currentSpace.load(current);
    const { engine, machine } = currentSpace;
    if (this.isAtBreakpoint(machine.cpu.rip, current)) return { kind: 'breakpoint', at: machine.cpu.rip };
    const before = engine.instructions;
    this.world.ofOthers = this.time - before;
    const stop = engine.run(count);
    const retired = engine.instructions - before;
    if (retired > 0) this.doneHere = 0;
    this.time += retired;
    if (stop.kind !== 'breakpoint') return stop;
    if (!this.isAsked(stop.at)) this.unknownCall(stop.at);
    this.notePassed(current);
    return stop;
  }

  /** A function with a hook is called when it was not then. */
  protected unknownCall(at: GuestAddr): void {
    throw new Divergence(this.time, `the program calls the function at ${hex(at)}, which it did not do then`);
  }

  /** The engine does not report one where it starts: it would never get on. But we start it anew at every event. */
  private isAtBreakpoint(rip: GuestAddr, task: PlayedTask): boolean {
    if (!this.isAsked(rip)) return false;
    const { passed } = this;
    if (passed?.time === this.time && passed.done === this.doneHere && passed.task === task.id) return false;
    this.notePassed(task);
    return true;
  }

  private isAsked(address: number): boolean {
    return this.questions.breakpoints.has(address) || this.questions.tests.has(address);
  }

  private notePassed({ id }: PlayedTask): void {
    this.passed = { time: this.time, done: this.doneHere, task: id };
  }

  protected check(event: RecordedEvent): void {
    const { current, currentSpace: space } = this.world;
    if (current === undefined || space === undefined) throw this.nobodyRuns();
    space.load(current);
    const wrong = wrongRegisters(event, space.stopRegisters);
    if (wrong !== undefined) throw wrong;
  }

  /** Only in a recording that has been changed. */
  private nobodyRuns(): Error {
    return new Divergence(this.time, 'the recording says that a program stopped, but none runs');
  }

  protected wrongStop(event: RecordedEvent, found: StopKind): Error {
    return wrongStop(event, this.time, this.world.currentSpace?.machine.cpu.rip ?? 0, found);
  }
}

function hooksBefore(event: RecordedEvent | undefined): Uint8Array | undefined {
  return event?.known.find((effect) => effect.op === 'hooks')?.answers;
}

function isQuestion({ kind }: Stop): boolean {
  return kind === 'breakpoint' || kind === 'watched';
}

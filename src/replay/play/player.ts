/**
 * Runs a recording again. There is no kernel: the guest's own code runs up to the time of the next
 * event, must stop there for the recorded reason with the recorded registers, and then what the
 * kernel did is done again (effectPlayer.ts).
 */
import { assert } from '../../base/assert.js';
import { STATE_BASE } from '../../layout/memoryMap.js';
import type { Stop } from '../../machine/stop.js';
import type { EventLog, LogCursor } from '../log/eventLog.js';
import { type RecordedEvent, STOP_REGISTER_BYTES, type StopKind } from '../log/events.js';
import { wrongRegisters, wrongStop } from './divergence.js';
import { type NoteListener, PlayedWorld, type PlayedWorldOptions } from './playedWorld.js';
import type { PlayedSpace, PlayedTask } from './playedSpace.js';

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

const REACHED: Arrival = { kind: 'reached' };
const FAULTS: ReadonlySet<StopKind> = new Set(['pageFault', 'trap', 'unknownInstruction']);

export class Player {
  readonly world: PlayedWorld;
  /** Instructions retired. */
  time = 0;
  protected readonly log: EventLog;
  private cursor: LogCursor;
  private upcoming: RecordedEvent | undefined;
  /** Time of the last event that was applied. */
  private lastEvent = 0;

  constructor(options: PlayerOptions) {
    this.log = options.log;
    this.world = new PlayedWorld(options);
    this.cursor = this.log.cursor();
  }

  set onNote(listener: NoteListener | undefined) {
    this.world.onNote = listener;
  }

  get task(): PlayedTask | undefined {
    return this.world.current;
  }

  get space(): PlayedSpace | undefined {
    return this.world.currentSpace;
  }

  /** The event that ends the stretch of code we are in; undefined at the end. */
  get next(): RecordedEvent | undefined {
    if (this.upcoming === undefined) {
      this.upcoming = this.cursor.next();
      if (this.upcoming !== undefined) this.world.applyAll(this.upcoming.known, this.time);
    }
    return this.upcoming;
  }

  /**
   * Goes on to the state at `time`: everything that happened at that time has happened, or (`before`) nothing
   * but the instructions.
   */
  advance(time: number, before = false): Arrival {
    for (;;) {
      const event = this.next;
      if (event === undefined) return { kind: 'end' };
      if (event.time > time || (event.time === time && before)) return this.runTowards(event, time);
      const arrival = this.runTo(event);
      if (arrival !== undefined) return arrival;
      this.apply(event);
    }
  }

  /** Applies the next event if the guest is there already. Whether it did. */
  protected apply(event: RecordedEvent): void {
    this.world.clock.advance(event.time - this.lastEvent);
    this.lastEvent = event.time;
    this.upcoming = undefined;
    this.world.applyAll(event.effects, event.time);
  }

  private runTowards(event: RecordedEvent, time: number): Arrival {
    if (time <= this.time) return REACHED;
    const stop = this.run(time - this.time);
    if (isQuestion(stop)) return { kind: 'stop', stop };
    const isCall = stop.kind === 'syscall' && event.stop === 'syscall' && this.time === event.time;
    if (stop.kind !== 'budget' && !isCall) throw this.wrongStop(event, stop.kind);
    return REACHED;
  }

  /** Undefined: there. */
  private runTo(event: RecordedEvent): Arrival | undefined {
    if (event.stop === 'start' || event.stop === 'more') return undefined;
    const faults = FAULTS.has(event.stop);
    const count = event.time - this.time + (faults ? 1 : 0);
    if (count > 0) {
      const stop = this.run(count);
      if (isQuestion(stop)) return { kind: 'stop', stop };
      const wanted = event.stop === 'interrupted' ? 'budget' : event.stop;
      if (stop.kind !== wanted || this.time !== event.time) throw this.wrongStop(event, stop.kind);
    }
    this.check(event);
    return undefined;
  }

  private run(count: number): Stop {
    const { current, currentSpace } = this.world;
    assert(current !== undefined && currentSpace !== undefined, 'somebody runs');
    currentSpace.load(current);
    const { engine } = currentSpace;
    const before = engine.instructions;
    const stop = engine.run(count);
    this.time += engine.instructions - before;
    return stop;
  }

  private check(event: RecordedEvent): void {
    const space = this.world.currentSpace;
    assert(space !== undefined, 'somebody ran');
    const found = space.machine.linear.u8.subarray(STATE_BASE, STATE_BASE + STOP_REGISTER_BYTES);
    const wrong = wrongRegisters(event, found);
    if (wrong !== undefined) throw wrong;
  }

  private wrongStop(event: RecordedEvent, found: StopKind): Error {
    return wrongStop(event, this.time, this.world.currentSpace?.machine.cpu.rip ?? 0, found);
  }
}

function isQuestion({ kind }: Stop): boolean {
  return kind === ('breakpoint' as string) || kind === ('watched' as string);
}

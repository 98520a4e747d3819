/**
 * Runs a recording on after the user has altered the program, as long as what was recorded still answers what the
 * program asks. It need not do the same, nor take the same time: but the same task must make the next recorded system
 * call, with the same arguments and the same bytes behind them. Where it does not, the follower leaves the recording
 * for good.
 */
import type { GuestAddr } from '../../base/types.js';
import { FS_BASE, GS_BASE, RAX } from '../../layout/cpuState.js';
import { SYSCALL_NAMES } from '../../base/syscallNames.js';
import type { PageStore } from '../../machine/snapshots/pageStore.js';
import type { Stop } from '../../machine/stop.js';
import type { Effect } from '../log/effects.js';
import type { LogPlace } from '../log/eventLog.js';
import { type EventHead, type RecordedEvent, STOP_REGISTER_BYTES } from '../log/events.js';
import { LogError } from '../log/logReader.js';
import type { PlayedSpace } from '../play/playedSpace.js';
import { type Arrival, FAULTS, Player, type PlayerState } from '../play/player.js';
import { changedWords } from '../log/registerWords.js';
import type { BranchLog } from './branchLog.js';
import { questionSlots } from './callArguments.js';
import type { SuppressedThread, Suppression } from './suppression/suppression.js';

/** Where the recording was left, and why. */
export interface Departure {
  readonly why: string;
  /** In the branch. */
  readonly time: number;
  /** What is still to be answered; undefined if the task was just running. */
  readonly stop: Stop | undefined;
  /** All events before it have happened. */
  readonly place: LogPlace;
  /** The time of the last of them in the recording, and by how much the branch has run on since. */
  readonly recordedTime: number;
  readonly ranOn: number;
}

export type Followed =
  | { readonly kind: 'reached' }
  | { readonly kind: 'end' }
  | { readonly kind: 'left'; readonly departure: Departure }
  /** The recording's answers cannot be had here. */
  | { readonly kind: 'unsupported'; readonly why: string };

const TURN_ENDED: Stop = { kind: 'budget' };
/** While others may have to run: how much longer than recorded a task may take to its next system call. */
const PATIENCE = { FACTOR: 4, LEAST: 1_000_000 } as const;
/** Words of the CPU state that a system call sets to what it returns, whatever they were. */
const PLAIN_WORDS: ReadonlySet<number> = new Set([RAX, FS_BASE, GS_BASE].flatMap(({ offset }) => [offset / 4, offset / 4 + 1]));
const GENERAL_WORDS = STOP_REGISTER_BYTES / 4;
const BASE_WORDS: ReadonlySet<number> = new Set([FS_BASE, GS_BASE].flatMap(({ offset }) => [offset / 4, offset / 4 + 1]));

export class Follower extends Player {
  /** The program has been altered. */
  private altered = false;
  /** Leave at the next system call, whatever it is. */
  leaveAtNextCall = false;
  /** Where what happens is written to, if a timeline is to go through it again. */
  branchLog: BranchLog | undefined;
  /** Our time when the last event was applied. */
  private stretchStart = 0;
  /** Our time when the clock was last moved, and by how much it is behind the recorded one (negative: ahead). */
  private clockMoved = 0;
  private clockBehind = 0;
  /** By how much more than instructions it was moved then. */
  private clockJump = 0;
  /** The task has stopped, and has had no answer yet. */
  private unanswered: Stop | undefined;

  /** Leaves out what is corrupt while it runs. */
  suppression: Suppression | undefined;
  /** What it has stored since the log was last told. */
  private readonly stored: Effect[] = [];

  override advance(time: number, done?: number): Arrival {
    const arrival = super.advance(time, done);
    this.settle();
    return arrival;
  }

  /** Only what a player saved that had not been altered. */
  override restore(state: PlayerState, store: PageStore): void {
    super.restore(state, store);
    this.stretchStart = this.clockMoved = state.lastEvent;
    this.clockBehind = 0;
    this.settle();
  }

  /** Something has been: from now on nothing is as it was. */
  wasAltered(effects: readonly Effect[]): void {
    this.altered = true;
    this.moveClock();
    this.branchLog?.append(this.headOf({ stop: 'more', task: this.task?.id ?? 0 }), effects);
  }

  /** The clock has moved with every instruction so far. */
  moveClock(): void {
    const elapsed = this.time - this.clockMoved;
    this.world.clock.advance(elapsed);
    this.clockBehind -= elapsed;
    this.clockMoved = this.time;
  }

  /** Goes on up to our own time `limit`. */
  follow(limit: number): Followed {
    for (;;) {
      const event = this.next;
      if (event === undefined) return { kind: 'end' };
      const result = event.stop === 'start' || event.stop === 'more' ? undefined : this.runOn(event, limit);
      if (result !== undefined) return result;
      try {
        this.apply(event);
      } catch (error) {
        if (!(error instanceof LogError) || !this.altered) throw error;
        return { kind: 'unsupported', why: 'a recorded result has no place in the altered memory' };
      }
    }
  }

  /** Leaves here. */
  leave(why: string, stop = this.unanswered): Followed {
    void this.next;
    const departure = { why, time: this.time, stop, place: this.place, recordedTime: this.lastEvent, ranOn: this.time - this.stretchStart };
    return { kind: 'left', departure };
  }

  /** It may stand in the middle of a system call. */
  private settle(): void {
    const event = this.next;
    this.unanswered = event?.stop === 'syscall' && event.time === this.time ? { kind: 'syscall' } : undefined;
  }

  protected override apply(event: RecordedEvent): void {
    const effects = this.altered ? event.effects.filter(isStillTrue).map((effect) => this.adapted(effect, event)) : event.effects;
    const head = this.headOf(event);
    super.apply({ ...event, effects });
    const slept: Effect[] = this.clockJump > 0 ? [{ op: 'clock', nanoseconds: this.clockJump }] : [];
    // What the next event says of files holds from here on, and who reads the log may have to go on before it is there.
    this.branchLog?.append(head, [...slept, ...effects, ...(this.next?.known ?? [])]);
    this.stretchStart = this.clockMoved = this.time;
  }

  /** The clock is never behind the recorded one, whose times the program gets to know, and never stands still. */
  protected override elapsedBefore(event: RecordedEvent): number {
    this.clockBehind += event.time - this.lastEvent;
    const ours = this.time - this.clockMoved;
    const elapsed = Math.max(ours, this.clockBehind);
    this.clockBehind -= elapsed;
    this.clockJump = elapsed - ours;
    return elapsed;
  }

  /** Of an event of ours. */
  private headOf({ stop, task }: Pick<RecordedEvent, 'stop' | 'task'>): EventHead {
    const { current, currentSpace: space } = this.world;
    if (current !== undefined) space?.load(current);
    return { time: this.time, task, stop, registers: space?.stopRegisters.slice() ?? new Uint8Array(STOP_REGISTER_BYTES) };
  }

  /** Undefined: the task has stopped as the event says, and what came of it can come again. */
  private runOn(event: RecordedEvent, limit: number): Followed | undefined {
    const { unanswered } = this;
    this.unanswered = undefined;
    if (unanswered !== undefined) return this.judge(event, unanswered);
    const left = event.time - this.lastEvent - (this.time - this.stretchStart);
    if (isTurn(event) && left <= 0) return this.judge(event, TURN_ENDED);
    if (this.time >= limit) return { kind: 'reached' };
    const longest = this.longest(event, left);
    if (longest <= 0) return this.leave('it runs on where a system call was recorded');
    const stop = this.run(Math.min(longest, limit - this.time));
    if (stop.kind !== 'budget') return this.judge(event, stop);
    return this.runOn(event, limit);
  }

  /** How many instructions more it may take to the event. `left`: as many as it took. */
  private longest(event: RecordedEvent, left: number): number {
    if (isTurn(event)) return left;
    if (!this.altered) return left + (FAULTS.has(event.stop) ? 1 : 0);
    const taken = this.time - this.stretchStart;
    return this.world.tasks.size > 1 ? Math.max(PATIENCE.LEAST, PATIENCE.FACTOR * (left + taken)) - taken : Infinity;
  }

  protected override run(count: number): Stop {
    const { suppression } = this;
    if (suppression === undefined) return super.run(count);
    for (let left = count; ; ) {
      const thread = this.suppressedThread();
      if (thread !== undefined) suppression.running(thread);
      const before = this.time;
      const stop = super.run(left);
      left -= this.time - before;
      if (thread === undefined) return stop;
      if (stop.kind === 'undefined') this.interfere(() => suppression.met(thread));
      else if (stop.kind !== 'syscall' || !this.answers(suppression, thread)) {
        // Where the bytes come back only a kernel knows.
        if (stop.kind === 'syscall' && suppression.sendsCorrupt(thread)) this.leaveAtNextCall = true;
        return stop;
      }
      if (left <= 0) return TURN_ENDED;
    }
  }

  /** Whether a system call was answered that is not to be made. */
  private answers(suppression: Suppression, thread: SuppressedThread): boolean {
    const answer = suppression.answered(thread);
    if (answer === undefined) return false;
    this.interfere(() => thread.machine.cpu.setNum(RAX, answer));
    return true;
  }

  /** The thread that runs, with its registers loaded. */
  suppressedThread(): SuppressedThread | undefined {
    const { current, currentSpace } = this.world;
    if (current === undefined || currentSpace === undefined) return undefined;
    currentSpace.load(current);
    currentSpace.engine.runsFor(current);
    const { engine: { shadow }, machine, id } = currentSpace;
    const store = (address: number, bytes: Uint8Array): void => {
      machine.space.poke(address, bytes);
      this.stored.push({ op: 'write', space: id, address, bytes });
    };
    return shadow && { machine, shadow, owner: current, store };
  }

  /** Does something to the thread that runs, and tells the log. */
  interfere(change: () => void): void {
    const { current, currentSpace } = this.world;
    if (current === undefined || currentSpace === undefined) return;
    const before = currentSpace.wordsOf(current).slice();
    change();
    const words = changedWords(before, currentSpace.wordsOf(current));
    const effects: Effect[] = [...this.stored.splice(0), { op: 'registers', task: current.id, space: currentSpace.id, words }];
    this.wasAltered(effects);
  }

  protected override unknownCall(at: GuestAddr): void {
    if (!this.altered) super.unknownCall(at);
  }

  private judge(event: RecordedEvent, stop: Stop): Followed | undefined {
    if (stop.kind === 'breakpoint') return { kind: 'unsupported', why: 'it allocates memory otherwise than it did, and nobody is there who checks it' };
    if (stop.kind === 'syscall' && this.leaveAtNextCall) return this.leave('as was asked', stop);
    if (!this.altered) {
      if (stop.kind !== event.stop && !(isTurn(event) && stop === TURN_ENDED)) throw this.wrongStop(event, stop.kind);
      this.check(event);
      return undefined;
    }
    const why = stop === TURN_ENDED ? foreignWords(event) : this.difference(event, stop);
    return why === undefined ? undefined : this.leave(why, stop === TURN_ENDED ? undefined : stop);
  }

  /** Why what was recorded is no answer to what has stopped the task. */
  private difference(event: RecordedEvent, stop: Stop): string | undefined {
    if (stop.kind !== 'syscall') return `it stops for another reason (${stop.kind})`;
    const { cpu } = (this.world.currentSpace as PlayedSpace).machine;
    const call = callName(cpu.lo(RAX));
    if (event.stop !== 'syscall') return `it makes a system call (${call}) where none was recorded`;
    const recorded = new DataView(event.registers.buffer, event.registers.byteOffset);
    for (const slot of questionSlots(cpu.lo(RAX))) {
      const [was, is] = [recorded.getBigUint64(slot.offset, true), cpu.big(slot)];
      if (was === is) continue;
      if (slot === RAX) return `it makes another system call (${call} instead of ${callName(recorded.getUint32(RAX.offset, true))})`;
      return `the system call ${call} has another argument: ${slot.name} is 0x${is.toString(16)}, recorded 0x${was.toString(16)}`;
    }
    for (const effect of event.effects) {
      if (FILE_FACTS.has(effect.op)) {
        this.world.applyAll([effect], this.time);
        continue;
      }
      if (effect.op !== 'input') break;
      const difference = this.world.differenceOfInput(effect);
      if (difference !== undefined) return `the system call ${call} is about other bytes: ${difference}`;
    }
    return foreignWords(event);
  }

  /** A new task starts with the registers of its maker, which may be others now. */
  private adapted(effect: Effect, event: RecordedEvent): Effect {
    const { current, currentSpace } = this.world;
    if (effect.op !== 'registers' || effect.task === event.task || current === undefined || currentSpace === undefined) return effect;
    const now = currentSpace.wordsOf(current);
    const maker = new DataView(event.registers.buffer, event.registers.byteOffset);
    const recorded = new Map(effect.words);
    const words = Array.from(now, (value, i): [number, number] => {
      const child = recorded.get(i) ?? 0;
      const isMakers = i < GENERAL_WORDS ? child === maker.getUint32(i * 4, true) : !BASE_WORDS.has(i);
      return [i, isMakers ? value : child];
    });
    return { ...effect, words };
  }
}

/** What comes between inputs; to do it twice does no harm. */
const FILE_FACTS: ReadonlySet<Effect['op']> = new Set<Effect['op']>(['patch', 'objectSize']);

/** Memory is not what it was. */
function isStillTrue({ op }: Effect): boolean {
  return op !== 'hash';
}

function isTurn({ stop }: RecordedEvent): boolean {
  return stop === 'budget' || stop === 'interrupted';
}

/** Results that depend on more registers than the log has: signals, new programs. */
function foreignWords({ effects, task }: RecordedEvent): string | undefined {
  const isForeign = effects.some((effect) => (effect.op === 'run' || (effect.op === 'registers' && effect.task === task)) && effect.words.some(([index]) => !PLAIN_WORDS.has(index)));
  return isForeign ? 'a signal comes, or another program starts' : undefined;
}

function callName(number: number): string {
  return SYSCALL_NAMES[number] ?? String(number);
}

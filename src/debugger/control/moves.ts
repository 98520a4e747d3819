/**
 * How one thread is moved in either direction: by one instruction, or to some addresses. In a recording the schedule is fixed, so
 * other threads take their turns meanwhile; what the user wants to stop at stops them, too.
 */
import { at, comparePositions, type Position } from '../../replay/play/position.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { State } from '../../replay/timeline/state.js';
import type { Work } from '../../replay/timeline/work.js';
import { Backtrace } from '../program/backtrace.js';
import { FarJumps } from '../program/farJumps.js';
import type { ProgramView } from '../program/programView.js';
import type { FrameId } from '../program/visibleFrame.js';
import { type Arrival, type Goal, type Interest, run, signalHere, type ViewAt } from './running.js';
import type { Direction, Stop } from './stops.js';

export interface MoveContext {
  readonly execution: Execution;
  readonly viewAt: ViewAt;
  /** What the user wants to stop at; asked for before every move. */
  interests(direction: Direction): readonly Interest[];
  /** Where the user has been told of a signal that is about to take effect. */
  readonly told: Position | undefined;
  /** After every move, with what was handed out before it. */
  done(interests: readonly Interest[]): void;
}

export type Moved =
  /** `jumped`: not to where it was to go, but out of calls that never return, into the frame that was stepped in or above. */
  | { readonly kind: 'there'; readonly jumped?: boolean }
  | { readonly kind: 'stop'; readonly stop: Stop }
  /** The end of the recording, or its start. */
  | { readonly kind: 'limit' };

const SIGRETURN = 15;
const THERE: Moved = { kind: 'there' };

export class Moves {
  /** Where a signal is about to take effect that nobody wants to hear of, or has heard of. */
  private known: Position | undefined;

  constructor(
    private readonly context: MoveContext,
    readonly thread: number,
    readonly direction: Direction,
    private readonly work: Work | undefined,
  ) {
    this.known = context.told;
  }

  /** Whether the program goes on with a signal that the user has been told of. */
  get isAtSignal(): boolean {
    const { told, execution } = this.context;
    return told !== undefined && comparePositions(told, execution.position) === 0;
  }

  /** Undefined if the thread is no more. */
  get view(): ProgramView | undefined {
    return this.context.viewAt(this.context.execution.state, this.thread);
  }

  async instruction(): Promise<Moved> {
    return this.direction === 'forward' ? this.nextInstruction() : this.lastInstruction();
  }

  /** To one of the addresses, if the thread is where `accepts` wants it then. */
  async to(addresses: readonly bigint[], accepts: (view: ProgramView) => boolean): Promise<Moved> {
    return this.towards({
      conditions: [{ kind: 'address', addresses: addresses.map(Number) }],
      accepts: (hit, state) => {
        if (hit.task !== this.thread) return false;
        const view = this.context.viewAt(state, this.thread);
        return view !== undefined && accepts(view);
      },
    });
  }

  /** The same, going back; or to where a signal's handler returned from, which interrupted that. */
  async backTo(addresses: readonly bigint[], accepts: (view: ProgramView) => boolean): Promise<Moved> {
    return this.towards({
      conditions: [{ kind: 'address', addresses: addresses.map(Number) }, { kind: 'syscall', numbers: [SIGRETURN] }],
      accepts: (hit, state) => {
        if (hit.task !== this.thread) return false;
        if (hit.kind === 'syscall') return true;
        const view = this.context.viewAt(state, this.thread);
        return view !== undefined && accepts(view);
      },
    });
  }

  /**
   * The same while calls of `frame` are under way, which may end by a jump (longjmp, an exception): then it ends where that leads to,
   * unless that is in one of these calls.
   */
  async toInCalls(addresses: readonly bigint[], accepts: (view: ProgramView) => boolean, frame: FrameId): Promise<Moved> {
    const { view } = this;
    if (view === undefined || this.direction === 'backward') return this.to(addresses, accepts);
    const jumps = new FarJumps(view);
    for (let target: bigint | undefined; ; ) {
      const wanted = target;
      const moved = await this.to([...addresses, ...jumps.addresses, ...(wanted === undefined ? [] : [wanted])], (there) => {
        return (addresses.includes(there.pc) && accepts(there)) || jumps.addresses.includes(there.pc) || there.pc === wanted;
      });
      const there = moved.kind === 'there' ? this.view : undefined;
      if (there === undefined || (addresses.includes(there.pc) && accepts(there))) return moved;
      if (there.pc === wanted && isOutOfCalls(there, frame)) return { kind: 'there', jumped: true };
      target = jumps.targetFrom(there) ?? target;
    }
  }

  /** Without any goal: as far as the user allows. */
  async away(): Promise<Moved> {
    return this.towards(undefined);
  }

  private async nextInstruction(): Promise<Moved> {
    const { execution } = this.context;
    const turn = await this.ownTurn();
    if (turn.kind !== 'there') return turn;
    const { time, done } = execution.position;
    const before = this.place;
    // Where the kernel is at work, what it does is the step, if it does something: a fault leads to a handler.
    const moved = await this.towards(done === Infinity ? this.instructionGoal(time + 1) : timeGoal(time));
    if (moved.kind !== 'there') return moved;
    const again = await this.ownTurn();
    return again.kind === 'there' && done !== Infinity && execution.position.time === time && this.place === before ? this.nextInstruction() : again;
  }

  /** If the instruction then faults, it is right before that. */
  private instructionGoal(time: number): Goal {
    return {
      conditions: [{ kind: 'time', time }, { kind: 'signal' }],
      accepts: (hit) => hit.kind === 'time' || (hit.isFault === true && hit.task === this.thread && hit.position.time === time),
      comesFirst: true,
    };
  }

  private async lastInstruction(): Promise<Moved> {
    const { execution } = this.context;
    const { time } = execution.position;
    if (time === 0) return { kind: 'limit' };
    const moved = await this.towards(timeGoal(time - 1));
    if (moved.kind !== 'there' || this.isRunning(execution.state)) return moved;
    const switched = await this.towards({
      conditions: [{ kind: 'switch' }],
      accepts: (hit, state) => hit.task !== this.thread && this.isRunning(state),
    });
    if (switched.kind !== 'there') return switched;
    return this.towards(timeGoal(execution.position.time - 1));
  }

  /** Where the thread runs: now, or when it gets its next turn. */
  private async ownTurn(): Promise<Moved> {
    if (this.isRunning(this.context.execution.state)) return THERE;
    if (this.view === undefined) return this.away();
    return this.towards({ conditions: [{ kind: 'switch' }], accepts: (hit) => hit.task === this.thread }, 'after');
  }

  private get place(): string {
    const { view } = this;
    return `${view?.pc} ${view?.register('rsp')}`;
  }

  private isRunning(state: State): boolean {
    return state.current?.id === this.thread;
  }

  private async signalHere(): Promise<Stop | undefined> {
    const { execution } = this.context;
    const { position } = execution;
    const isKnown = this.known !== undefined && comparePositions(this.known, position) === 0;
    if (this.direction === 'backward' || position.done === Infinity || isKnown) return undefined;
    this.known = position;
    return signalHere(execution, this.context.interests(this.direction), this.work);
  }

  /** `after`: where what was found has happened. */
  private async towards(goal: Goal | undefined, when: 'before' | 'after' = 'before'): Promise<Moved> {
    const { execution } = this.context;
    const told = await this.signalHere();
    if (told !== undefined) return { kind: 'stop', stop: told };
    let arrival: Arrival;
    do {
      const interests = this.context.interests(this.direction);
      arrival = await run({ execution, direction: this.direction, interests, goal, work: this.work });
      this.context.done(interests);
    } while (arrival.kind === 'again');
    if (arrival.kind === 'stop') return { kind: 'stop', stop: arrival.stop };
    if (arrival.kind === 'limit') return { kind: 'limit' };
    if (when === 'after') await execution.seek(at(arrival.hit.position.time, arrival.hit.position.done + 1), this.work);
    return THERE;
  }
}

/** Whether the innermost frame is this one, or that one is no more. */
function isOutOfCalls(view: ProgramView, frame: FrameId): boolean {
  const id = new Backtrace(view, { pastMain: true }).innermost?.stackId;
  return id === undefined || id.stack >= frame.stack;
}

function timeGoal(time: number): Goal {
  return { conditions: [{ kind: 'time', time }], accepts: () => true };
}

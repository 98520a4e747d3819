/**
 * How one thread is moved in either direction: by one instruction, or to some addresses. In a recording the schedule is
 * fixed, so other threads take their turns meanwhile; what there is to stop at stops them, too.
 */
import { guestAddr } from '../../base/types.js';
import { at, comparePositions, type Position } from '../../replay/log/position.js';
import type { Condition } from '../../replay/timeline/conditions.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { State } from '../../replay/timeline/state.js';
import { Cancelled, type Work } from '../../replay/timeline/work.js';
import { Backtrace } from '../program/backtrace.js';
import { FarJumps } from '../program/farJumps.js';
import type { ProgramView } from '../program/programView.js';
import type { FrameId } from '../program/visibleFrame.js';
import { type Arrival, type Goal, type Interest, isOutside, lookHere, run, type RunRequest, type Stretch, type ViewAt } from './running.js';
import { hasEnteredHandler, isAtSystemCall } from './specialPlaces.js';
import type { Standing } from './standing.js';
import type { Direction, Stop } from './stops.js';

export interface MoveContext<S> {
  readonly execution: Execution;
  readonly viewAt: ViewAt;
  /** What to stop at; asked for before every move. */
  interests(direction: Direction): readonly Interest<S>[];
  /** Where the user has been told of a signal that is about to take effect. */
  readonly told: Position | undefined;
  /** After every move, with what was handed out before it. */
  done(interests: readonly Interest<S>[]): void;
  /** Several stops in one place as one. */
  together(stops: readonly S[]): S | undefined;
  /**
   * Of what happens before the position changes, which searches pass: what is looked at before one begins. Accesses
   * need not be if all watchpoints are filters (`Interest.accepts`): those see the next instruction's.
   */
  readonly looksAt: ReadonlySet<Condition['kind']>;
  /** Where one stands after an instruction. */
  readonly standing: Standing;
  /** The part of the execution that is gone through; default: all of it. */
  readonly within?: Stretch;
}

export type Moved<S> =
  /**
   * `jumped`: not to where it was to go, but out of calls that never return, into the frame that was stepped in or
   * above.
   */
  | { readonly kind: 'there'; readonly jumped?: boolean }
  | { readonly kind: 'stop'; readonly stop: S }
  /** The end of what is gone through, or its start. */
  | { readonly kind: 'limit' };

const SIGRETURN = 15;
const THERE = { kind: 'there' } as const;
const LIMIT = { kind: 'limit' } as const;

export class Moves<S = Stop> {
  /** Where a signal is about to take effect that is of no interest, or that the user has heard of. */
  private known: Position | undefined;

  constructor(
    private readonly context: MoveContext<S>,
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

  async instruction(): Promise<Moved<S>> {
    return this.direction === 'forward' ? this.nextInstruction() : this.lastInstruction();
  }

  /** To one of the addresses, if the thread is where `accepts` wants it then. */
  async to(addresses: readonly bigint[], accepts?: (view: ProgramView) => boolean): Promise<Moved<S>> {
    return this.towards({
      conditions: [atAddresses(addresses)],
      accepts: (hit, state) => hit.task === this.thread && this.isAccepted(state, accepts),
    });
  }

  /** The same, going back; or to where a signal's handler returned from, which interrupted that. */
  async backTo(addresses: readonly bigint[], accepts: (view: ProgramView) => boolean): Promise<Moved<S>> {
    return this.towards({
      conditions: [atAddresses(addresses), { kind: 'syscall', numbers: [SIGRETURN] }],
      accepts: (hit, state) => hit.task === this.thread && (hit.kind === 'syscall' || this.isAccepted(state, accepts)),
    });
  }

  private isAccepted(state: State, accepts: ((view: ProgramView) => boolean) | undefined): boolean {
    const view = accepts === undefined ? undefined : this.context.viewAt(state, this.thread);
    return accepts === undefined || (view !== undefined && accepts(view));
  }

  /**
   * The same while calls of `frame` are under way, which may end by a jump (longjmp, an exception): then it ends where
   * that leads to, unless that is in one of these calls.
   */
  async toInCalls(addresses: readonly bigint[], accepts: (view: ProgramView) => boolean, frame: FrameId): Promise<Moved<S>> {
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

  /** Without any goal: as far as the interests allow. */
  async away(): Promise<Moved<S>> {
    return this.towards(undefined);
  }

  private async nextInstruction(): Promise<Moved<S>> {
    const { execution, standing } = this.context;
    const before = this.place;
    for (;;) {
      const turn = await this.ownTurn();
      if (turn.kind !== 'there') return turn;
      const { time, done } = execution.position;
      // Where the kernel is at work, what it does is the step, if it does something: a fault leads to a handler.
      if (this.place !== before) return this.settled(time);
      if (done === Infinity) return standing === 'behind events' ? this.runInstruction(time) : this.retireInstruction(time);
      const moved = await this.towards(timeGoal(time));
      if (moved.kind !== 'there') return moved;
      if (this.place !== before) return this.ownTurn();
    }
  }

  /** The thread has been put elsewhere by the kernel, and got its turn. */
  private async settled(time: number): Promise<Moved<S>> {
    return this.context.standing === 'behind events' ? this.towards(timeGoal(time)) : THERE;
  }

  /**
   * Through one instruction, what the kernel does then, and the turns of other threads. If it faults, right before
   * that.
   */
  private async runInstruction(time: number): Promise<Moved<S>> {
    const place = at(time + 1);
    const moved = await this.towards({
      conditions: [{ kind: 'time', time: place.time }, { kind: 'signal' }],
      accepts: ({ kind, isFault, task, position }) => {
        return kind === 'time' || (isFault === true && task === this.thread && position.time === place.time);
      },
      comesFirst: true,
      place,
    });
    return moved.kind === 'there' ? this.ownTurn() : moved;
  }

  /** Through one instruction alone. A system call is one with what the kernel does about it. */
  private async retireInstruction(time: number): Promise<Moved<S>> {
    const { execution, within } = this.context;
    const isCall = isAtSystemCall(execution.state, this.thread);
    const access = await this.here();
    if (access?.kind === 'stop') return access;
    if (execution.position.time === time) await execution.seek(at(time + 1, 0));
    if (isOutside(within, execution.position)) return LIMIT;
    if (!isCall || execution.position.done !== 0) return THERE;
    const event = await this.here();
    if (event?.kind === 'stop') return event;
    if (execution.position.done === 0) await execution.seek(at(time + 1, 1));
    return isOutside(within, execution.position) ? LIMIT : this.ownTurn();
  }

  private async lastInstruction(): Promise<Moved<S>> {
    const { execution } = this.context;
    if (await this.leaveHandler()) return THERE;
    const { time } = execution.position;
    if (time === 0) return LIMIT;
    const isAlone = this.context.standing === 'behind instructions';
    const moved = isAlone ? await this.undoInstruction(time) : await this.towards(timeGoal(time - 1));
    if (moved.kind !== 'there' || this.isRunning(execution.state)) return moved;
    const switched = await this.towards({
      conditions: [{ kind: 'switch' }],
      accepts: (hit, state) => hit.task !== this.thread && this.isRunning(state),
    });
    if (switched.kind !== 'there') return switched;
    return this.towards(timeGoal(execution.position.time - 1));
  }

  /** The counterpart of retireInstruction: nothing but the instruction counts. It is cheaper than a search. */
  private async undoInstruction(time: number): Promise<Moved<S>> {
    const { execution, within, looksAt } = this.context;
    await execution.seek(at(time - 1));
    if (isOutside(within, execution.position)) return LIMIT;
    const access = await lookHere(this.request(undefined), looksAt);
    return access?.kind === 'stop' ? access : THERE;
  }

  /**
   * If a signal has just put the thread here: to where it was, which may be an instruction that faults and never
   * retires.
   */
  private async leaveHandler(): Promise<boolean> {
    const { execution, within } = this.context;
    const { position, state } = execution;
    if (position.done === 0 || !hasEnteredHandler(state, this.thread)) return false;
    const handler = state.register(this.thread, 'rip');
    await execution.seek(at(position.time, 0));
    const rip = execution.state.register(this.thread, 'rip');
    if (!isOutside(within, execution.position) && rip !== undefined && rip !== handler) return true;
    await execution.seek(position);
    return false;
  }

  /** Where the thread runs: now, or when it gets its next turn. */
  private async ownTurn(): Promise<Moved<S>> {
    const { execution } = this.context;
    const { state } = execution;
    if (this.isRunning(state)) return THERE;
    if (!state.threads.some(({ id }) => id === this.thread)) return this.away();
    return this.towards({ conditions: [{ kind: 'switch' }], accepts: (hit) => hit.task === this.thread }, 'after');
  }

  private get place(): string {
    const { state } = this.context.execution;
    return `${state.register(this.thread, 'rip')} ${state.register(this.thread, 'rsp')}`;
  }

  private isRunning(state: State): boolean {
    return state.current?.id === this.thread;
  }

  /** `after`: where what was found has happened. */
  private async towards(goal: Goal | undefined, when: 'before' | 'after' = 'before'): Promise<Moved<S>> {
    const { execution } = this.context;
    let arrival: Arrival<S>;
    do {
      if (isBeyond(execution.position, goal?.place, this.direction)) return THERE;
      const request = this.request(goal);
      arrival = (await this.here(request)) ?? (await run(request));
      this.context.done(request.interests);
    } while (arrival.kind === 'again');
    if (arrival.kind === 'stop') return { kind: 'stop', stop: arrival.stop };
    if (arrival.kind === 'limit') return LIMIT;
    if (when === 'after') await execution.seek(at(arrival.hit.position.time, arrival.hit.position.done + 1), this.work);
    return THERE;
  }

  /** What is to be seen before the position changes. Signals that have been looked at are not looked at again. */
  private async here(request = this.request(undefined)): Promise<Exclude<Arrival<S>, { kind: 'limit' }> | undefined> {
    const { execution: { position }, looksAt } = this.context;
    if (this.direction === 'backward') return undefined;
    const isKnown = this.known !== undefined && comparePositions(this.known, position) === 0;
    if (position.done !== Infinity) this.known = position;
    return lookHere(request, isKnown ? new Set([...looksAt].filter((kind) => kind !== 'signal')) : looksAt);
  }

  private request(goal: Goal | undefined): RunRequest<S> {
    const { context, direction, work } = this;
    const { execution, within } = context;
    return { execution, direction, interests: context.interests(direction), goal, work, within, together: (stops) => context.together(stops) };
  }
}

/** Makes some moves. If they are given up, what is debugged stands where it stood, and the result is undefined. */
export async function unlessCancelled<T>(debugged: { readonly execution: Execution }, moves: () => Promise<T>): Promise<T | undefined> {
  const { execution } = debugged;
  const home = execution.position;
  try {
    return await moves();
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    // A branch that was left on the way is no more: then it stands where that began.
    if (debugged.execution === execution && comparePositions(execution.position, home) !== 0) await execution.seek(home);
    return undefined;
  }
}

/** Whether the innermost frame is this one, or that one is no more. */
function isOutOfCalls(view: ProgramView, frame: FrameId): boolean {
  const id = new Backtrace(view, { pastMain: true }).innermost?.stackId;
  return id === undefined || id.stack >= frame.stack;
}

function atAddresses(addresses: readonly bigint[]): Condition {
  return { kind: 'address', addresses: addresses.map((address) => guestAddr(Number(address))) };
}

function timeGoal(time: number): Goal {
  const place = at(time);
  return { conditions: [{ kind: 'time', time: place.time }], place };
}

function isBeyond(position: Position, place: Position | undefined, direction: Direction): boolean {
  if (place === undefined) return false;
  const order = comparePositions(position, place);
  return direction === 'forward' ? order >= 0 : order <= 0;
}

/**
 * Moves a process through its execution as a client asks: on to the next stop, one instruction of a thread, a range of
 * instructions, and back; all of it by the moves of the debugger. Time is one for all threads: while one of them is
 * stepped the others do what they did.
 */
import { guestAddr } from '../base/types.js';
import type { CallRun } from '../debugger/control/calls/callRun.js';
import { RangeExits } from '../debugger/control/leaveRange.js';
import { type MoveContext, type Moved, Moves, unlessCancelled } from '../debugger/control/moves.js';
import type { CodeRange } from '../debugger/control/stepFacts.js';
import type { Direction } from '../debugger/control/stops.js';
import type { Position } from '../replay/log/position.js';
import { breathe, type Work } from '../replay/timeline/work.js';
import type { Arrival } from './arrival.js';
import type { ClientCalls } from './clientCalls.js';
import type { Debuggee } from './debuggee.js';
import { type InterestSettings, interestsOf } from './interests.js';

/** What is moved, and what the client has set. */
interface MotionSettings extends InterestSettings {
  readonly calls: ClientCalls;
  vforking: number | undefined;
}

/** Searches without a filter pass what happens where they begin: that is looked at before. */
const LOOKS_AT: MoveContext<Arrival>['looksAt'] = new Set(['memory', 'syscall', 'return', 'process', 'signal']);

/** Steps through a range before it is worth it to search for its end. */
const STEPS_BEFORE_SEARCH = 8;

export class Motion {
  /** Breakpoints on calls, during a motion. */
  private calls: CallRun<Arrival> | undefined;
  /** Where the client has been told of a signal: it takes effect when the program goes on. */
  private toldOfSignal: Position | undefined;

  constructor(
    private readonly settings: MotionSettings,
    private readonly work: Work,
  ) {}

  private get debuggee(): Debuggee {
    return this.settings.debuggee;
  }

  /** Runs one of the motions below; if it is given up, the program stands where it stood. */
  async make(motion: () => Promise<Arrival>): Promise<Arrival> {
    const { debuggee } = this;
    const arrival = await unlessCancelled(debuggee, motion);
    this.toldOfSignal = arrival?.kind === 'signal' ? debuggee.position : undefined;
    return arrival ?? { kind: 'interrupted', thread: debuggee.someThread };
  }

  /** The client is told of the signal that is about to take effect here. */
  noteSignalTold(): void {
    this.toldOfSignal = this.debuggee.position;
  }

  /** On to the next stop. */
  async forward(): Promise<Arrival> {
    const moves = this.moves('forward');
    return this.arrival(await moves.away(), moves);
  }

  /** Back to the last one. */
  async backward(): Promise<Arrival> {
    this.settings.vforking = undefined;
    return this.back(this.debuggee.someThread, (moves) => moves.away());
  }

  /** One instruction of a thread, however long that takes. */
  async step(thread: number): Promise<Arrival> {
    const moves = this.moves('forward', thread);
    return this.arrival(await moves.instruction(), moves);
  }

  /** Back to before the last instruction of a thread. */
  async stepBack(thread: number): Promise<Arrival> {
    return this.back(thread, (moves) => moves.instruction());
  }

  /** Where a branch begins, the recording goes on. */
  private async back(thread: number, move: (moves: Moves<Arrival>) => Promise<Moved<Arrival>>): Promise<Arrival> {
    const { debuggee } = this;
    for (;;) {
      const moves = this.moves('backward', thread);
      await this.calls?.prepare();
      const moved = debuggee.isAtBegin ? ({ kind: 'limit' } as const) : await move(moves);
      if (moved.kind !== 'limit' || debuggee.branch === undefined) return this.arrival(moved, moves);
      debuggee.dropBranch();
    }
  }

  /** Instructions of a thread as long as they are in [start, end). */
  async stepRange(thread: number, start: number, end: number): Promise<Arrival> {
    const moves = this.moves('forward', thread);
    const range = { start: BigInt(start), end: BigInt(end) };
    let exits: RangeExits | undefined;
    for (let count = 1; ; count++) {
      const isLong = count % STEPS_BEFORE_SEARCH === 0;
      if (isLong) exits ??= this.exitsOf(thread, range);
      const mayRun = isLong && exits?.isRunnable(this.pcOf(thread)) === true;
      const moved = mayRun ? await moves.to(exits?.addresses ?? []) : await moves.instruction();
      if (moved.kind !== 'there') return this.arrival(moved, moves);
      const pc = this.pcOf(thread);
      const how = this.settings.stops.breakpointAt(guestAddr(Number(pc)));
      if (how !== undefined) return { kind: 'breakpoint', thread, how };
      if (pc < range.start || pc >= range.end) return this.arrival(moved, moves);
      if (isLong) await breathe(this.work, 0, 1);
    }
  }

  private exitsOf(thread: number, range: CodeRange): RangeExits | undefined {
    const view = this.debuggee.programOf(thread);
    return view === undefined ? undefined : RangeExits.of(view, range, false);
  }

  private pcOf(thread: number): bigint {
    return this.debuggee.state.register(thread, 'rip') ?? 0n;
  }

  private moves(direction: Direction, thread = this.debuggee.someThread): Moves<Arrival> {
    const { debuggee, settings, work } = this;
    const { execution, viewAt, within, position: home } = debuggee;
    const calls = settings.calls.run(direction, work);
    this.calls = calls;
    const context: MoveContext<Arrival> = {
      execution, viewAt, within, told: this.toldOfSignal, looksAt: LOOKS_AT, standing: 'behind instructions',
      interests: () => [...interestsOf(settings, { direction, home }), ...settings.calls.atTimes, ...calls.interests()],
      // A hit is of one kind, and a client is told of one thing.
      together: ([first]) => first,
      done: () => undefined,
    };
    return new Moves(context, thread, direction, work);
  }

  private async arrival(moved: Moved<Arrival>, { thread, direction }: Moves<Arrival>): Promise<Arrival> {
    const { debuggee } = this;
    switch (moved.kind) {
      case 'there': return { kind: 'stepped', thread };
      case 'stop': return moved.stop;
      case 'limit':
        await (direction === 'forward' ? debuggee.seekEnd(this.work) : debuggee.seekBegin());
        return { kind: direction === 'forward' ? 'end' : 'begin', thread: debuggee.someThread };
    }
  }
}

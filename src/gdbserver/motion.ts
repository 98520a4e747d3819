/**
 * Moves a process through its execution as a debugger asks: on to the next stop, one instruction of a thread, a range of instructions,
 * and back. Time is one for all threads: while one of them is stepped the others do what they did.
 *
 * A search's hit is the position before it happens. Forward, a watchpoint is reported after the access, as debuggers have it;
 * backward, before it. Both are where the value is the one that comes next in that direction.
 */
import { at, comparePositions, type Position } from '../replay/play/position.js';
import type { Condition, Hit } from '../replay/timeline/conditions.js';
import type { State } from '../replay/timeline/state.js';
import { breathe, Cancelled, type Work } from '../replay/timeline/work.js';
import { rangeExits } from '../x86/rangeExits.js';
import type { Arrival } from './arrival.js';
import { filterFor } from './breakpointFilter.js';
import type { Debuggee } from './debuggee.js';
import { eventArrival, eventConditions, type EventSettings, isEvent, positionAfterEvent } from './events.js';
import { MOST_SIGNALS } from './signals.js';
import type { StepOver } from './stepOver.js';
import { type Stops, toldOf } from './stops.js';

/** What is moved, and what the client has set: what lets a signal pass without a stop, and so on. */
interface MotionSettings extends EventSettings {
  vforking: number | undefined;
  readonly debuggee: Debuggee;
  readonly stops: Stops;
  readonly stepOver: StepOver;
  /** Linux's numbers of signals that the client does not want to hear of. */
  readonly passedSignals: ReadonlySet<number>;
}

const SYSCALL_CODE = [0x0f, 0x05];
/** Steps through a range before it is worth it to search for its end. */
const STEPS_BEFORE_SEARCH = 8;
/** Bytes of code that are looked at for that. */
const LONGEST_RANGE = 0x10000;
const SWITCH: Condition = { kind: 'switch' };

export class Motion {
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
    const home = debuggee.position;
    try {
      const arrival = await motion();
      this.toldOfSignal = arrival.kind === 'signal' ? debuggee.position : undefined;
      return arrival;
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error;
      if (comparePositions(debuggee.position, home) !== 0) await debuggee.execution.seek(home);
      return { kind: 'interrupted', thread: this.debuggee.someThread };
    }
  }

  /** The client is told of the signal that is about to take effect here. */
  noteSignalTold(): void {
    this.toldOfSignal = this.debuggee.position;
  }

  /** On to the next stop. */
  async forward(): Promise<Arrival> {
    return (await this.accessHere()) ?? (await this.signalHere()) ?? (await this.eventHere()) ?? this.search([]);
  }

  /** Back to the last one: where a branch begins, the recording goes on. */
  async backward(): Promise<Arrival> {
    const { debuggee } = this;
    const home = debuggee.position;
    this.settings.vforking = undefined;
    for (;;) {
      const hit = debuggee.isAtBegin ? undefined : await debuggee.execution.backward(this.conditions(), this.work, filterFor(this.settings.stops, this.settings.stepOver.limit));
      if (hit === undefined || comparePositions(hit.position, debuggee.begin) < 0) {
        if (debuggee.branch === undefined) return this.atBegin();
        await debuggee.dropBranch();
        continue;
      }
      const arrival = debuggee.owns(hit.task) ? this.arrivalBefore(hit) : undefined;
      if (arrival?.kind === 'executed' || arrival === undefined) continue;
      if (arrival.kind !== 'forked') return arrival;
      // The client wants to see the new process, which is not there before.
      await debuggee.execution.seek(positionAfterEvent(hit));
      if (comparePositions(debuggee.position, home) < 0) return arrival;
      await debuggee.execution.seek(hit.position);
    }
  }

  /** One instruction of a thread, however long that takes. */
  async step(thread: number): Promise<Arrival> {
    const { debuggee } = this;
    const interruption = await this.untilReady(thread);
    if (interruption !== undefined) return interruption;
    const [{ time }, isCall] = [debuggee.position, this.isAtCall(thread)];
    const access = (await this.accessHere('one')) ?? (isCall ? await this.eventHere() : undefined);
    if (access !== undefined) return access;
    if (debuggee.position.time === time) await debuggee.execution.seek({ time: time + 1, done: 0 });
    if (isCall && debuggee.position.done === 0) {
      // What the call does, and a signal that comes with its end, is one event.
      const event = debuggee.isAfterEnd(debuggee.position) ? undefined : ((await this.signalHere()) ?? (await this.eventHere()));
      if (event !== undefined) return event;
      await debuggee.execution.seek({ time: time + 1, done: 1 });
    }
    if (debuggee.isAfterEnd(debuggee.position)) return this.atEnd();
    if (isCall && debuggee.state.current?.id !== thread) return (await this.untilTurn(thread)) ?? { kind: 'stepped', thread };
    return { kind: 'stepped', thread };
  }

  /** Instructions of a thread as long as they are in [start, end). */
  async stepRange(thread: number, start: number, end: number): Promise<Arrival> {
    for (let count = 1; ; count++) {
      const arrival = await this.step(thread);
      if (arrival.kind !== 'stepped') return arrival;
      const rip = this.ripOf(thread);
      const how = this.settings.stops.breakpointAt(rip);
      if (how !== undefined) return { kind: 'breakpoint', thread, how };
      if (rip < start || rip >= end) return arrival;
      if (count % STEPS_BEFORE_SEARCH !== 0) continue;
      const exit = await this.searchExit(thread, start, end);
      if (exit !== undefined) return exit;
    }
  }

  /** A loop takes long in steps: goes to where the thread leaves the range. Undefined: it may leave it with the next step, or by steps only. */
  private async searchExit(thread: number, start: number, end: number): Promise<Arrival | undefined> {
    await breathe(this.work, 0, 1);
    const code = end - start > LONGEST_RANGE ? null : this.debuggee.state.read(thread, start, end - start);
    const exits = code === null ? undefined : rangeExits(code, start, this.ripOf(thread));
    if (exits === undefined) return undefined;
    const arrival = await this.search([{ kind: 'address', addresses: [...exits.targets, ...exits.unclear] }], (hit) => hit.task === thread);
    if (arrival.kind !== 'stepped') return arrival;
    const rip = this.ripOf(thread);
    return rip < start || rip >= end ? arrival : undefined;
  }

  private ripOf(thread: number): number {
    return Number(this.debuggee.state.register(thread, 'rip') ?? 0n);
  }

  /** Back to before the last instruction of a thread. */
  async stepBack(thread: number): Promise<Arrival> {
    const { debuggee } = this;
    if (debuggee.isAtBegin) {
      if (debuggee.branch === undefined) return this.atBegin();
      await debuggee.dropBranch();
    }
    if (await this.leaveHandler(thread)) return { kind: 'stepped', thread };
    for (;;) {
      const { time } = debuggee.position;
      if (time === 0) return this.atBegin();
      await debuggee.execution.seek(at(time - 1));
      if (comparePositions(debuggee.position, debuggee.process.begin) < 0) return this.atBegin();
      if (debuggee.state.current?.id === thread) return { kind: 'stepped', thread };
      if (!(await this.backToTurn(thread))) return this.atBegin();
    }
  }

  /** If a signal has just put the thread here: to where it was, which may be an instruction that faults and never retires. */
  private async leaveHandler(thread: number): Promise<boolean> {
    const { debuggee } = this;
    const { state, position } = debuggee;
    const [signal = 0n, context, stack = 0n] = ['rdi', 'rdx', 'rsp'].map((name) => state.register(thread, name));
    // A handler is entered with the return address on the stack, and its third argument right above it.
    if (position.done === 0 || signal < 1n || signal > MOST_SIGNALS || context !== stack + 8n) return false;
    const handler = this.ripOf(thread);
    await debuggee.execution.seek({ time: position.time, done: 0 });
    if (!debuggee.isAtBegin && debuggee.owns(thread) && this.ripOf(thread) !== handler) return true;
    await debuggee.execution.seek(position);
    return false;
  }

  /** To where the thread lost its turn the last time. False: it had none. */
  private async backToTurn(thread: number): Promise<boolean> {
    const { execution } = this.debuggee;
    while ((await execution.backward([SWITCH], this.work)) !== undefined) {
      if (comparePositions(this.debuggee.position, this.debuggee.process.begin) < 0) return false;
      if (execution.state.current?.id === thread) return true;
    }
    return false;
  }

  /**
   * Goes to where the next thing that happens is an instruction of `thread`. What stops it on the way: another thread's breakpoint, a
   * signal; or an event that has put the thread elsewhere, which counts as a step.
   */
  private async untilReady(thread: number): Promise<Arrival | undefined> {
    const { debuggee } = this;
    const rip = debuggee.state.register(thread, 'rip');
    for (;;) {
      if (debuggee.isAfterEnd(debuggee.position)) return this.atEnd();
      const { time, done } = debuggee.position;
      if (done === Infinity) {
        if (debuggee.state.current?.id === thread) return undefined;
        const arrival = await this.untilTurn(thread);
        if (arrival !== undefined) return arrival;
      } else {
        const event = (await this.signalHere()) ?? (await this.eventHere());
        if (event !== undefined) return event;
        const last = await this.applyEvent({ time, done });
        if (last) return this.atEnd();
      }
      if (debuggee.state.register(thread, 'rip') !== rip) return { kind: 'stepped', thread };
    }
  }

  /** True: nothing comes after it. */
  private async applyEvent({ time, done }: Position): Promise<boolean> {
    const { debuggee } = this;
    await debuggee.execution.seek({ time, done: done + 1 });
    return debuggee.threads.length === 0 || (debuggee.position.done === Infinity && time >= debuggee.execution.endTime);
  }

  /** Goes to where the thread gets its turn. */
  private async untilTurn(thread: number): Promise<Arrival | undefined> {
    const arrival = await this.search([SWITCH], (hit) => hit.task === thread);
    if (arrival.kind !== 'stepped') return arrival;
    const { time, done } = this.debuggee.position;
    await this.debuggee.execution.seek({ time, done: done + 1 });
    return undefined;
  }

  /** On to the next stop, or to a hit of one of `others` that is wanted: that is a step. */
  private async search(others: readonly Condition[], isWanted: (hit: Hit) => boolean = () => true): Promise<Arrival> {
    const { debuggee, settings } = this;
    const own = this.conditions();
    const counts = filterFor(settings.stops, settings.stepOver.limit);
    const isOwn = ({ conditions }: Hit): boolean => conditions.some((index) => index < own.length);
    const isOther = ({ conditions }: Hit): boolean => conditions.some((index) => index >= own.length);
    const isStop = (hit: Hit, state: State): boolean => isOwn(hit) && (counts?.accepts(hit, state) ?? true);
    const filter = others.length === 0 ? counts : { accepts: (hit: Hit, state: State) => isStop(hit, state) || (isOther(hit) && isWanted(hit)) };
    for (;;) {
      const hit = debuggee.isAfterEnd(debuggee.position) ? undefined : await debuggee.execution.forward([...own, ...others], this.work, filter);
      if (hit === undefined || debuggee.isAfterEnd(hit.position)) return this.atEnd();
      // What is both is a stop.
      if (isOther(hit) && isWanted(hit) && !isStop(hit, debuggee.state)) return { kind: 'stepped', thread: hit.task };
      if (!debuggee.owns(hit.task)) continue;
      const arrival = (await this.arrivalAfter(hit)) ?? (await this.accessHere());
      if (arrival !== undefined) return arrival;
    }
  }

  /**
   * A watched access by the instruction, or event, that comes next: searches begin behind it. What is written without being changed is
   * passed; then also what follows counts as here, unless `count` says that only one is looked at.
   */
  private async accessHere(count: 'one' | 'all' = 'all'): Promise<Arrival | undefined> {
    const { stops } = this.settings;
    if (!stops.hasWatchpoints) return undefined;
    let conditions = stops.memoryConditions;
    for (;;) {
      const hit = await this.hitHere(conditions);
      if (hit === undefined) return undefined;
      const arrival = await this.arrivalAfter(hit);
      if (arrival !== undefined || count === 'one') return arrival;
      conditions = this.conditions();
    }
  }

  /** What happens before the position changes. */
  private async hitHere(conditions: readonly Condition[]): Promise<Hit | undefined> {
    const { debuggee } = this;
    const { time, done } = debuggee.position;
    let found: Hit | undefined;
    const listener = (hit: Hit): 'go on' | 'stop' => {
      if (!debuggee.owns(hit.task)) return 'go on';
      found = hit;
      return 'stop';
    };
    const next = done === Infinity ? { time: time + 1, done: 0 } : { time, done: done + 1 };
    if (conditions.length > 0) await debuggee.execution.each(conditions, listener, { time, done }, next);
    return found;
  }

  /** A signal that takes effect before anything else does, unless the client knows of it. */
  private async signalHere(): Promise<Arrival | undefined> {
    const { debuggee, toldOfSignal } = this;
    const { position } = debuggee;
    if (position.done === Infinity || (toldOfSignal !== undefined && comparePositions(toldOfSignal, position) === 0)) return undefined;
    const hit = await this.hitHere(this.signalConditions());
    return hit === undefined ? undefined : { kind: 'signal', thread: hit.task, signal: hit.signal ?? 0 };
  }

  /** Something that the kernel does before anything else happens. */
  private async eventHere(): Promise<Arrival | undefined> {
    const hit = await this.hitHere(this.eventConditions());
    return hit === undefined ? undefined : this.arrivalAfter(hit);
  }

  /** All that stops the program. */
  private conditions(): Condition[] {
    return [...this.settings.stops.conditions, ...this.signalConditions(), ...this.eventConditions()];
  }

  private eventConditions(): Condition[] {
    return eventConditions(this.settings, this.debuggee.branch === undefined);
  }

  private signalConditions(): Condition[] {
    const signals = Array.from({ length: MOST_SIGNALS }, (_, i) => i + 1).filter((signal) => !this.settings.passedSignals.has(signal));
    return signals.length === 0 ? [] : [{ kind: 'signal', signals }];
  }

  /** What a hit is to who goes forward. Undefined: nothing. */
  private async arrivalAfter(hit: Hit): Promise<Arrival | undefined> {
    const { access } = hit;
    const { debuggee, settings } = this;
    if (access === undefined) {
      const arrival = this.arrivalBefore(hit);
      if (arrival !== undefined && isEvent(hit)) await debuggee.execution.seek(positionAfterEvent(hit));
      return arrival;
    }
    const watchpoints = settings.stops.watchpointsAt(hit);
    if (watchpoints.length === 0) return undefined;
    const valuesHere = (): (Uint8Array | null)[] => watchpoints.map(({ range: { start, end } }) => debuggee.state.read(hit.task, start, end - start));
    const before = valuesHere();
    await debuggee.execution.seek(positionAfter(hit));
    const after = valuesHere();
    const told = toldOf(watchpoints.filter(({ kind }, i) => kind !== 'watch' || !isSame(before[i] ?? null, after[i] ?? null)));
    return told && { kind: 'watchpoint', thread: hit.task, ...told };
  }

  private arrivalBefore(hit: Hit): Arrival | undefined {
    const { settings } = this;
    const { task: thread, access, signal } = hit;
    if (signal !== undefined) return { kind: 'signal', thread, signal };
    if (isEvent(hit)) return eventArrival(hit, settings);
    if (access === undefined) return { kind: 'breakpoint', thread, how: settings.stops.breakpointAt(hit.rip) ?? 'software' };
    const told = toldOf(settings.stops.watchpointsAt(hit));
    return told && { kind: 'watchpoint', thread, ...told };
  }

  private isAtCall(thread: number): boolean {
    const { state } = this.debuggee;
    const code = state.read(thread, this.ripOf(thread), SYSCALL_CODE.length);
    return code !== null && SYSCALL_CODE.every((byte, i) => code[i] === byte);
  }

  private async atBegin(): Promise<Arrival> {
    await this.debuggee.seekBegin();
    return { kind: 'begin', thread: this.debuggee.someThread };
  }

  private async atEnd(): Promise<Arrival> {
    await this.debuggee.seekEnd(this.work);
    return { kind: 'end', thread: this.debuggee.someThread };
  }
}

/** Where what a memory hit says has happened. */
function positionAfter({ position: { time, done }, access }: Hit): Position {
  if (access?.by !== 'kernel') return { time: time + 1, done: 0 };
  return done === Infinity ? { time: time + 1, done: 1 } : { time, done: done + 1 };
}

function isSame(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a !== null && b !== null && a.every((byte, i) => byte === b[i]);
}

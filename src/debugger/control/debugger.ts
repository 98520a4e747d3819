/**
 * The one object behind all front ends: an execution, where in it we are, which thread and frame are looked at, what to
 * stop at, and how to go on. Nothing here prints: stops are values (stops.ts), mistakes are UserErrors.
 */
import { UserError } from '../../base/errors.js';
import type { BranchExecution, BranchMaker } from '../../replay/branch/branchExecution.js';
import { comparePositions, type Position } from '../../replay/log/position.js';
import type { MemoryRange } from '../../replay/timeline/conditions.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { State, Thread } from '../../replay/timeline/state.js';
import type { Work } from '../../replay/timeline/work.js';
import { Backtrace } from '../program/backtrace.js';
import type { DebugFiles } from '../program/debugFiles.js';
import { inlinedCallsBeginningAt } from '../program/inlinedStart.js';
import { livingThreads } from '../program/livingThreads.js';
import type { CodeLocation } from '../program/location.js';
import { Modules } from '../program/modules.js';
import { ProgramView } from '../program/programView.js';
import { locationAt } from '../program/resolveLocation.js';
import { type Statement, statementName } from '../program/statements.js';
import { namesInstance } from '../program/statementText.js';
import { SourceText } from '../program/sourceText.js';
import { isSameFrame, type VisibleFrame } from '../program/visibleFrame.js';
import { BreakpointHits, placesAt } from './breakpointHits.js';
import { Bookmarks } from './bookmarks.js';
import { Branching, type BranchHistory, type PendingWrite } from './branching.js';
import { type Breakpoint, type BreakpointOptions, BreakpointTable, type CallBreakpoint, type Catch, type Catchpoint, type LocationBreakpoint, type Watchpoint } from './breakpoints.js';
import type { CallMeant } from './calls/callReader.js';
import type { CallRun } from './calls/callRun.js';
import { branchEnding } from './endings.js';
import type { FrameEvaluator } from '../values/frameEvaluator.js';
import { GoneBlocks } from './goneBlocks.js';
import type { GoneBlock } from './goneSearch.js';
import { countInstances, type InstanceCount, type InstanceRun } from './instances.js';
import { type MoveContext, Moves, unlessCancelled } from './moves.js';
import { NamedInstances, type ReachedPlace } from './namedInstances.js';
import type { Interest } from './running.js';
import { signalInfo } from './signalInfo.js';
import { SignalTable } from './signalTable.js';
import { finish, goUntil, returnFromCall, type Stepped, stepInstruction, stepLine, type StepOrigin, stepUntil } from './stepCommands.js';
import { type ArrivalPlace, StopPoints } from './stopPoints.js';
import { type Direction, type HowItEnded, type Stop, together } from './stops.js';
import { type UserCheckpoint, UserCheckpoints } from './userCheckpoints.js';

export interface DebuggerOptions {
  readonly files: DebugFiles;
  readonly evaluator: FrameEvaluator;
  /** Of the recording, as its summary says. */
  readonly ending?: HowItEnded;
  /** Makes what-if branches; without it nothing can be changed. */
  readonly branches?: BranchMaker | undefined;
}

/**
 * All that a move looks at where it begins: watchpoints are filters, and from a caught call `continue` leads to its
 * return.
 */
const SIGNALS: MoveContext<Stop>['looksAt'] = new Set(['signal']);

export interface StepRequest {
  readonly direction?: Direction;
  readonly count?: number;
  readonly work?: Work | undefined;
}

export class Debugger {
  readonly breakpoints = new BreakpointTable();
  readonly signals = new SignalTable();
  readonly bookmarks = new Bookmarks();
  /** Where source files are. */
  readonly sources: SourceText;
  readonly branching: Branching;
  readonly checkpoints: UserCheckpoints;
  private readonly points: StopPoints;
  private readonly gone: GoneBlocks;
  readonly modules: Modules;
  /** Statements, and the times that they were reached. */
  readonly named: NamedInstances;
  readonly evaluator: FrameEvaluator;
  /** Why it stands where it does. */
  lastStop: Stop = { kind: 'start', thread: 0 };
  /** Told what is worth saying before something ends. */
  onMessage: ((text: string) => void) | undefined;
  private selectedThread = 0;
  private selectedLevel = 0;
  /** Inlined calls of the selected thread's pc that have not been entered. */
  private hidden = 0;
  private trace: Backtrace | undefined;
  /** What arrivals of breakpoints were last looked for in. */
  private searched: Execution | undefined;
  /** Where the user has been told of a signal that is about to take effect. */
  private told: Position | undefined;

  constructor(
    recording: Execution,
    private readonly options: DebuggerOptions,
  ) {
    this.modules = new Modules(options.files);
    this.evaluator = options.evaluator;
    this.sources = new SourceText(options.files);
    this.branching = new Branching(recording, options.branches);
    this.named = new NamedInstances(this.modules, this.sources);
    this.checkpoints = new UserCheckpoints(this);
    this.points = new StopPoints(this);
    this.gone = new GoneBlocks(this);
  }

  /** Stands at the end of the recording, where the failure is. */
  static async open(execution: Execution, options: DebuggerOptions, work?: Work): Promise<Debugger> {
    const made = new Debugger(execution, options);
    await made.goToEnd(work);
    return made;
  }

  // Where we are

  /** The recording, or the branch that is debugged in its place. */
  get execution(): Execution {
    return this.branching.execution;
  }

  /** Whether or not a branch of it is debugged. */
  get recording(): Execution {
    return this.branching.recording;
  }

  /** Undefined where there are no branches. */
  get branchMaker(): BranchMaker | undefined {
    return this.branching.maker;
  }

  /** Undefined in the recording. */
  get branch(): BranchExecution | undefined {
    return this.branching.branch;
  }

  get position(): Position {
    return this.execution.position;
  }

  /** Good until something moves. */
  get state(): State {
    return this.execution.state;
  }

  /** Those that have not ended. */
  get threads(): readonly Thread[] {
    return livingThreads(this.state);
  }

  /** The selected one; undefined if no thread is left. */
  get thread(): Thread | undefined {
    return this.threads.find(({ id }) => id === this.selectedThread);
  }

  /** The program as a thread (default: the selected one) sees it. Undefined if there is no such thread. */
  program(id: number = this.selectedThread): ProgramView | undefined {
    return this.viewAt(this.state, id);
  }

  /** By id, as `Thread.id`. Selects its innermost frame. */
  selectThread(id: number): void {
    if (!this.threads.some((thread) => thread.id === id)) throw new UserError(`no thread ${id}`);
    if (id !== this.selectedThread) this.hidden = 0;
    this.selectedThread = id;
    this.selectedLevel = 0;
    this.trace = undefined;
  }

  /** Frames of the selected thread. */
  get backtrace(): Backtrace | undefined {
    const program = this.trace?.program ?? this.program();
    if (program !== undefined) this.trace ??= new Backtrace(program, { hidden: this.hidden, tailCalls: true });
    return this.trace;
  }

  /** Frames of any thread; all of them, also those above main, if asked. */
  backtraceOf(id: number, pastMain = false): Backtrace | undefined {
    const program = this.program(id);
    return program === undefined ? undefined : new Backtrace(program, { hidden: id === this.selectedThread ? this.hidden : 0, pastMain, tailCalls: true });
  }

  /** The selected frame; undefined if there is no stack. */
  get frame(): VisibleFrame | undefined {
    return this.backtrace?.frame(this.selectedLevel);
  }

  selectFrame(level: number): VisibleFrame {
    const frame = level < 0 ? undefined : this.backtrace?.frame(level);
    if (frame === undefined) throw new UserError(this.backtrace?.innermost === undefined ? 'No stack.' : 'No frame at level ' + level + '.');
    this.selectedLevel = level;
    return frame;
  }

  // What to stop at

  /** Places by gdb's rules; a LocationNotFound if there are none now. */
  resolve(text: string): CodeLocation[] {
    return this.points.resolve(text);
  }

  /** With `pending`, a location that is not there yet is waited for. */
  addBreakpoint(text: string, options: BreakpointOptions & { readonly pending?: boolean } = {}): LocationBreakpoint {
    return this.points.addBreakpoint(text, options);
  }

  /**
   * Stops when the value of an expression changes, or is read. With `location` its address counts, wherever the program
   * is then.
   */
  addWatchpoint(expression: string, access: Watchpoint['access'] = 'write', options: BreakpointOptions & { readonly location?: boolean } = {}): Watchpoint {
    return this.points.addWatchpoint(expression, access, options);
  }

  /** At one of the times that a place was reached: FILE:LINE[.K]#N or FUNCTION#N. */
  async addArrivalBreakpoint(text: string, options: BreakpointOptions = {}, work?: Work): Promise<LocationBreakpoint> {
    return this.points.addArrival(text, options, work);
  }

  /**
   * Stops where a function is called, in whatever module it is: at the instruction that calls it. The condition is
   * about the call: `arg1 == p`, `ret == 0`, `write &x 4` (calls/callCondition.ts).
   */
  async addCallBreakpoint(text: string, options: BreakpointOptions = {}, work?: Work): Promise<CallBreakpoint> {
    return this.breakpoints.addCall(await this.callsMeant(text, options.condition, work), options);
  }

  /** What such a breakpoint would be for: `breakpoints.addCall` makes it. Throws a UserError if it cannot be. */
  async callsMeant(text: string, condition?: string, work?: Work): Promise<CallMeant> {
    return this.points.callReader.read(text, condition, work);
  }

  /** Undefined: it stops always. */
  setCondition(point: Breakpoint, condition: string | undefined): void {
    if (point.kind === 'call') point.when = this.points.callReader.condition(condition);
    point.condition = condition;
  }

  addCatchpoint(caught: Catch, options: BreakpointOptions = {}): Catchpoint {
    return this.breakpoints.addCatch(caught, options);
  }

  /**
   * Looks for what breakpoints wait for at all other times. Done by itself before the first run with such breakpoints.
   */
  async resolvePending(work?: Work): Promise<void> {
    await this.points.resolvePending(work);
    if (this.searched !== this.execution || this.branch !== undefined) await this.points.findArrivals(work);
    this.searched = this.execution;
  }

  // Statements and the times that they were reached

  /** What instances are counted in: what is debugged now, from the beginning of the recording on. */
  get instanceRun(): InstanceRun {
    return this.named.runOf(this.execution, this.branching.recording);
  }

  /** When FILE:LINE[.K]#N or FUNCTION#N was: right before its first instruction. Nothing moves. */
  async reached(text: string, work?: Work): Promise<ReachedPlace> {
    const question = { currentPath: this.frame?.path, before: this.position, work };
    const found = await this.named.reached(text, this.instanceRun, question);
    this.trace = undefined;
    return found;
  }

  /** How often a statement was reached up to now, and the instance that the selected frame stands in. Nothing moves. */
  async instancesOf(statement: Statement, work?: Work): Promise<InstanceCount> {
    const { frame, position, backtrace } = this;
    const isCaller = frame !== undefined && backtrace?.innermost !== undefined && !isSameFrame(frame.stackId, backtrace.innermost.stackId);
    const inner = isCaller ? (backtrace?.frames(frame.level) ?? []).filter(({ pc, stackId }) => pc === frame.pc && !isSameFrame(stackId, frame.stackId)).length : undefined;
    const standing = { position, thread: this.selectedThread, pc: frame?.pc ?? 0n, caller: inner };
    const found = await countInstances(this.instanceRun, statement, standing, work);
    this.trace = undefined;
    return found;
  }

  /** For breakpoints. */
  async arrivalOf(text: string, work?: Work): Promise<ArrivalPlace> {
    const { time, address, statement, number } = await this.reached(text, work);
    const program = this.program() ?? this.viewAt(this.state, this.currentThread());
    if (program === undefined) throw new UserError('No symbol table is loaded.  Use the "file" command.');
    const place = locationAt(program, BigInt(address));
    if (statement === undefined) return { time, place, name: text.replace(/#.*$/, `#${number}`) };
    return { time, place: { ...place, path: statement.path, line: statement.line }, name: `${statementName(statement, true)}#${number}` };
  }

  /**
   * `siginfo_t` of the signal that it stands at; undefined if it stands for something else. The selected frame stays.
   */
  async signalInfo(): Promise<Uint8Array | undefined> {
    const { lastStop: stop, thread } = this;
    const isFatal = stop.kind === 'end';
    const signal = stop.kind === 'signal' ? stop.signal : isFatal && stop.ending.how === 'signaled' ? stop.ending.code : undefined;
    if (signal === undefined || thread === undefined || this.told === undefined || comparePositions(this.told, this.position) !== 0) return undefined;
    const info = await signalInfo(this.execution, { thread: stop.thread, pid: thread.pid, signal, isFatal });
    this.trace = undefined;
    return info;
  }

  /**
   * What `look` comes to, which may see what blocks held that are no more; and which those are. The selected frame
   * stays.
   */
  async seeing<T>(look: () => T | Promise<T>, work?: Work): Promise<{ readonly seen: T; readonly gone: readonly GoneBlock[] }> {
    return this.gone.seeing(look, work);
  }

  /** Does what moves the execution, and comes back. The selected thread and frame stay. */
  async aside<T>(action: () => Promise<T>): Promise<T> {
    const { execution, position } = this;
    try {
      return await action();
    } finally {
      if (comparePositions(execution.position, position) !== 0) await execution.seek(position);
      this.trace = undefined;
    }
  }

  /** At some arrivals, known by their times. */
  addTimesBreakpoint(text: string, addresses: readonly number[], times: ReadonlySet<number>): LocationBreakpoint {
    const program = this.program();
    if (program === undefined) throw new UserError('No symbol table is loaded.  Use the "file" command.');
    const places = addresses.map((address) => locationAt(program, BigInt(address)));
    return Object.assign(this.breakpoints.addLocation(text, places), { times });
  }

  // Changing the program: in a branch

  /** Makes the changes in the branch, which begins here if there is none. The selected frame stays. */
  async write(writes: readonly PendingWrite[], work?: Work): Promise<void> {
    const wasRecording = this.branch === undefined;
    await this.branching.write(this.selectedThread, writes, work);
    if (wasRecording && this.branch !== undefined) this.noLongerAtEnd();
    this.trace = undefined;
  }

  /**
   * A branch of its own from here, for what is to leave no trace: the caller drops it. Undefined where there are none.
   */
  async branchAside(): Promise<BranchExecution | undefined> {
    return this.branching.aside();
  }

  /** Goes on with a branch that was made elsewhere, where it stands. */
  async enterBranch(branch: BranchExecution, history?: BranchHistory, work?: Work): Promise<Stop> {
    await this.branching.adopt(branch, history, work);
    return this.stand({ kind: 'moved', thread: this.currentThread() });
  }

  /** The recording ended here. Of a branch that begins here that is not known: what was about to happen may not. */
  private noLongerAtEnd(): void {
    const { lastStop: stop } = this;
    if (stop.kind !== 'end') return;
    const { thread, ending } = stop;
    this.lastStop = ending.how === 'signaled' ? { kind: 'signal', thread, signal: ending.code } : { kind: 'moved', thread };
  }

  /** Back to the recording, where the branch began. */
  dropBranch(): Stop {
    this.branching.drop();
    return this.stand({ kind: 'moved', thread: this.currentThread() });
  }

  // Checkpoints

  /** A place to come back to at once: this one, in what is debugged now. Throws a UserError if the name is taken. */
  checkpoint(name?: string): UserCheckpoint {
    return this.checkpoints.make(name === '' ? undefined : name, this.placeInWords());
  }

  /** By id or name. A branch that was left since, or altered, is what it was. */
  async rollback(which: string | number, work?: Work): Promise<Stop> {
    const checkpoint = this.checkpoints.get(which);
    const isDone = await unlessCancelled(this, async () => (await this.checkpoints.restore(checkpoint, work), true));
    return isDone === true ? this.stand({ kind: 'moved', thread: this.currentThread() }) : { kind: 'cancelled', thread: this.selectedThread };
  }

  private placeInWords(): string {
    const frame = this.backtrace?.innermost;
    if (frame === undefined) return 'no thread runs';
    const where = frame.path === undefined ? '' : ` at ${frame.path.replace(/.*\//s, '')}:${frame.line}`;
    return `${frame.functionName ?? '??'}${where}`;
  }

  // Going on

  /** To right before the last instruction that changed the expression's value. */
  async lastChange(expression: string, work?: Work): Promise<Stop> {
    return this.goingToAccess(expression, 'write', 'backward', work);
  }

  /** To right after the next instruction that reads or writes it. */
  async nextUse(expression: string, work?: Work): Promise<Stop> {
    return this.goingToAccess(expression, 'access', 'forward', work);
  }

  private async goingToAccess(expression: string, access: Watchpoint['access'], direction: Direction, work: Work | undefined): Promise<Stop> {
    const look = (): { readonly only: () => Interest<Stop>[]; readonly reads: readonly MemoryRange[] } => ({ only: this.points.onlyAccess(expression, access, direction, work), reads: this.readsOf(expression) });
    const { seen: { only, reads }, gone } = await this.seeing(look, work);
    const home = this.position;
    // Of what is no more, nothing that was there later is meant.
    const isGone = direction === 'backward' && reads.every(({ start }) => gone.some(({ begin, size }) => start >= begin && start < begin + size));
    if (isGone) for (const { position } of gone.slice(0, 1)) await this.execution.seek(position, work);
    const stop = await this.going(direction, async (origin) => ({ moved: await origin.moves.away() }), work, only);
    if (isGone && stop.kind === 'cancelled') await this.execution.seek(home);
    return stop;
  }

  private readsOf(expression: string): readonly MemoryRange[] {
    const program = this.program();
    return program === undefined ? [] : this.evaluator.evaluate(expression, program, this.frame).reads;
  }

  async continue(direction: Direction = 'forward', work?: Work): Promise<Stop> {
    const call = this.callUnderWay;
    if (call !== undefined && direction === 'forward') return this.going(direction, (origin) => returnFromCall(origin, call), work);
    return this.going(direction, async (origin) => ({ moved: await origin.moves.away() }), work);
  }

  /** The system call that was caught and has not been made yet. */
  private get callUnderWay(): (Stop & { readonly kind: 'catchpoint' }) | undefined {
    const { lastStop: stop } = this;
    return stop.kind === 'catchpoint' && stop.event.kind === 'syscall' && stop.event.phase === 'call' && this.selectedThread === stop.thread && this.breakpoints.find(stop.number) !== undefined ? stop : undefined;
  }

  /** To another line, into functions that have lines. */
  async step({ direction = 'forward', count = 1, work }: StepRequest = {}): Promise<Stop> {
    return this.repeated(count, direction, (origin) => stepLine(origin, 'enter lines'), work);
  }

  /** Into the one call of the line that returns to `address`; if the line does not come to it, to another line. */
  async stepIntoCall(address: bigint, work?: Work): Promise<Stop> {
    return this.going('forward', (origin) => stepLine(origin, 'enter lines', address), work);
  }

  /** To another line of this function, or of its callers. */
  async next({ direction = 'forward', count = 1, work }: StepRequest = {}): Promise<Stop> {
    return this.repeated(count, direction, (origin) => stepLine(origin, 'over'), work);
  }

  async stepInstruction({ direction = 'forward', count = 1, work }: StepRequest = {}): Promise<Stop> {
    return this.repeated(count, direction, (origin) => stepInstruction(origin, 'enter'), work);
  }

  /** Over calls. */
  async nextInstruction({ direction = 'forward', count = 1, work }: StepRequest = {}): Promise<Stop> {
    return this.repeated(count, direction, (origin) => stepInstruction(origin, 'over'), work);
  }

  /** Without a location: to a later line. With one: there, unless the selected frame ends before. */
  async until(location?: string, { direction = 'forward', work }: StepRequest = {}): Promise<Stop> {
    return location === undefined ? this.going(direction, stepUntil, work) : this.goingUntil(location, false, direction, work);
  }

  /** To a location in any frame, unless the selected frame ends before. */
  async advance(location: string, { direction = 'forward', work }: StepRequest = {}): Promise<Stop> {
    return this.goingUntil(location, true, direction, work);
  }

  /** Out of the selected frame: to after the call, or (backward) to the call. */
  async finish({ direction = 'forward', work }: StepRequest = {}): Promise<Stop> {
    const { frame } = this;
    const outer = frame === undefined ? undefined : this.callerOnStack(frame);
    if (frame === undefined) throw new UserError('The program is not being run.');
    if (outer === undefined) throw new UserError('"finish" not meaningful in the outermost frame.');
    return this.going(direction, (origin) => finish(origin, frame, outer), work);
  }

  private callerOnStack({ level }: VisibleFrame): VisibleFrame | undefined {
    let above = this.backtrace?.frame(level + 1);
    while (above?.isTailCall === true) above = this.backtrace?.frame(above.level + 1);
    return above;
  }

  private async goingUntil(location: string, anywhere: boolean, direction: Direction, work: Work | undefined): Promise<Stop> {
    const { frame } = this;
    if (frame === undefined) throw new UserError('The program is not being run.');
    const arrival = namesInstance(location) ? await this.arrivalOf(location, work) : undefined;
    const locations = arrival === undefined ? this.resolve(location) : [arrival.place];
    return this.going(direction, (origin) => goUntil(origin, frame, { locations, time: arrival?.time }, anywhere), work);
  }

  async goToEnd(work?: Work): Promise<Stop> {
    await this.execution.seekEnd(work);
    return this.stand({ kind: 'end', thread: this.currentThread(), ending: this.ending });
  }

  /** Of what is debugged now: the recording, or the branch, as far as it has been run. */
  private get ending(): HowItEnded {
    return this.branch === undefined ? (this.options.ending ?? { how: 'unknown', code: 0 }) : branchEnding(this.branch.end);
  }

  /** A time before the branch leads back to the recording. */
  async goTo(position: Position, work?: Work): Promise<Stop> {
    await this.branching.seek(position, work);
    return this.stand({ kind: 'moved', thread: this.currentThread() });
  }

  /** Several times, unless something else stops it. */
  private async repeated(count: number, direction: Direction, action: (origin: StepOrigin) => Promise<Stepped>, work: Work | undefined): Promise<Stop> {
    let stop = this.lastStop;
    for (let i = 0; i < count; i++) {
      stop = await this.going(direction, action, work);
      if (stop.kind !== 'step') break;
    }
    return stop;
  }

  private async going(direction: Direction, action: (origin: StepOrigin) => Promise<Stepped>, work: Work | undefined, interests?: () => Interest<Stop>[]): Promise<Stop> {
    const thread = this.selectedThread;
    const calls = this.points.calls(direction, work);
    const moves = new Moves(this.moveContext(work, calls, interests), thread, direction, work);
    const result = await unlessCancelled(this, async () => {
      await this.resolvePending(work);
      if (interests === undefined) await calls.prepare();
      return action({ moves, hidden: this.hidden, say: (text) => this.onMessage?.(text) });
    });
    if (result === undefined) return { kind: 'cancelled', thread };
    const { moved, finished, hidden, frame, stop } = result;
    if (stop !== undefined && moved.kind === 'there') return this.stand(stop);
    switch (moved.kind) {
      case 'stop': return this.stand(moved.stop);
      case 'there': return this.stand(finished === undefined ? { kind: 'step', thread, frame } : this.finishedStop(thread, finished), hidden);
      case 'limit': return direction === 'forward' ? this.goToEnd(work) : this.stand({ kind: 'start', thread: this.currentThread() });
    }
  }

  private finishedStop(thread: number, { name, scope }: NonNullable<Stepped['finished']>): Stop {
    const program = this.program(thread);
    const value = scope === undefined || program === undefined ? undefined : this.evaluator.returned(scope, program);
    return { kind: 'finished', thread, function: name, value };
  }

  private moveContext(work: Work | undefined, calls: CallRun<Stop>, interests?: () => Interest<Stop>[]): MoveContext<Stop> {
    const { execution, viewAt } = this;
    return {
      execution, viewAt, together, told: this.told, looksAt: SIGNALS, standing: 'behind events',
      interests: interests ?? ((direction) => this.points.interests(direction, work, calls)),
      done: (used) => {
        for (const interest of used) if (interest instanceof BreakpointHits) interest.commit();
      },
    };
  }

  /** Looks at the thread that stopped. */
  private stand(stop: Stop, hidden?: number): Stop {
    this.lastStop = stop;
    this.told = stop.kind === 'end' || stop.kind === 'signal' || (stop.kind === 'catchpoint' && stop.event.kind === 'signal') ? this.position : undefined;
    this.selectedThread = stop.thread;
    this.selectedLevel = 0;
    this.trace = undefined;
    this.points.noteLoaded();
    this.hidden = hidden ?? this.hiddenAt(stop);
    return stop;
  }

  private hiddenAt(stop: Stop): number {
    const program = this.program();
    if (program === undefined) return 0;
    const meant = stop.kind !== 'breakpoint' ? [] : stop.numbers.flatMap((number) => {
      const point = this.breakpoints.findEvenDeleted(number);
      return point?.kind === 'breakpoint' ? placesAt(point, program.pc).map(({ location }) => location.scope) : [];
    });
    return inlinedCallsBeginningAt(program, program.pc, meant);
  }

  private currentThread(): number {
    const { state } = this;
    return state.current?.id ?? state.threads[0]?.id ?? 0;
  }

  /** The program as a thread sees it, in any state. */
  readonly viewAt = (state: State, id: number): ProgramView | undefined => {
    const thread = state.threads.find((candidate) => candidate.id === id);
    return thread === undefined ? undefined : new ProgramView(state, thread, this.modules, this.gone);
  };
}

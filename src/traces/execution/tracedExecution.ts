/**
 * A recorded execution as scripts see it: its state at any time, and traces of what happened in it. Making a trace runs
 * nothing; equal questions give the same trace, so that what one part of a script found out the others know.
 */
import { UserError } from '../../base/errors.js';
import { type GuestAddr, guestAddr } from '../../base/types.js';
import type { DebugFiles } from '../../debugger/program/debugFiles.js';
import type { LoadedModule } from '../../debugger/program/modules.js';
import type { BranchExecution, BranchMaker } from '../../replay/branch/branchExecution.js';
import { at, type Position } from '../../replay/log/position.js';
import { type Condition, type Hit, type MemoryRange, memoryRange } from '../../replay/timeline/conditions.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { WorkAtOnce } from '../../replay/timeline/steps.js';
import type { Thread } from '../../replay/timeline/state.js';
import { traceOf } from '../lazyTrace.js';
import type { Trace } from '../types.js';
import { type AtomicVariable, atomicInstructions, atomicVariables } from './atomics.js';
import { Allocations, type Allocation } from './allocations.js';
import { Habits } from './habits.js';
import { KnownHits, type KnownTrace } from './knownHits.js';
import { LongSearches, type LongSearchLimits } from './longSearches.js';
import { LogFacts, type LoggedFact, type StartedThread, startedThreads } from '../../replay/describe/loggedFacts.js';
import { type Coverage, coverageOf, type CoverageOptions } from './coverage.js';
import { Instances } from './instances.js';
import { type Origin, type OriginOptions, Origins } from './origins.js';
import { Places } from './places.js';
import { Playing } from './playing.js';
import { Scene } from './scene.js';
import { SecondExecution } from './secondExecution.js';
import { type KnownFacts, type OutputFacts, type SignalFacts, Snapshot, type SystemCallFacts } from './snapshot.js';
import { FactSource, HitSource, isKind } from './sources.js';
import type { BranchOptions, TracedBranch } from './tracedBranch.js';
import { Value } from './value.js';

export interface BreakpointOptions {
  /** Where the function has set up its frame, as gdb has it; or before it returns. */
  readonly at?: 'entry' | 'exit';
}

export interface FunctionOptions {
  /** The program alone (default), everything that is loaded when main begins, or files by a part of their names. */
  readonly in?: 'program' | 'all' | RegExp;
}

export type AccessKind = 'READ' | 'WRITE' | 'ACCESS';

/** Bytes of memory: a variable's name or an expression, a value that a snapshot gave, or an address. */
export type LValue = string | Value | { readonly address: number; readonly length: number };

export interface ThreadChange {
  readonly change: 'start' | 'end';
  readonly threadId: number;
  readonly name: string;
  readonly snapshot: Snapshot;
}

export interface ExecutionParts {
  readonly execution: Execution;
  /** Another one of the same (secondExecution.ts). */
  readonly another: () => Execution | Promise<Execution>;
  readonly files: DebugFiles;
  readonly work?: WorkAtOnce;
  /** From earlier sessions. */
  readonly known?: KnownHits;
  /** When threads are asked for help. */
  readonly longSearches?: LongSearchLimits;
  /** Makes branches. Asked when the first one is wanted, because it takes a whole kernel to run them. */
  readonly branches?: () => Promise<BranchMaker>;
  /** Of a branch: it is not looked at beyond this time. */
  readonly lastTime?: number;
  /** Of a branch: it begins after the program has come to main. */
  readonly isPastMain?: boolean;
  /** Of a branch: the recording that it goes on from. */
  readonly recording?: SecondExecution;
}

export class TracedExecution {
  private readonly execution: Execution;
  protected readonly playing: Playing;
  private readonly scene: Scene;
  private readonly facts: LogFacts;
  private readonly places: Places;
  private readonly known: KnownHits;
  private readonly origins: Origins;
  private readonly instances: Instances;
  private readonly longSearches: LongSearches;
  protected readonly second: SecondExecution;
  protected readonly work: WorkAtOnce | undefined;
  private maker: Promise<BranchMaker> | undefined;
  private readonly made = new Map<string, unknown>();
  private started: ReadonlyMap<number, StartedThread> | undefined;

  constructor(private readonly parts: ExecutionParts) {
    const { execution, another, files, work, known = new KnownHits(), longSearches, lastTime, isPastMain } = parts;
    this.known = known;
    this.execution = execution;
    this.work = work;
    this.second = new SecondExecution(another);
    this.playing = new Playing(execution, work, lastTime);
    this.longSearches = new LongSearches(this.playing, this.second, work, longSearches);
    this.facts = new LogFacts(execution.log, execution.driver.start);
    this.scene = new Scene(this.playing, files, (task) => this.tidOf(task));
    this.places = new Places(this.scene, this.facts, isPastMain);
    this.origins = new Origins(this.scene, this.second, work);
    this.instances = new Instances(this.scene, this.second, parts.recording);
  }

  /** The last time there is. */
  get endTime(): number {
    return this.playing.endTime;
  }

  /** Instructions that were replayed so far to answer questions. */
  get cost(): number {
    return this.playing.cost;
  }

  /** The program at a time, right before its next instruction. */
  getAt(time: number): Snapshot {
    this.checkTime(time);
    return new Snapshot(this.scene, at(time));
  }

  /**
   * What would have happened if something had been different at a time: the program runs on from there, on files that
   * it changes for itself alone, and what it does then can be asked like this execution. `set` registers, `write`
   * variables, `skip` an instruction, `flip` a jump. At 'end': right before the last thing that happened.
   */
  async branch(time: number | 'end', options: BranchOptions = {}): Promise<TracedBranch> {
    if (time !== 'end') this.checkTime(time);
    const position = time === 'end' ? await this.lastPosition() : at(time);
    const { tracedBranch } = await import('./tracedBranch.js');
    const { files, work, longSearches } = this.parts;
    const isPastMain = this.parts.isPastMain === true || this.places.atMain.position.time < position.time;
    const recording = this.parts.recording ?? this.second;
    const parts = { files, isPastMain, recording, ...(work === undefined ? {} : { work }), ...(longSearches === undefined ? {} : { longSearches }) };
    return tracedBranch(() => this.branchAt(position), options, parts);
  }

  /** Every time that a function is entered or left, a line is reached (`file.c:12`), or an address. */
  breakpoints(place: string | number, { at: where = 'entry' }: BreakpointOptions = {}): Trace<Snapshot> {
    const text = typeof place === 'number' ? `*0x${place.toString(16)}` : place;
    return this.hits(`breakpoints ${where} ${text}`, () => {
      const addresses = where === 'exit' ? this.places.exits(text) : this.places.addresses(text);
      if (addresses.length === 0) throw new UserError(`${text} has no place where it returns`);
      return [{ kind: 'address', addresses: [...new Set(addresses)] }];
    }, where === 'exit' ? this.leaving(text) : undefined);
  }

  /**
   * The N-th time that a line (`file.c:12#3`), the K-th statement of a line (`file.c:12.2#3`) or a function (`main#1`)
   * was reached, over all threads, from the beginning of the recording; right before its first instruction.
   */
  async reached(place: string): Promise<Snapshot> {
    const { time, thread } = await this.instances.reached(place, this.endTime, this.work);
    return new Snapshot(this.scene, at(time), { task: thread });
  }

  /** The same of a statement, with where control leaves it: what it calls is inside. */
  async instance(place: string): Promise<{ readonly number: number; readonly start: Snapshot; readonly end: Snapshot }> {
    const { number, start, end, thread } = await this.instances.whole(place, this.endTime, this.work);
    return { number, start: new Snapshot(this.scene, start, { task: thread }), end: new Snapshot(this.scene, end) };
  }

  /** Which instance of its statement each snapshot is in, as `file.c:12.2#3`; undefined without debug information. */
  async instancesOf(snapshots: readonly Snapshot[]): Promise<(string | undefined)[]> {
    return this.instances.numbers(snapshots.map(({ moment }) => moment), this.endTime, this.work);
  }

  /** How often a line or a statement was reached: before a time, if one is said. */
  async timesReached(place: string, { before = this.endTime }: { readonly before?: number } = {}): Promise<number> {
    this.checkTime(before);
    return this.instances.count(place, before, this.work);
  }

  /** Whether there is such a function or line: `breakpoints` of others fail when they are asked for something. */
  isDefined(place: string): boolean {
    try {
      return this.places.code(place).length > 0;
    } catch (error) {
      if (error instanceof UserError) return false;
      throw error;
    }
  }

  /**
   * Every access to memory, by the program or (writes) by the kernel; of several things, to any of them. A name is
   * looked up where main begins.
   */
  watchpoints(what: LValue | readonly LValue[], kind: AccessKind = 'WRITE'): Trace<Snapshot> {
    const access = kind === 'WRITE' ? 'write' : kind === 'READ' ? 'read' : 'access';
    const all = isList(what) ? what : [what];
    const key = all.map((one) => (typeof one === 'string' ? one : JSON.stringify(this.rangeOf(one)))).join(', ');
    return this.hits(`watchpoints ${access} ${key}`, () => [{ kind: 'memory', access, ranges: this.execution.meaning(all.map((one) => this.rangeOf(one))) }]);
  }

  /**
   * Every instruction that is atomic by itself, in functions that debug information describes: right before it. See
   * `Snapshot.atomic`.
   */
  atomics(options: FunctionOptions = {}): Trace<Snapshot> {
    return this.hits(`atomics ${options.in ?? 'program'}`, () => [{ kind: 'address', addresses: atomicInstructions(this.places, moduleFilter(options)) }]);
  }

  /** Global and static variables, and parts of them, that are declared as atomic. */
  atomicVariables(options: FunctionOptions = {}): readonly AtomicVariable[] {
    return atomicVariables(this.places, moduleFilter(options));
  }

  /** Who writes to memory: each write, right before it. */
  writers(what: LValue): Trace<Snapshot> {
    return this.watchpoints(what, 'WRITE');
  }

  /** Who reads from memory. */
  readers(what: LValue): Trace<Snapshot> {
    return this.watchpoints(what, 'READ');
  }

  /** How often functions were called and lines ran, in all of it or in a part. */
  async coverage(options: CoverageOptions = {}): Promise<Coverage> {
    for (const time of [options.from, options.to]) if (time !== undefined) this.checkTime(time);
    return coverageOf(this.scene, this.second, options, this.work);
  }

  /**
   * How a value came to be where it is: the lines that copied it, through registers, memory and calls, back to where it
   * was made. Of a value that a snapshot gave at its time, of memory at `at` (the end, if nothing is said).
   * Instructions that this replays are not part of `cost`.
   */
  async origin(what: LValue, { at: time = this.endTime, ...options }: OriginOptions & { readonly at?: number } = {}): Promise<Origin> {
    if (what instanceof Value) return this.origins.ofValue(what, options);
    this.checkTime(time);
    const range = this.rangeOf(what);
    return this.origins.ofRange(range, typeof what === 'string' ? what : `${range.end - range.start} bytes at 0x${range.start.toString(16)}`, time, options);
  }

  /** Every function that is entered: right before its first instruction. */
  allCalls(options: FunctionOptions = {}): Trace<Snapshot> {
    return this.hits(`calls ${options.in ?? 'program'}`, () => [{ kind: 'address', addresses: this.places.functions(moduleFilter(options)).entries }]);
  }

  /** Every return, right before it. */
  allReturns(options: FunctionOptions = {}): Trace<Snapshot> {
    return this.hits(`returns ${options.in ?? 'program'}`, () => [{ kind: 'address', addresses: this.places.functions(moduleFilter(options)).exits }]);
  }

  /** System calls, all or those of a name. Costs nothing: they are in the recording. */
  syscalls(name?: string): Trace<Snapshot & { readonly syscall: SystemCallFacts }> {
    return this.logged(`syscalls ${name ?? ''}`, (fact) => {
      if (!isKind(fact, 'syscall') || (name !== undefined && fact.what.call.name !== name)) return undefined;
      const { call } = fact.what;
      const result = (): number | undefined => this.resultOf(fact);
      return this.snapshot(fact, { syscall: { ...call, get result() { return result(); } } }) as Snapshot & { readonly syscall: SystemCallFacts };
    });
  }

  /** Signals that take effect. */
  signals(name?: string): Trace<Snapshot & { readonly signal: SignalFacts }> {
    return this.logged(`signals ${name ?? ''}`, (fact) => {
      if (!isKind(fact, 'signal') || (name !== undefined && fact.what.name !== name)) return undefined;
      const { signal: number, name: called, handled } = fact.what;
      return this.snapshot(fact, { signal: { name: called, number, handled } }) as Snapshot & { readonly signal: SignalFacts };
    });
  }

  /** What the program writes to its standard output and error. */
  output(fd?: number): Trace<Snapshot & { readonly output: OutputFacts }> {
    return this.logged(`output ${fd ?? ''}`, (fact) => {
      if (!isKind(fact, 'output') || (fd !== undefined && fact.what.fd !== fd)) return undefined;
      const { bytes } = fact.what;
      return this.snapshot(fact, { output: { fd: fact.what.fd, bytes, text: new TextDecoder().decode(bytes) } }) as Snapshot & { readonly output: OutputFacts };
    });
  }

  /** Threads that start and end. */
  threads(): Trace<ThreadChange> {
    return this.logged('threads', (fact) => {
      if (!isKind(fact, 'thread')) return undefined;
      const { change, thread } = fact.what;
      const known = this.threadNames.get(thread);
      if (change === 'start' && known?.time !== fact.position.time) return undefined;
      // Before the first thread there is no program to be looked at.
      const snapshot = fact.position.time === 0 ? new Snapshot(this.scene, at(0), { task: thread }) : this.snapshot(fact);
      return { change, threadId: known?.tid ?? 0, name: known?.name ?? '', snapshot };
    });
  }

  /** malloc, calloc, realloc and free, with what they were given and what they gave. */
  allocations(): Trace<Allocation> {
    return this.once('allocations', () => new Allocations(this.playing, this.scene, this.places, this.known).trace());
  }

  private async lastPosition(): Promise<Position> {
    return this.second.use(async (execution) => {
      await execution.seekEnd(this.work);
      return execution.position;
    });
  }

  /** A branch of the execution that stands there. */
  protected async branchAt(position: Position): Promise<BranchExecution> {
    this.maker ??= this.parts.branches?.() ?? Promise.reject(new UserError('there are no branches of this execution'));
    return (await this.maker).branchAt(position, this.work);
  }

  /** Without going there, if that is known and takes less time. */
  private tidOf(task: number): number | undefined {
    const thread = this.facts.isShort ? this.threadNames.get(task) : undefined;
    return thread?.isRenumbered === false ? thread.tid : undefined;
  }

  /** Threads where they start, from the log. */
  private get threadNames(): ReadonlyMap<number, StartedThread> {
    this.started ??= startedThreads(this.facts, this.threadsAtStart);
    return this.started;
  }

  /** A recording begins with none: its first thread is in the log. */
  protected get threadsAtStart(): readonly Thread[] {
    return [];
  }

  /** Jumps to an address that is in a register or in memory: to a case of a switch, or away for good. */
  private leaving(text: string): (hit: Hit) => boolean {
    let jumps: ReadonlyMap<GuestAddr, MemoryRange> | undefined;
    return (hit) => {
      jumps ??= this.places.indirectJumps(text);
      const own = jumps.get(hit.rip);
      if (own === undefined) return true;
      const target = Number(this.hitSnapshot(hit).after.register('rip'));
      return target < own.start || target >= own.end;
    };
  }

  private checkTime(time: number): void {
    const { endTime, playing: { start } } = this;
    if (!Number.isInteger(time) || time < start.time || time > endTime) throw new UserError(`no such time: ${time}; there are times from ${start.time} to ${endTime}`);
  }

  private rangeOf(what: LValue): MemoryRange {
    if (typeof what === 'string') return this.places.memory(what);
    const { address, length } = 'range' in what ? what.range : what;
    return memoryRange(guestAddr(address), length);
  }

  private hits(key: string, find: () => readonly Condition[], isMeant: (hit: Hit) => boolean = () => true): Trace<Snapshot> {
    const habits = new Habits(this.playing, (hit) => this.hitSnapshot(hit, habits));
    const known = (): KnownTrace => {
      const trace = this.known.trace(key, find);
      trace.passing = (hit) => habits.passing(hit);
      return trace;
    };
    return this.once(key, () => traceOf(new HitSource(this.playing, known, (hit) => (isMeant(hit) ? habits.snapshotAt(hit) : undefined), this.longSearches)));
  }

  private logged<T>(key: string, make: (fact: LoggedFact) => T | undefined): Trace<T> {
    return this.once(key, () => traceOf(new FactSource(this.facts, this.playing.start.time, this.endTime + 1, make)));
  }

  private once<T>(key: string, make: () => Trace<T>): Trace<T> {
    const known = this.made.get(key) as Trace<T> | undefined;
    if (known !== undefined) return known;
    const trace = make();
    this.made.set(key, trace);
    return trace;
  }

  private hitSnapshot({ position, task, rip, access }: Hit, habits?: Habits): Snapshot {
    if (access === undefined) return new Snapshot(this.scene, position, { task, rip }, habits);
    const { address, bytes, write, by } = access;
    return new Snapshot(this.scene, position, { task, rip, access: { address, length: bytes, kind: write ? 'WRITE' : 'READ', by } });
  }

  private snapshot({ position, task }: LoggedFact, found: KnownFacts = {}): Snapshot {
    return new Snapshot(this.scene, position, { task, ...found });
  }

  private resultOf({ position, task }: LoggedFact): number | undefined {
    for (const fact of this.facts.forward(position.time, Infinity)) {
      if (fact.task !== task) continue;
      if (isKind(fact, 'result')) return fact.what.result;
      if (isKind(fact, 'syscall') && fact.position.time > position.time) return undefined;
    }
    return undefined;
  }
}

function isList(what: LValue | readonly LValue[]): what is readonly LValue[] {
  return Array.isArray(what);
}

function moduleFilter({ in: which = 'program' }: FunctionOptions): (module: LoadedModule, isMain: boolean) => boolean {
  if (which === 'program') return (_module, isMain) => isMain;
  return which === 'all' ? () => true : (module) => which.test(module.path);
}

/**
 * A what-if branch: a second course of events from some time of a recording on. It has address spaces of its own, so
 * the recording is never touched. It follows the recording as long as that has the answers (follower.ts); then a kernel
 * of its own takes over, on files of which nothing is ever changed (branchKernel.ts).
 *
 * The same alterations at the same times give the same branch, always. That is how branches are branched: done once
 * more, up to where they stand.
 */
import { assert } from '../../base/assert.js';
import { UserError } from '../../base/errors.js';
import { guestAddr } from '../../base/types.js';
import type { Host } from '../../host/host.js';
import type { ExitStatus } from '../../linux/process.js';
import type { World } from '../../linux/world.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { Cpu } from '../../machine/cpu.js';
import type { MemoryRange } from '../../ir/meaning/strings.js';
import type { Machine } from '../../machine/machinePool.js';
import type { Effect, Note } from '../log/effects.js';
import type { EventLog } from '../log/eventLog.js';
import type { PlayedSpace } from '../play/playedSpace.js';
import type { Position } from '../log/position.js';
import { type Alteration, instructionAt, runWords, setRegister, skipInstruction, writeMemory } from './alterations.js';
import { type ComparableState, stateOf } from './compareStates.js';
import type { BranchOutput, BranchStop, TrialBranch } from './branchExecution.js';
import type { BranchLog } from './branchLog.js';
import type { FileChanges } from './fileChanges.js';
import type { Departure, Followed, Follower } from './follower.js';
import { BranchKernel } from './branchKernel.js';
import { suppressedThread } from './suppressedTasks.js';
import type { SuppressedThread, Suppression } from './suppression/suppression.js';
import { changedWords } from '../log/registerWords.js';
import { PLAIN } from '../../machine/instrumentation.js';
import type { Task } from '../../linux/tasks/task.js';
import { Unsupported } from './unsupported.js';

/** Where branches come from. */
export interface BranchOrigin {
  readonly log: EventLog;
  /** Whose files a branch sees once it has left the recording. */
  readonly host: Host;
  /** What the recorded run did to files. */
  fileChanges(): FileChanges;
  /** A follower of its own that stands there. */
  followerAt(position: Position): Promise<Follower>;
  /** A branch has been dropped: its address spaces, some of which may be a world's by now, are not used any more. */
  takeBack(spaces: readonly PlayedSpace[], world: World | undefined): void;
}

/** Who is altered. */
interface AlteredThread {
  readonly machine: Machine;
  readonly task: number;
  readonly space: number;
}

type Step = Alteration | { readonly kind: 'run'; readonly time: number } | { readonly kind: 'leave' };

/** An instance of an instruction that is left out: what a thread does at a time. */
export interface BranchPoint {
  readonly time: number;
  readonly thread: number;
  /** The instruction; where control is elsewhere then, only `memory` becomes corrupt. */
  readonly address?: number;
  readonly memory?: MemoryRange;
}

/** Instructions that may be left out one after the other before a point; more are a mistake of ours. */
const MOST_AT_ONCE = 100_000;

/** Instructions between two looks at whether the user wants to stop. */
const SLICE = 20_000_000;

const FIRST_PROCESS = 1;

export class Branch implements TrialBranch {
  /** What was written to the streams that the user had given the run, from the branch's beginning on, in order. */
  readonly output: BranchOutput[] = [];
  /** What may make the branch different from what would have been. */
  readonly warnings: string[] = [];
  /** Where it left the recording: undefined as long as it follows. */
  departure: Departure | undefined;
  private kernel: BranchKernel | undefined;
  private readonly steps: Step[] = [];
  private ended: BranchStop | undefined;
  private dropped = false;
  private firstStatus: ExitStatus | undefined;
  /** Points that are still to come, in order. */
  private points: BranchPoint[] = [];

  private constructor(
    private readonly origin: BranchOrigin,
    readonly start: Position,
    private readonly follower: Follower,
    /** Where what happens is written to, if a timeline is to go through it again. */
    private readonly log: BranchLog | undefined,
  ) {
    this.follower.onNote = (note) => this.hear(note);
    this.follower.branchLog = log;
  }

  static async at(origin: BranchOrigin, start: Position): Promise<Branch> {
    return new Branch(origin, start, await origin.followerAt(start), undefined);
  }

  /** Leaves out these instances of instructions, and what depends on them. It stands where it began. */
  suppress(suppression: Suppression, points: readonly BranchPoint[]): void {
    this.follower.suppression = suppression;
    this.points = [...points].sort((a, b) => a.time - b.time);
    this.follower.instrument({ ...PLAIN, shadow: { policy: suppression } });
  }

  /** One whose log can be replayed. `follower` stands at `start`. */
  static recorded(origin: BranchOrigin, start: Position, follower: Follower, log: BranchLog): Branch {
    return new Branch(origin, start, follower, log);
  }

  /** Instructions retired, counted from the recording's beginning. */
  get time(): number {
    return this.kernel?.time ?? this.follower.time;
  }

  /** Of the task that runs, or has run last. */
  get cpu(): Cpu {
    return this.machine.cpu;
  }

  get space(): AddressSpace {
    return this.machine.space;
  }

  get isFollowing(): boolean {
    return this.kernel === undefined;
  }

  /** Changes something for the task that runs next. */
  async alter(alteration: Alteration): Promise<void> {
    this.checkAlive();
    if (this.ended !== undefined) throw new UserError('the branch has ended: there is nothing to alter');
    if (alteration.kind === 'flip') {
      await this.flip();
      return;
    }
    const effects = this.applied(alteration);
    if (this.kernel === undefined) this.follower.wasAltered(effects);
    else this.kernel.recorder?.altered(effects.filter(({ op }) => op !== 'write'));
    this.publish();
    this.steps.push(alteration);
  }

  /** Leaves the recording at the next system call, or here if it is in the middle of one. */
  leaveAtNextCall(): void {
    this.checkAlive();
    this.steps.push({ kind: 'leave' });
    this.follower.leaveAtNextCall = true;
  }

  /** Runs on for so many instructions, or to the end. */
  async run(instructions = Infinity, signal?: AbortSignal): Promise<BranchStop> {
    this.checkAlive();
    const target = this.time + instructions;
    let stop: BranchStop = { kind: 'reached' };
    while (this.ended === undefined && this.time < target) {
      this.passPoints();
      stop = await this.runTo(Math.min(target, this.time + SLICE, this.points[0]?.time ?? Infinity));
      this.publish();
      if (stop.kind !== 'reached') this.ended = stop;
      if (signal?.aborted === true) break;
      await this.origin.host.clock.yield();
    }
    // An end may come without another instruction: who stops at its time does not see it.
    this.steps.push({ kind: 'run', time: this.ended === undefined ? this.time : Infinity });
    return this.ended ?? stop;
  }

  /** Another branch that stands where this one does. */
  async fork(): Promise<Branch> {
    this.checkAlive();
    const copy = await Branch.at(this.origin, this.start);
    for (const step of this.steps) {
      if (step.kind === 'run') await copy.run(step.time - copy.time);
      else if (step.kind === 'leave') copy.leaveAtNextCall();
      else await copy.alter(step);
    }
    return copy;
  }

  /** All threads and address spaces, to be compared with others. */
  get state(): ComparableState {
    return this.kernel?.state ?? stateOf(this.follower.world);
  }

  /** It is not needed any more. */
  drop(): void {
    if (this.dropped) return;
    this.dropped = true;
    this.kernel?.dispose();
    this.origin.takeBack([...this.follower.world.spaces.values()], this.kernel?.world);
    this.output.length = 0;
  }

  private get machine(): Machine {
    return this.target(undefined).machine;
  }

  /**
   * The thread (default: the one that runs) with its registers loaded, and what the log calls it and its address space.
   */
  private target(thread: number | undefined): AlteredThread {
    return this.kernel === undefined ? this.followed(thread) : this.running(this.kernel, thread);
  }

  private running(kernel: BranchKernel, thread: number | undefined): AlteredThread {
    const { recorder } = kernel;
    const task = thread === undefined ? kernel.current : kernel.task(thread);
    if (task === undefined || task.ended) throw new UserError(`there is no thread ${thread ?? ''}`);
    const { machine } = task.process;
    machine.load(task);
    return { machine: { cpu: machine.cpu, space: machine.space, linear: machine.space.linear }, task: recorder?.idOf(task) ?? 0, space: recorder?.spaceIdOf(machine.space) ?? 0 };
  }

  private followed(thread: number | undefined): AlteredThread {
    const { world } = this.follower;
    const task = thread === undefined ? world.current : world.tasks.get(thread);
    const space = world.spaces.get(task?.space ?? 0);
    if (task === undefined || space === undefined) throw new UserError(`there is no thread ${thread ?? ''}`);
    space.load(task);
    return { machine: space.machine, task: task.id, space: space.id };
  }

  /** Alters something; what that did, as the log has it. */
  private applied(alteration: Exclude<Alteration, { kind: 'flip' }>): Effect[] {
    const { machine, task, space } = this.target(alteration.thread);
    if (alteration.kind === 'memory') {
      const { address, bytes } = alteration;
      writeMemory(machine, address, bytes);
      return [{ op: 'write', space, address, bytes }];
    }
    const before = this.kernel?.recorder?.wordsOf(task) ?? runWords(machine).slice();
    if (alteration.kind === 'skip') skipInstruction(machine);
    else if (alteration.kind === 'words') runWords(machine).set(alteration.words);
    else setRegister(machine, alteration.name, alteration.value);
    const words = Array.from(runWords(machine), (value, i): [number, number] => [i, value]).filter(([i, value]) => value !== before[i]);
    return [{ op: 'registers', task, space, words }];
  }

  /** Readers of the log see everything up to here. */
  private publish(): void {
    if (this.kernel === undefined) this.log?.reached(this.time);
  }

  private checkAlive(): void {
    if (this.dropped) throw new UserError('the branch has been dropped');
  }

  private async runTo(time: number): Promise<BranchStop> {
    try {
      if (this.kernel === undefined) {
        const stop = this.follow(time);
        if (stop !== undefined) return stop;
      }
      return await this.runKernel(time);
    } catch (error) {
      if (error instanceof Unsupported) return { kind: 'unsupported', why: error.message };
      throw error;
    }
  }

  /** Undefined: it has left, and there is a kernel now. */
  private follow(time: number): BranchStop | undefined {
    const followed: Followed = this.follower.follow(time);
    switch (followed.kind) {
      case 'reached':
      case 'unsupported':
        return followed;
      case 'end':
        return this.firstStatus === undefined ? { kind: 'cutOff' } : { kind: 'ended', status: this.firstStatus };
      case 'left':
        this.departure = followed.departure;
        this.publish();
        this.kernel = new BranchKernel(this.follower, followed.departure, {
          log: this.origin.log, branchLog: this.log, suppression: this.follower.suppression, host: this.origin.host, fileChanges: () => this.origin.fileChanges(),
          output: (fd, bytes) => void this.output.push({ time: this.time, fd, bytes }),
          warn: (line) => void this.warnings.push(line),
        });
        return undefined;
    }
  }

  /** Those that are next. */
  private passPoints(): void {
    const { suppression } = this.follower;
    if (suppression === undefined) return;
    for (let point = this.points[0]; point !== undefined && point.time <= this.time; [point] = this.points) {
      const { thread, address, memory } = point;
      const isThere = (): boolean => address !== undefined && this.cpu.rip === address;
      this.points.shift();
      // What is corrupt is left out first: it takes no time.
      for (let i = 0; i < MOST_AT_ONCE && !isThere() && this.interfere(thread, (one) => suppression.wouldMeet(one) && suppression.met(one)); i++);
      this.interfere(thread, (one) => suppression.suppress(one, memory, address === undefined || isThere()));
    }
  }

  /** Something is done to a thread from outside: false if there was nothing to do. */
  private interfere(thread: number, change: (one: SuppressedThread) => boolean | void): boolean {
    const { kernel, follower } = this;
    let isDone = false;
    if (kernel === undefined) {
      const one = follower.suppressedThread();
      if (one !== undefined) follower.interfere(() => (isDone = change(one) !== false));
      return isDone;
    }
    const task = kernel.task(thread) ?? kernel.current;
    const one = task && suppressedThread(task);
    if (one === undefined) return false;
    const words = runWords(one.machine);
    const id = kernel.recorder?.idOf(task as Task) ?? 0;
    const before = kernel.recorder?.wordsOf(id) ?? words.slice();
    isDone = change(one) !== false;
    kernel.recorder?.altered([{ op: 'registers', task: id, space: kernel.recorder.spaceIdOf(one.machine.space), words: changedWords(before, words) }]);
    return isDone;
  }

  private async runKernel(time: number): Promise<BranchStop> {
    const { kernel } = this;
    assert(kernel !== undefined, 'it has left the recording');
    const status = await kernel.runTo(time);
    if (kernel.ending !== undefined) return { kind: 'deadlock', tasks: kernel.ending.tasks };
    if (status === undefined) return { kind: 'reached' };
    return { kind: 'ended', status: this.firstStatus ?? status };
  }

  /** Runs up to the next conditional jump and beyond, and then goes where it did not go. */
  private async flip(): Promise<void> {
    for (;;) {
      const { rip } = this.cpu;
      const { jumpsTo, length } = instructionAt(this.machine, rip);
      const before = this.time;
      const stop = await this.run(1);
      if (stop.kind !== 'reached' || this.time === before) throw new UserError('the branch ends before the next conditional jump');
      if (jumpsTo === undefined) continue;
      const target = Number(jumpsTo);
      await this.alter({ kind: 'register', name: 'rip', value: BigInt(guestAddr(this.cpu.rip === target ? rip + length : target)) });
      return;
    }
  }

  private hear(note: Note): void {
    if (note.op === 'output') this.output.push({ time: this.time, fd: note.fd, bytes: note.bytes });
    if (note.op === 'processEnd' && note.process === FIRST_PROCESS) this.firstStatus ??= note.signal === 0 ? { kind: 'exited', code: note.code } : { kind: 'signaled', signal: note.signal, coreDumped: false };
  }
}

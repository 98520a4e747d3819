/**
 * All guest processes, what they share, and the loop in which they run, one task at a time:
 *
 *     wake who can go on (tasks/waking.ts)  ->  choose a task, run it for a turn (tasks/turns.ts)  ->  ...
 *
 * Only when no task can run does the world wait for the host (tasks/idle.ts).
 */
import { Budget } from '../base/budget.js';
import type { Host, HostFd } from '../host/host.js';
import { MachinePool } from '../machine/machinePool.js';
import type { Stop } from '../machine/stop.js';
import { FileWatching } from './inotify/fileWatching.js';
import { IpcNamespace } from './ipc/ipcNamespace.js';
import { Kernel, type KernelOptions } from './kernel.js';
import { IoSignals } from './signals/ioSignals.js';
import { LockTable } from './locks/lockTable.js';
import { PlainDirectories } from './pathWalk.js';
import type { ExitStatus, Process } from './process.js';
import { Fifos } from './files/fifo.js';
import { SharedObjects } from './memory/sharedObjects.js';
import { ControllingTerminal } from './processes/controllingTerminal.js';
import { endProcess } from './processes/endProcess.js';
import { type ChildrenPolicy, LeftBehind } from './processes/leftBehind.js';
import { OutsideSignals } from './processes/outsideSignals.js';
import { Shortcomings } from './shortcomings.js';
import { SIG } from '../base/signalNumbers.js';
import { kernelInfo } from './signals/siginfo.js';
import { Network } from './sockets/network.js';
import { endTask } from './tasks/endTask.js';
import { Futexes } from './tasks/futexes.js';
import { Idle } from './tasks/idle.js';
import { PiFutexes } from './tasks/piFutexes.js';
import { RoundRobin } from './tasks/scheduler.js';
import { SeededScheduler } from './tasks/seededScheduler.js';
import type { Task } from './tasks/task.js';
import { Turns } from './tasks/turns.js';
import { VirtualClock } from './tasks/virtualClock.js';
import { waitReport } from './tasks/waitReport.js';
import { Waking } from './tasks/waking.js';
import type { Interceptor } from './interception.js';
import type { ShadowGuard } from './shadowGuard.js';
import type { Wait } from './waiting.js';
import type { Witness } from './witness.js';

export interface WorldOptions extends KernelOptions {
  /** Which interleaving of the tasks; 0, the default, is fair turns of equal length. */
  readonly scheduleSeed?: number;
  /** Milliseconds of the host's time after which the run is ended. */
  readonly timeout?: number;
  /** Nothing comes from outside, not even signals: who waits for that waits for ever. */
  readonly closed?: boolean;
  /** Which descriptor of ours the program gets as its stdout; that of the same number, if not given. */
  readonly stdout?: HostFd;
  /** Told of everything that comes from outside the program. */
  readonly witness?: Witness;
  /** Steps in between the program and the machine. */
  readonly interceptor?: Interceptor;
  readonly guard?: ShadowGuard;
  /**
   * What becomes of processes that are still there when the first one has ended; unless it is said, the run goes on
   * until they end.
   */
  readonly children?: ChildrenPolicy;
  /** Told of every process that ends, while its memory is still there. */
  readonly onEnd?: (process: Process) => void;
}

/** Why a run was ended that would have gone on, or would have waited for ever. */
export interface RunEnding {
  readonly reason: 'timeout' | 'deadlock';
  /** What every task was doing. */
  readonly tasks: readonly string[];
  /** The first process had ended, and its status counts. */
  readonly isOfLeftBehind: boolean;
}

/** Instructions that are left of a turn which began elsewhere. */
const CONTINUED_TURN = 300_000;

/** What timeout(1) exits with. */
const EXIT_TIMEOUT = 124;

/**
 * The event loop gets its turn this often, so that Ctrl-C is noticed; more often if a task waits for what it brings.
 */
const YIELD_MILLISECONDS = 50;
const EXTERNAL_YIELD_MILLISECONDS = 5;

export class World {
  readonly clock: VirtualClock;
  /** What brings signals from outside. */
  readonly outside: OutsideSignals;
  readonly terminal: ControllingTerminal;
  /** Named pipes that the guest has made. */
  readonly fifos: Fifos;
  /** What several processes may have mapped. */
  readonly sharedObjects = new SharedObjects();
  /** Memories of processes that have ended. */
  readonly machines: MachinePool;
  /** In the order in which they came to be. */
  readonly processes: Process[] = [];
  /** All tasks that have not ended, in the order in which they came to be. */
  readonly tasks: Task[] = [];
  readonly futexes = new Futexes();
  readonly piFutexes = new PiFutexes();
  readonly locks = new LockTable();
  readonly ioSignals = new IoSignals(this);
  readonly ipc = new IpcNamespace();
  readonly shortcomings = new Shortcomings();
  readonly fileWatching: FileWatching;
  /** From which no path leads to what we play ourselves. */
  readonly plainDirectories = new PlainDirectories();
  readonly host: Host;
  readonly network: Network;
  /** What all that the guest has us keep may take: files in memory, pipes, messages. */
  readonly budget: Budget;
  /** The process on whose behalf we act right now. */
  acting: Process | undefined;
  readonly waking: Waking;
  private readonly turns: Turns;
  private readonly idle: Idle;
  private readonly leftBehind: LeftBehind;
  /** Host time at which the run ends at the latest. */
  private readonly endOfTime: number;
  /** Set if we have ended the run, not the guest. */
  ending: RunEnding | undefined;
  private first: Process | undefined;
  private lastYield: number;
  /** The user has been told of a deadlock. */
  private warned = false;
  private nextTid: number;
  private nextInode = 0x1_0000;

  constructor(
    host: Host,
    private readonly options: WorldOptions = {},
  ) {
    this.machines = new MachinePool((space) => this.witness?.spaceMade(space));
    this.fileWatching = new FileWatching(host, this.processes, () => this.notify());
    this.host = this.fileWatching.host;
    this.clock = new VirtualClock(host.clock);
    this.budget = host.budget ?? new Budget();
    this.network = new Network(host, () => this.notify(), () => this.takeInode(), this.budget);
    this.fifos = new Fifos(this.budget);
    this.waking = new Waking(this.clock, this.tasks, this.processes);
    const scheduler = options.scheduleSeed ? new SeededScheduler(options.scheduleSeed) : new RoundRobin();
    this.turns = new Turns(this.clock, this.waking, scheduler, new Kernel(options), options.witness);
    this.idle = new Idle(this);
    this.outside = new OutsideSignals(this);
    this.leftBehind = new LeftBehind(this, options.children ?? 'wait');
    this.terminal = new ControllingTerminal(host);
    this.lastYield = host.clock.milliseconds();
    this.endOfTime = this.lastYield + (options.timeout ?? Infinity);
    this.nextTid = host.identity.pid + 1;
  }

  get witness(): Witness | undefined {
    return this.options.witness;
  }

  get stdout(): HostFd | undefined {
    return this.options.stdout;
  }

  get interceptor(): Interceptor | undefined {
    return this.options.interceptor;
  }

  get guard(): ShadowGuard | undefined {
    return this.options.guard;
  }

  /** A number for a new process or thread. */
  takeTid(): number {
    return this.nextTid++;
  }

  /** An inode number for a file that exists only in the guest. */
  takeInode(): bigint {
    return BigInt(this.nextInode++);
  }

  add(process: Process): void {
    this.first ??= process;
    this.processes.push(process);
    if (this.processes.length === 2) this.outside.updateAll();
    this.acting ??= process;
    for (const task of process.tasks) this.addTask(task);
  }

  addTask(task: Task): void {
    this.tasks.push(task);
    this.turns.taskAdded();
    this.witness?.taskMade(task);
  }

  /** Lets the others run before the current task goes on. */
  yield(): void {
    this.turns.end();
  }

  /** Instructions retired by all tasks. */
  get instructions(): number {
    return this.turns.instructions;
  }

  /** The time in the middle of a run, when the engine has retired so many. */
  timeOf(engineInstructions: number): number {
    return this.turns.timeOf(engineInstructions);
  }

  /** The task that runs next, or has run last. */
  get current(): Task | undefined {
    return this.turns.current;
  }

  /** Something outside has happened: tasks that wait for it may look. */
  notify(): void {
    this.idle.notify();
  }

  /** Until the last process has ended; how the first one did. */
  async run(): Promise<ExitStatus> {
    this.witness?.begin(this);
    this.outside.updateAll();
    for (;;) {
      this.buryEnded();
      if (this.tasks.length === 0) return this.status();
      const task = this.turns.next(this.tasks);
      if (this.firstHasEnded && this.leftBehind.look(task === undefined)) continue;
      if (task === undefined) await this.waitForHost();
      else {
        this.turns.run(task);
        if (this.isTimeToYield) await this.yieldToHost();
      }
    }
  }

  /** Until so many instructions have retired, or the end: how the first process ended, undefined if it goes on. */
  async runTo(instructions: number): Promise<ExitStatus | undefined> {
    this.turns.limit = instructions;
    for (;;) {
      this.buryEnded();
      if (this.tasks.length === 0) return this.status();
      if (this.turns.instructions >= instructions) return undefined;
      const task = this.turns.next(this.tasks);
      if (task === undefined) await this.waitForHost();
      else this.turns.run(task);
    }
  }

  /**
   * For a world that goes on where another stood: after so many instructions, with a task in the middle of its turn.
   */
  continueFrom(instructions: number, task: Task | undefined): void {
    this.turns.instructions = instructions;
    if (task !== undefined) this.turns.give(task, CONTINUED_TURN);
  }

  /** A task whose system call, or fault, has not been answered yet. */
  answer(task: Task, stop: Stop): void {
    this.turns.answer(task, stop);
  }

  /** Milliseconds of the host's time that the run may still take. */
  get timeLeft(): number {
    return this.endOfTime - this.host.clock.milliseconds();
  }

  private async waitForHost(): Promise<void> {
    const result = await this.idle.wait();
    if (result === 'ready' || (result === 'deadlock' && this.guard?.stuck(this.tasks) === true)) return;
    if (this.timeLeft <= 0) this.end('timeout');
    else if (this.options.closed === true || !this.outside.isHeard) this.end('deadlock');
    else {
      this.warn();
      await this.idle.waitForSignal();
    }
  }

  /** All wait for each other; but a process outside may send a signal. */
  private warn(): void {
    if (this.warned) return;
    this.warned = true;
    const lines = ['all threads wait for each other; only a signal can end this:', ...waitReport(this)];
    for (const line of lines) this.host.notify(`culprit: ${line}`);
  }

  private end(reason: RunEnding['reason']): void {
    this.ending = { reason, tasks: waitReport(this), isOfLeftBehind: reason === 'deadlock' && this.firstHasEnded };
    for (const process of this.processes) process.killedBy(SIG.KILL);
  }

  /** Waits as a task would whose system call has to: for tests, which have no program. */
  async waitFor(task: Task, wait: Wait): Promise<number> {
    task.sleep(-1, wait);
    for (;;) {
      this.waking.lookOutside();
      this.waking.wakeTasks();
      const call = task.takeEndedCall();
      if (call !== undefined) return call.result;
      if ((await this.idle.wait()) === 'deadlock') await this.idle.waitForSignal();
    }
  }

  get firstHasEnded(): boolean {
    return this.first?.exitStatus !== undefined;
  }

  get wasEndedFromOutside(): boolean {
    return this.first !== undefined && this.outside.endedBy(this.first) !== undefined;
  }

  /** Processes that are still there end now. */
  killAll(): void {
    for (const p of this.processes) p.signals.send(kernelInfo(SIG.KILL), 'process');
    this.notify();
  }

  /** A process has been stopped. Who has started us knows the first one. */
  noteStopped(): void {
    if (this.first?.exitStatus === undefined && this.first?.family.isStopped === true) this.outside.stopWith(this.first);
  }

  private status(): ExitStatus {
    if (this.ending?.isOfLeftBehind === false) return { kind: 'exited', code: EXIT_TIMEOUT };
    return this.first?.exitStatus ?? { kind: 'exited', code: 0 };
  }

  private get isTimeToYield(): boolean {
    const interval = this.waking.anyExternal ? EXTERNAL_YIELD_MILLISECONDS : YIELD_MILLISECONDS;
    return this.host.clock.milliseconds() - this.lastYield > interval;
  }

  private async yieldToHost(): Promise<void> {
    await this.host.clock.yield();
    this.lastYield = this.host.clock.milliseconds();
    // A program may have blocked signals for as long as it computes.
    this.outside.updateAll();
    if (this.timeLeft <= 0 && this.ending === undefined) this.end('timeout');
  }

  private buryEnded(): void {
    if (!this.tasks.some((task) => task.ended || task.process.exitStatus !== undefined)) return;
    for (const process of this.processes) {
      if (process.tasks.length === 0) process.exit(process.leader.exitCode);
      if (process.exitStatus !== undefined) this.bury(process);
    }
    remove(this.tasks, (task) => task.ended);
    remove(this.processes, (process) => process.exitStatus !== undefined);
    if (this.processes.length <= 1) this.outside.updateAll();
  }

  private bury(process: Process): void {
    process.actFor(process.leader);
    for (const task of [...process.tasks]) endTask(task, process.machine.users > 1);
    this.ipc.processEnded(process);
    this.options.onEnd?.(process);
    if (this.ending === undefined && this.options.closed !== true) this.shortcomings.processEnded(process, process.exitStatus as ExitStatus);
    this.witness?.processEnded(process, process.exitStatus as ExitStatus);
    endProcess(process, process.exitStatus as ExitStatus, process === this.first);
  }
}

function remove<T>(list: T[], gone: (item: T) => boolean): void {
  let kept = 0;
  for (const item of list) if (!gone(item)) list[kept++] = item;
  list.length = kept;
}

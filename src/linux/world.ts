/**
 * All guest processes, their clock, and who of their tasks runs when. One loop, one task at a time:
 *
 *     wake who can go on  ->  choose a task  ->  run it for a quantum  ->  ...
 *
 * A quantum ends after a number of instructions, at the time something is due (a timeout, a timer), or
 * when the task waits. Only when nobody can run does the world wait for the host (tasks/idle.ts).
 */
import { E } from '../base/errno.js';
import type { Host } from '../host/host.js';
import { MachinePool } from '../machine/machinePool.js';
import { FileWatching } from './inotify/fileWatching.js';
import { IpcNamespace } from './ipc/ipcNamespace.js';
import { Kernel, type KernelOptions } from './kernel.js';
import { LockTable } from './locks/lockTable.js';
import type { ExitStatus, Process } from './process.js';
import { Fifos } from './files/fifo.js';
import { SharedObjects } from './memory/sharedObjects.js';
import { ControllingTerminal } from './processes/controllingTerminal.js';
import { endProcess } from './processes/endProcess.js';
import { groupMembers } from './processes/groups.js';
import { OutsideSignals } from './processes/outsideSignals.js';
import { announceContinued } from './processes/stopping.js';
import { SIG } from './signals/signalNumbers.js';
import { kernelInfo } from './signals/siginfo.js';
import { errnoOfBadAddress } from './syscallTable.js';
import { Network } from './sockets/network.js';
import { endTask } from './tasks/endTask.js';
import { Futexes } from './tasks/futexes.js';
import { Idle } from './tasks/idle.js';
import { PiFutexes } from './tasks/piFutexes.js';
import { RoundRobin, type Scheduler } from './tasks/scheduler.js';
import { SeededScheduler } from './tasks/seededScheduler.js';
import type { Task } from './tasks/task.js';
import { VirtualClock } from './tasks/virtualClock.js';
import { waitReport } from './tasks/waitReport.js';
import type { Wait } from './waiting.js';

export interface WorldOptions extends KernelOptions {
  /** Which interleaving of the tasks; 0, the default, is fair turns of equal length. */
  readonly scheduleSeed?: number;
  /** Milliseconds of the host's time after which the run is ended. */
  readonly timeout?: number;
}

/** Why a run was ended that would have gone on, or would have waited for ever. */
export interface RunEnding {
  readonly reason: 'timeout' | 'deadlock';
  /** What every task was doing. */
  readonly tasks: readonly string[];
}

/** What timeout(1) exits with. */
const EXIT_TIMEOUT = 124;

/** The event loop gets its turn this often, so that Ctrl-C is noticed. */
const YIELD_MILLISECONDS = 50;
/** System calls between two looks at the host's clock. */
const CALLS_PER_LOOK = 128;
/** Who waits for the outside is looked after this often (nanoseconds), or when nobody can run. */
const OUTSIDE_INTERVAL = 1_000_000;

export class World {
  readonly clock: VirtualClock;
  /** What brings signals from outside. */
  readonly outside: OutsideSignals;
  readonly terminal: ControllingTerminal;
  /** Named pipes that the guest has made. */
  readonly fifos = new Fifos();
  /** What several processes may have mapped. */
  readonly sharedObjects = new SharedObjects();
  /** Memories of processes that have ended. */
  readonly machines = new MachinePool();
  /** In the order in which they came to be. */
  readonly processes: Process[] = [];
  /** All tasks that have not ended, in the order in which they came to be. */
  readonly tasks: Task[] = [];
  readonly futexes = new Futexes();
  readonly piFutexes = new PiFutexes();
  readonly locks = new LockTable();
  readonly ipc = new IpcNamespace();
  readonly fileWatching: FileWatching;
  readonly host: Host;
  readonly network: Network;
  /** The process on whose behalf we act right now. */
  acting: Process | undefined;
  private readonly kernel: Kernel;
  private readonly idle: Idle;
  private readonly scheduler: Scheduler;
  /** Host time at which the run ends at the latest. */
  private readonly endOfTime: number;
  /** Instructions retired by all tasks. */
  instructions = 0;
  /** Set if we have ended the run, not the guest. */
  ending: RunEnding | undefined;
  private first: Process | undefined;
  private lastYield: number;
  private callsUntilLook = CALLS_PER_LOOK;
  private nextOutsideLook = 0;
  /** The user has been told of a deadlock. */
  private warned = false;
  /** Instructions that are left of the quantum of `current`. */
  private left = 0;
  private current: Task | undefined;
  private nextTid: number;
  private nextInode = 0x1_0000;

  constructor(
    host: Host,
    options: WorldOptions = {},
  ) {
    this.fileWatching = new FileWatching(host, this.processes, () => this.notify());
    this.host = this.fileWatching.host;
    this.clock = new VirtualClock(host.clock);
    this.network = new Network(host, () => this.notify(), () => this.takeInode());
    this.kernel = new Kernel(options);
    this.idle = new Idle(this);
    this.outside = new OutsideSignals(this);
    this.terminal = new ControllingTerminal(host);
    this.scheduler = options.scheduleSeed ? new SeededScheduler(options.scheduleSeed) : new RoundRobin();
    this.lastYield = host.clock.milliseconds();
    this.endOfTime = this.lastYield + (options.timeout ?? Infinity);
    this.nextTid = host.identity.pid + 1;
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
  }

  /** Lets the others run before the current task goes on. */
  yield(): void {
    this.left = 0;
  }

  /** Something outside has happened: whoever waits for it may look. */
  notify(): void {
    this.idle.notify();
  }

  /** Until the last process has ended; how the first one did. */
  async run(): Promise<ExitStatus> {
    for (;;) {
      this.buryEnded();
      if (this.tasks.length === 0) return this.status();
      if (this.left === 0) this.choose();
      if (this.current === undefined) await this.waitForHost();
      else if (this.runCurrent() === 'look') await this.yieldToHost();
    }
  }

  /** Milliseconds of the host's time that the run may still take. */
  get timeLeft(): number {
    return this.endOfTime - this.host.clock.milliseconds();
  }

  private async waitForHost(): Promise<void> {
    const result = await this.idle.wait();
    if (result === 'ready') return;
    if (this.timeLeft <= 0) this.end('timeout');
    else if (!this.outside.isHeard) this.end('deadlock');
    else {
      this.warn();
      await this.idle.waitForSignal();
    }
  }

  /** All wait for each other; but somebody outside may send a signal. */
  private warn(): void {
    if (this.warned) return;
    this.warned = true;
    const lines = ['all threads wait for each other; only a signal can end this:', ...waitReport(this)];
    for (const line of lines) this.host.notify(`culprit: ${line}`);
  }

  private end(reason: RunEnding['reason']): void {
    this.ending = { reason, tasks: waitReport(this) };
    for (const process of this.processes) process.killedBy(SIG.KILL);
  }

  /** The time at which something is due by itself; Infinity if nothing is. */
  nextEvent(idle: boolean): number {
    const now = this.clock.now();
    let next = Infinity;
    for (const { wait } of this.tasks) {
      const at = wait?.wakeAt ?? Infinity;
      if (at > now && at < next) next = at;
    }
    for (const process of this.processes) {
      const due = process.signals.nextTimerDue(idle);
      if (due !== undefined && due > 0 && now + due < next) next = now + due;
    }
    return next;
  }

  /** Tries again what tasks wait for. Whether somebody can go on. */
  wakeTasks(): boolean {
    const outside = this.clock.now() >= this.nextOutsideLook;
    if (outside) this.nextOutsideLook = this.clock.now() + OUTSIDE_INTERVAL;
    let anyReady = false;
    for (const task of this.tasks) {
      if (task.wait !== undefined && (outside || !task.wait.external)) this.tryToWake(task);
      if (task.isReady) anyReady = true;
    }
    return anyReady;
  }

  /** Waits as a task would whose system call has to: for tests, which have no program. */
  async waitFor(task: Task, wait: Wait): Promise<number> {
    task.sleep(-1, wait);
    for (;;) {
      this.lookOutside();
      this.wakeTasks();
      const call = task.takeEndedCall();
      if (call !== undefined) return call.result;
      if ((await this.idle.wait()) === 'deadlock') await this.idle.waitForSignal();
    }
  }

  lookOutside(): void {
    this.nextOutsideLook = 0;
  }

  /** A process has been stopped. If now all are, the shell that started us is to see that, and to continue us. */
  noteStopped(): void {
    const { first } = this;
    if (first === undefined || !this.processes.every((p) => p.exitStatus !== undefined || p.family.isStopped)) return;
    this.host.signals.send(this.host.identity.pid, SIG.STOP);
    for (const p of groupMembers(this, first.credentials.processGroup)) p.signals.send(kernelInfo(SIG.CONT), 'process');
  }

  private status(): ExitStatus {
    if (this.ending !== undefined) return { kind: 'exited', code: EXIT_TIMEOUT };
    return this.first?.exitStatus ?? { kind: 'exited', code: 0 };
  }

  private choose(): void {
    this.current = undefined;
    let ready = this.wakeTasks();
    if (!ready) {
      this.lookOutside();
      ready = this.wakeTasks();
    }
    if (!ready) return;
    const { task, quantum } = this.scheduler.choose(this.tasks);
    this.current = task;
    this.left = Math.min(quantum, this.nextEvent(false) - this.clock.now());
  }

  private tryToWake(task: Task): void {
    const { wait, process } = task;
    if (wait === undefined) return;
    process.actFor(task);
    const result = attempt(wait.attempt);
    if (result !== -E.AGAIN) task.wake(result);
    else if (wait.interruptible ? process.signals.hasDeliverable() : process.signals.isKilled) task.wake(wait.interrupted());
    else if (wait.deadline <= this.clock.now()) task.wake(wait.onTimeout);
  }

  /** Runs the current task for what is left of its quantum. 'look': it is time for the host's event loop. */
  private runCurrent(): 'look' | undefined {
    const task = this.current as Task;
    this.resume(task);
    while (this.left > 0 && this.canRun(task)) {
      const stop = this.runEngine(task);
      this.kernel.answer(task, stop);
      if (!this.canRun(task)) break;
      this.kernel.deliverSignals(task);
      if (stop.kind !== 'syscall') continue;
      this.minTimers(task);
      if (--this.callsUntilLook === 0) break;
    }
    if (!this.canRun(task)) this.left = 0;
    return this.timeToYield() ? 'look' : undefined;
  }

  private canRun(task: Task): boolean {
    return task.isReady && !task.ended && task.process.exitStatus === undefined;
  }

  private resume(task: Task): void {
    const { process } = task;
    process.machine.load(task);
    process.actFor(task);
    if (process.family.owesNotice) announceContinued(process);
    const call = task.takeEndedCall();
    if (call !== undefined) this.kernel.complete(task, call.number, call.result);
    if (this.canRun(task)) this.kernel.deliverSignals(task);
  }

  private runEngine(task: Task): ReturnType<typeof task.process.machine.engine.run> {
    const { engine } = task.process.machine;
    const before = engine.instructions;
    const stop = engine.run(this.left);
    const retired = engine.instructions - before;
    this.left -= retired;
    this.clock.advance(retired);
    this.instructions += retired;
    task.instructions += retired;
    return stop;
  }

  /** A timer that the task has set may be due before its quantum ends. */
  private minTimers(task: Task): void {
    const due = task.process.signals.nextTimerDue(false);
    if (due !== undefined && due > 0) this.left = Math.min(this.left, due);
  }

  private timeToYield(): boolean {
    this.callsUntilLook = CALLS_PER_LOOK;
    return this.host.clock.milliseconds() - this.lastYield > YIELD_MILLISECONDS;
  }

  private async yieldToHost(): Promise<void> {
    await this.host.clock.yield();
    this.lastYield = this.host.clock.milliseconds();
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
    if (this.current?.ended === true) this.left = 0;
  }

  private bury(process: Process): void {
    process.actFor(process.leader);
    for (const task of [...process.tasks]) endTask(task, process.machine.users > 1);
    this.ipc.processEnded(process);
    endProcess(process, process.exitStatus as ExitStatus, process === this.first);
  }
}

function attempt(action: () => number): number {
  try {
    return action();
  } catch (error) {
    return errnoOfBadAddress(error);
  }
}

function remove<T>(list: T[], gone: (item: T) => boolean): void {
  let kept = 0;
  for (const item of list) if (!gone(item)) list[kept++] = item;
  list.length = kept;
}

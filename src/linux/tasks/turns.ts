/**
 * The turns that tasks take. A turn ends after a number of instructions that the scheduler decides, at
 * the time something is due, or when the task waits or ends. In between, the engine runs and the kernel
 * answers what stopped it.
 */
import type { Stop } from '../../machine/stop.js';
import type { Kernel } from '../kernel.js';
import { announceContinued } from '../processes/stopping.js';
import type { Witness } from '../witness.js';
import type { Scheduler } from './scheduler.js';
import type { Task } from './task.js';
import type { VirtualClock } from './virtualClock.js';
import type { Waking } from './waking.js';

/** Instructions that a task goes on for after it has made the second one. */
const TOGETHER = 300_000;
/** System calls after which `run` comes back, so that the caller looks at the host's clock. */
const CALLS_PER_LOOK = 128;

export class Turns {
  /** Instructions retired by all tasks. */
  instructions = 0;
  /** Instructions of all tasks that are not those of the engine that runs. */
  private ofOthers = 0;
  /** Whose turn it is. */
  current: Task | undefined;
  /** Instructions that are left of the turn of `current`. */
  private left = 0;
  /** There is no other task, so that it is all the same where exactly the turn ends. */
  private isAlone = false;

  constructor(
    private readonly clock: VirtualClock,
    private readonly waking: Waking,
    private readonly scheduler: Scheduler,
    private readonly kernel: Kernel,
    private readonly witness?: Witness,
  ) {}

  /** It goes no further than to so many instructions, even in the middle of a turn, which goes on later. */
  limit = Infinity;

  /** While the engine runs: what its number of instructions means for all tasks. */
  timeOf(engineInstructions: number): number {
    return this.ofOthers + engineInstructions;
  }

  /** The current task has had enough. */
  end(): void {
    this.left = 0;
  }

  /** If no task has a turn, the next one gets it. Undefined: no task can run. */
  next(tasks: readonly Task[]): Task | undefined {
    if (this.left > 0 && this.current?.ended === false) return this.current;
    this.current = undefined;
    if (!this.anyReady()) return undefined;
    const { task, quantum } = this.scheduler.choose(tasks);
    this.current = task;
    this.left = quantum;
    this.isAlone = tasks.length === 1;
    this.endWhenDue();
    return task;
  }

  /** There is one more task. When its turn comes must not depend on where a turn ended that could end anywhere. */
  taskAdded(): void {
    if (!this.isAlone) return;
    this.isAlone = false;
    this.left = TOGETHER;
  }

  /** Runs the task whose turn it is, for what is left of it or for a while. */
  run(task: Task): void {
    this.resume(task);
    let calls = CALLS_PER_LOOK;
    while (this.left > 0 && canRun(task) && calls > 0 && this.instructions < this.limit) {
      const stop = this.runEngine(task);
      this.kernel.answer(task, stop);
      if (!canRun(task)) break;
      this.kernel.deliverSignals(task);
      if (stop.kind !== 'syscall') continue;
      // A timer that it has set may be due before its turn ends.
      this.endAt(task.process.signals.nextTimerDue(false) ?? Infinity);
      calls--;
    }
    if (!canRun(task)) this.left = 0;
  }

  /** Answers what has stopped a task outside of its turn. */
  answer(task: Task, stop: Stop): void {
    task.process.machine.load(task);
    task.process.actFor(task);
    this.kernel.answer(task, stop);
    if (task === this.current) this.endWhenDue();
  }

  /** The task is in the middle of a turn. */
  give(task: Task, left: number): void {
    this.current = task;
    this.left = left;
    this.isAlone = false;
    this.endWhenDue();
  }

  private anyReady(): boolean {
    if (this.waking.wakeTasks()) return true;
    this.waking.lookOutside();
    return this.waking.wakeTasks();
  }

  private endWhenDue(): void {
    this.endAt(this.waking.nextEvent(false) - this.clock.now());
  }

  /**
   * The turn ends, exactly, when something is due in so many nanoseconds, if it goes on for so long: that many whole
   * instructions.
   */
  private endAt(nanoseconds: number): void {
    if (nanoseconds <= 0 || nanoseconds > this.left) return;
    this.left = Math.ceil(nanoseconds);
    this.isAlone = false;
  }

  private resume(task: Task): void {
    const { process } = task;
    process.machine.load(task);
    process.actFor(task);
    if (process.family.owesNotice) announceContinued(process);
    const call = task.takeEndedCall();
    if (call !== undefined) this.kernel.complete(task, call.number, call.result);
    if (canRun(task)) this.kernel.deliverSignals(task);
  }

  private runEngine(task: Task): Stop {
    const { engine } = task.process.machine;
    this.witness?.running(task);
    if (task.passesHook) engine.passHook?.();
    task.passesHook = false;
    engine.runsFor?.(task);
    task.process.world.guard?.running(task);
    const before = engine.instructions;
    this.ofOthers = this.instructions - before;
    const room = this.limit - this.instructions;
    const stop = engine.run(Math.min(this.left, room), !this.isAlone || room < this.left);
    const retired = engine.instructions - before;
    this.left = this.isAlone && stop.kind === 'budget' && room >= this.left ? 0 : this.left - retired;
    this.clock.advance(retired);
    this.instructions += retired;
    task.instructions += retired;
    this.witness?.stopped(task, stop, this.instructions);
    return stop;
  }
}

function canRun(task: Task): boolean {
  return task.isReady && !task.ended && task.process.exitStatus === undefined;
}

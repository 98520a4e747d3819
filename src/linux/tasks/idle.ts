/**
 * No task can run: the one place where we wait for the host. Until the next deadline the host sleeps in
 * earnest, and then the guest's clock stands exactly there. While a task waits for the outside, it is
 * asked again and again (nothing tells us when a pipe or terminal of the host becomes ready), and the clock
 * follows the host's.
 */
import { E } from '../../base/errno.js';
import type { World } from '../world.js';
import type { Task } from './task.js';

const LONGEST_PAUSE = 8;
/** Pauses below this are not worth a trip through the event loop, whose timers count milliseconds. */
const SHORTEST_PAUSE = 1;
/** Longest sleep before we look whether a signal has come. */
const LONGEST_SLEEP = 20;
const NANOSECONDS = 1e6;

export class Idle {
  private wakeUp: (() => void) | undefined;

  constructor(private readonly world: World) {}

  /** Something outside has happened. */
  notify(): void {
    this.wakeUp?.();
  }

  /**
   * Until a task can run ('ready'), or the run has taken too long. 'deadlock': none ever will by
   * himself; a signal from outside may still come.
   */
  async wait(): Promise<'ready' | 'timeout' | 'deadlock'> {
    const { world } = this;
    // Now is when it matters that blocked signals do not end us: programs block them to wait for them.
    world.outside.updateAll();
    if (this.block()) return 'ready';
    const external = world.tasks.some((task) => task.wait?.external === true || task.process.family.isStopped);
    const next = world.waking.nextEvent(true);
    if (!external && next === Infinity) return 'deadlock';
    const { clock } = world;
    let last = world.host.clock.milliseconds();
    let pause = external ? SHORTEST_PAUSE : LONGEST_SLEEP;
    for (;;) {
      world.witness?.idle();
      await this.pause(Math.min(pause, (next - clock.now()) / NANOSECONDS, world.timeLeft));
      const now = world.host.clock.milliseconds();
      clock.advance(Math.min(Math.ceil((now - last) * NANOSECONDS), next - clock.now()));
      last = now;
      if (external) world.waking.lookOutside();
      if (world.waking.wakeTasks() || clock.now() === next) return 'ready';
      if (world.timeLeft <= 0) return 'timeout';
      pause = Math.min(pause * 2, external ? LONGEST_PAUSE : LONGEST_SLEEP);
    }
  }

  /** After a deadlock: lets the host's event loop run for a while, in which a signal may come. */
  async waitForSignal(): Promise<void> {
    const { host, clock, timeLeft, witness } = this.world;
    witness?.idle();
    const began = host.clock.milliseconds();
    await this.pause(Math.min(LONGEST_SLEEP, timeLeft));
    clock.advance(Math.ceil((host.clock.milliseconds() - began) * NANOSECONDS));
  }

  /** If there is one task, and nothing but what it waits for can end its waiting: waits for that alone. */
  private block(): boolean {
    const { world } = this;
    // A recording would wait with us, and so would the signal that ends it.
    if (world.witness !== undefined) return false;
    const [task, another] = world.tasks as [Task, Task | undefined];
    const block = task.wait?.block;
    if (block === undefined || task.wait?.external !== true || another !== undefined || world.waking.nextEvent(true) !== Infinity) return false;
    if (task.process.signals.mayInterrupt() || world.timeLeft !== Infinity) return false;
    const began = world.host.clock.milliseconds();
    const result = block();
    world.clock.advance(Math.floor((world.host.clock.milliseconds() - began) * NANOSECONDS));
    // Not every file can stop everything: some are ours, and wait for a signal or a change of files.
    if (result === -E.AGAIN) return false;
    task.wake(result);
    return true;
  }

  private async pause(milliseconds: number): Promise<void> {
    const { clock } = this.world.host;
    if (milliseconds < SHORTEST_PAUSE) {
      clock.sleepBlocking(Math.max(0, milliseconds));
      return;
    }
    const woken = new Promise<void>((resolve) => {
      this.wakeUp = resolve;
    });
    await Promise.race([woken, clock.sleep(milliseconds)]);
    this.wakeUp = undefined;
  }
}

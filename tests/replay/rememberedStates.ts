/**
 * A recorder that remembers what the running program is at some times: hashes of the memory of every process and of the
 * registers of every thread, taken while it runs. The recording knows nothing of it: the engine stops at these times
 * and goes on, unnoticed by the kernel. (To be compared with StateHasher.parts, which hashes the same way.)
 */
import { STATE_BASE } from '../../src/layout/memoryMap.js';
import type { World } from '../../src/linux/world.js';
import { Engine } from '../../src/machine/engine.js';
import { SpaceHashers } from '../../src/machine/snapshots/hashSpace.js';
import type { Stop } from '../../src/machine/stop.js';
import { RUN_WORDS } from '../../src/replay/log/registerWords.js';
import { Recorder } from '../../src/replay/record/recorder.js';
import type { RecordingTarget } from '../../src/replay/record/recordingTarget.js';
import { hashRegisters } from '../../src/replay/timeline/stateHash.js';

/** What the program is at a time, before anything that the kernel does then. */
export interface RememberedState {
  readonly time: number;
  readonly parts: ReadonlyMap<string, string>;
}

/** Seldom: here it is not the recording's own hashes that count. */
const HASH_INTERVAL = 2_000_000;

export class StateRecorder extends Recorder {
  readonly states: RememberedState[] = [];
  private readonly spaceHashers = new SpaceHashers();
  private world: World | undefined;
  private next = 0;

  /** `times`: in order. */
  constructor(
    target: RecordingTarget,
    private readonly times: readonly number[],
  ) {
    super(target, () => performance.now(), HASH_INTERVAL);
  }

  override begin(world: World): void {
    this.world = world;
    super.begin(world);
  }

  /** Runs `engine` as it would run, but stops at the times on the way. */
  runBetween(run: (count: number) => Stop, engine: Engine, count: number): Stop {
    const start = this.world?.instructions ?? 0;
    const before = engine.instructions;
    for (;;) {
      while ((this.times[this.next] ?? Infinity) <= start) this.next++;
      const now = start + engine.instructions - before;
      const time = Math.min(start + count, this.times[this.next] ?? Infinity);
      const stop = run(time - now);
      const reached = start + engine.instructions - before;
      if (reached === this.times[this.next]) {
        this.next++;
        this.states.push({ time: reached, parts: this.parts() });
      }
      if (stop.kind !== 'budget' || reached === start + count) return stop;
    }
  }

  private parts(): Map<string, string> {
    const parts = new Map<string, string>();
    for (const { exitStatus, machine } of this.world?.processes ?? []) {
      if (exitStatus === undefined) parts.set(`space ${this.spaceRecord(machine.space).id}`, this.spaceHashers.hash(machine.space, 'own'));
    }
    for (const task of this.world?.tasks ?? []) {
      const { machine, exitStatus } = task.process;
      if (task.ended || exitStatus !== undefined) continue;
      const { loaded } = machine;
      machine.load(task);
      const words = machine.space.linear.u32.subarray(STATE_BASE >>> 2, (STATE_BASE >>> 2) + RUN_WORDS);
      parts.set(`task ${this.taskRecord(task).id}`, hashRegisters(words, machine.cpu));
      if (loaded !== undefined) machine.load(loaded);
    }
    return parts;
  }
}

/** All engines that run during `action` stop where the recorder wants them to. */
export async function withStops<T>(recorder: () => StateRecorder | undefined, action: () => Promise<T>): Promise<T> {
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const { run } = Engine.prototype;
  Engine.prototype.run = function (this: Engine, count: number): Stop {
    return recorder()?.runBetween((part) => run.call(this, part), this, count) ?? run.call(this, count);
  };
  try {
    return await action();
  } finally {
    Engine.prototype.run = run;
  }
}

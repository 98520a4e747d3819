/** Records what a branch does after it has left the recording, so that it goes on as one log. */
import type { Process } from '../../linux/process.js';
import type { Task } from '../../linux/tasks/task.js';
import type { VirtualClock } from '../../linux/tasks/virtualClock.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { Effect } from '../log/effects.js';
import { RUN_WORDS } from '../log/registerWords.js';
import { type ObjectFacts, PlayedObject } from '../play/playedObject.js';
import type { PlayedWorld } from '../play/playedWorld.js';
import type { KnownObject } from '../record/mappedObjects.js';
import { Recorder } from '../record/recorder.js';
import { type BranchLog, FIRST_OWN_OBJECT } from './branchLog.js';
import type { Departure, Follower } from './follower.js';

export class BranchRecorder extends Recorder {
  /** Begins with the event at which the branch leaves. `processes`: the largest number of one. */
  constructor(log: BranchLog, follower: Follower, { stop }: Departure, processes: number) {
    const { world, time, task, space } = follower;
    // Nothing may depend on the host's clock, and memory need not be compared.
    super(log, () => 0, Infinity, {
      nextSpace: Math.max(0, ...world.spaces.keys()) + 1,
      nextTask: Math.max(0, ...world.threads.keys()) + 1,
      nextProcess: processes + 1,
      objects: { known: knownObjects(world, log), next: FIRST_OWN_OBJECT },
    });
    if (task !== undefined) space?.load(task);
    const registers = space?.stopRegisters.slice() ?? this.event.head.registers;
    this.event.head = { time, task: task?.id ?? 0, stop: task === undefined ? 'more' : (stop?.kind ?? 'budget'), registers };
    for (const [id, { machine }] of world.spaces) this.spaceMade(machine.space, id);
  }

  useClock(clock: VirtualClock): void {
    this.clock = clock;
    this.elapsed = clock.now();
  }

  /** The recording's numbers of what there was. */
  knows(process: Process, id: number): void {
    this.processes.set(process, id);
  }

  /** The log knows the registers that it has now. */
  knowsTask(task: Task, id: number, space: number): void {
    const unloaded = new Uint32Array(task.registers.buffer, 0, RUN_WORDS);
    this.tasks.set(task, { id, words: unloaded.slice(), unloaded, space });
  }

  /** What the log knows of a task's registers: what the kernel has done to them comes with the next event. */
  wordsOf(id: number): Uint32Array | undefined {
    const task = this.taskOf(id);
    return task === undefined ? undefined : this.tasks.get(task)?.words;
  }

  idOf(task: Task): number | undefined {
    return this.tasks.get(task)?.id;
  }

  spaceIdOf(space: AddressSpace): number {
    return this.spaceRecord(space).id;
  }

  /** The user has altered the branch where it stands. What was stored into memory we know already. */
  altered(effects: readonly Effect[]): void {
    this.blocked();
    for (const effect of effects) this.emit(effect);
    this.blocked();
  }
}

/** As the log has them, whatever becomes of them in the branch. */
function knownObjects({ objects }: PlayedWorld, log: BranchLog): KnownObject[] {
  return [...objects].map(([id, { facts, state }]) => ({ id, file: copyOf(facts, state, log) }));
}

function copyOf(facts: ObjectFacts, state: PlayedObject['state'], log: BranchLog): PlayedObject {
  const copy = new PlayedObject(facts, 0, log);
  copy.state = state;
  return copy;
}

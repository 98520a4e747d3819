/**
 * A hash of what the program is at one time: memory of all processes, registers of all threads. What lies in shared
 * mappings is left out: what a file contains that the program does not look at is not in the recording.
 */
import { readEflags } from '../../linux/signals/eflags.js';
import { CC_OP, CC_Z } from '../../layout/cpuState.js';
import type { Cpu } from '../../machine/cpu.js';
import { SpaceHashers } from '../../machine/snapshots/hashSpace.js';
import { RUN_WORDS } from '../log/registerWords.js';
import type { PlayedWorld } from '../play/playedWorld.js';

/** Flags are kept in a form that depends on how they were computed: their values count. */
const FIRST_LAZY = CC_OP.offset / 4;
const LAST_LAZY = CC_Z.offset / 4 + 1;

export class StateHasher {
  private readonly hashers = new SpaceHashers();

  hash(world: PlayedWorld): string {
    return [...this.parts(world)].map(([name, hash]) => `${name}: ${hash}`).join(', ');
  }

  /** By part: `space N` is the memory of one, `task N` the registers. */
  parts(world: PlayedWorld): Map<string, string> {
    const parts = new Map<string, string>();
    for (const [id, { machine }] of [...world.spaces].sort(([a], [b]) => a - b)) {
      if (machine.space.mappings().length > 0) parts.set(`space ${id}`, this.hashers.hash(machine.space, 'own'));
    }
    for (const id of [...world.tasks.keys()].sort((a, b) => a - b)) parts.set(`task ${id}`, this.hashTask(world, id));
    return parts;
  }

  private hashTask(world: PlayedWorld, id: number): string {
    const task = world.tasks.get(id);
    const space = task === undefined ? undefined : world.spaces.get(task.space);
    if (task === undefined || space === undefined) return 'none';
    space.load(task);
    return hashRegisters(space.wordsOf(task), space.machine.cpu);
  }
}

/** Of the task whose registers `words` are, which is loaded. */
export function hashRegisters(words: Uint32Array, cpu: Cpu): string {
  let hash = readEflags(cpu) >>> 0;
  for (let i = 0; i < RUN_WORDS; i++) {
    const word = i >= FIRST_LAZY && i <= LAST_LAZY ? 0 : (words[i] as number);
    hash = (Math.imul(hash ^ word, 0x0100_0193) + i) >>> 0;
  }
  return hash.toString(16);
}

/**
 * What an event of the recording has that a search may ask for: system calls, signals, switches, processes, what the
 * kernel wrote, blocks that came and went.
 */
import { guestAddr } from '../../base/types.js';
import { RIP } from '../../layout/cpuState.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { View } from '../../machine/views.js';
import type { WatchedMemory } from '../../machine/watchedMemory.js';
import type { Effect } from '../log/effects.js';
import type { RecordedEvent } from '../log/events.js';
import { FAULTS } from '../play/player.js';
import { at } from '../log/position.js';
import type { Condition, MemoryAccess } from './conditions.js';
import type { Happening } from './hitMeets.js';

type Kinds = ReadonlySet<Condition['kind']>;
type SpaceOf = (id: number) => AddressSpace | undefined;

/** Of these kinds, right before the event takes effect. `writable`: the memory that is asked for. */
export function eventHappenings(event: RecordedEvent, done: number, kinds: Kinds, writable: WatchedMemory, spaceOf: SpaceOf): Happening[] {
  const { effects, stop, time, task } = event;
  const registers = new DataView(event.registers.buffer, event.registers.byteOffset);
  const moment = at(time, done);
  const rip = guestAddr(Number(registers.getBigUint64(RIP.offset, true)));
  // The system call instruction is the last one before the event.
  const instruction = stop === 'syscall' ? at(time - 1) : moment;
  const all: Happening[] = [];
  if (kinds.has('syscall') && stop === 'syscall') all.push({ kind: 'syscall', position: instruction, task, rip, syscall: registers.getUint32(0, true) });
  if (kinds.has('process')) all.push(...processHappening(effects, { kind: 'process', position: moment, task, rip }));
  const [access, ...others] = kinds.has('memory') ? kernelWrites(effects, writable, spaceOf) : [];
  if (access !== undefined) all.push({ kind: 'memory', position: instruction, task, rip, access, ...(others.length === 0 ? {} : { alsoAccessed: others }) });
  for (const effect of effects) {
    const common = { position: moment, rip, ...(FAULTS.has(stop) ? { isFault: true } : {}) };
    if (effect.op === 'signal' && kinds.has('signal')) all.push({ ...common, kind: 'signal', task: effect.task, signal: effect.signal });
    if (effect.op === 'result' && kinds.has('return')) all.push({ ...common, kind: 'return', task: effect.task, syscall: effect.number, result: effect.result });
    if (effect.op === 'run' && kinds.has('switch') && effect.task !== task) all.push({ ...common, kind: 'switch', task: effect.task });
    if (effect.op === 'view' && kinds.has('block')) all.push({ ...common, kind: 'block', task, block: { how: 'made', view: effect.view } });
    const gone = effect.op === 'unview' && kinds.has('block') ? viewAt(effect.begin, effect.space, effects, spaceOf) : undefined;
    if (gone !== undefined) all.push({ ...common, kind: 'block', task, block: { how: 'gone', view: gone } });
  }
  return all;
}

/** A new process is told with the program that it has from its parent: that is no other one. */
function processHappening(effects: readonly Effect[], happened: Happening): Happening[] {
  const made = effects.find((effect) => effect.op === 'process');
  if (made !== undefined) return [{ ...happened, process: { how: 'made', pid: made.pid } }];
  return effects.some(({ op }) => op === 'program') ? [{ ...happened, process: { how: 'executes' } }] : [];
}

/**
 * The kernel knows memory by its plain addresses only. What it clears for a block that is about to be shown is written
 * to that block.
 */
function kernelWrites(effects: readonly Effect[], writable: WatchedMemory, spaceOf: SpaceOf): MemoryAccess[] {
  const shown = effects.flatMap((effect) => (effect.op === 'view' ? [effect.view] : []));
  return effects.flatMap((effect) => {
    if (effect.op !== 'write') return [];
    const space = spaceOf(effect.space);
    const { address: plain, bytes: { length } } = effect;
    const address = space === undefined ? guestAddr(plain) : writable.addressOf(space, plain, length, shown);
    return writable.meets(address, length) ? [{ address, bytes: length, write: true, by: 'kernel' } as const] : [];
  });
}

/** One that is there before the event, or comes with it. */
function viewAt(begin: number, space: number, effects: readonly Effect[], spaceOf: SpaceOf): View | undefined {
  const known = spaceOf(space)?.viewNear(begin);
  if (known?.begin === begin) return { ...known };
  return effects.flatMap((effect) => (effect.op === 'view' && effect.view.begin === begin ? [effect.view] : []))[0];
}

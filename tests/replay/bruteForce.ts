/**
 * What every instruction of an execution is and accesses, found out the slow way: one step after the other, and by
 * watching all memory.
 */
import { guestAddr } from '../../src/base/types.js';
import type { Execution } from '../../src/replay/timeline/execution.js';
import type { LoggedBlocks } from '../../src/ir/loggedBlocks.js';
import { at, type Position } from '../../src/replay/log/position.js';
import type { Hit, MemoryAccess, MemoryRange } from '../../src/replay/timeline/conditions.js';
import type { Happening } from '../../src/replay/timeline/hitMeets.js';
import type { ObservedRun } from '../../src/replay/timeline/observing.js';
import type { Timeline } from '../../src/replay/timeline/timeline.js';

/** What is written down of an instruction: thread and address; and bytes, as "r start-end" and "w start-end". */
export interface Told {
  readonly instructions: string[];
  /** By time. */
  readonly accesses: Map<number, MemoryAccess[]>;
}

/** Only those that are in memory which was watched: the oracle does not know of others. */
export function accessText(accesses: readonly MemoryAccess[] | undefined, watched: readonly MemoryRange[]): string {
  const parts = [true, false].map((write) => {
    const ranges = (accesses ?? []).filter((one) => one.write === write && isIn(one.address, watched)).map(({ address, bytes }) => [address, address + bytes] as [number, number]);
    return `${write ? 'w' : 'r'} ${merged(ranges).map(([start, end]) => `${start.toString(16)}-${end.toString(16)}`).join()}`;
  });
  return parts.join(' ');
}

function isIn(address: number, watched: readonly MemoryRange[]): boolean {
  return watched.some(({ start, end }) => address >= start && address < end);
}

function merged(ranges: [number, number][]): [number, number][] {
  const result: [number, number][] = [];
  for (const [start, end] of ranges.sort(([a], [b]) => a - b)) {
    const last = result.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

/** By one step after the other. */
export function steppedInstructions(timeline: Timeline, from: number, to: number): string[] {
  const { player } = timeline;
  const instructions: string[] = [];
  for (let time = from; time < to; time++) {
    player.advance(time);
    const { task, space } = player;
    if (task !== undefined) space?.load(task);
    instructions.push(`${task?.id} ${space?.machine.cpu.rip.toString(16)}`);
  }
  return instructions;
}

/** All mappings of all processes at some times, but none that is very large. */
export async function memoryOf(execution: Execution, times: readonly number[]): Promise<MemoryRange[]> {
  const ranges = new Map<string, MemoryRange>();
  for (const time of times) {
    await execution.seek(at(time));
    for (const { id } of execution.state.threads) {
      for (const { start, end } of execution.state.mappings(id)) if (end - start <= 16 * 1024 * 1024) ranges.set(`${start}-${end}`, { start, end });
    }
  }
  return [...ranges.values()];
}

export async function watchedAccesses(execution: Execution, ranges: readonly MemoryRange[], from: Position, to: Position): Promise<Map<number, MemoryAccess[]>> {
  const accesses = new Map<number, MemoryAccess[]>();
  await execution.each([{ kind: 'memory', access: 'access', ranges }], (hit: Hit) => {
    if (hit.access?.by === 'program') add(accesses, hit.position.time, [hit.access, ...(hit.alsoAccessed ?? [])]);
    return 'go on';
  }, from, to);
  return accesses;
}

function add(accesses: Map<number, MemoryAccess[]>, time: number, more: readonly MemoryAccess[]): void {
  accesses.set(time, [...(accesses.get(time) ?? []), ...more]);
}

/** What observation says of [from, to). */
export async function observed(execution: Execution, withAddresses: boolean, from: Position, to: Position): Promise<Told & { readonly happenings: Happening[]; readonly interrupted: Set<number> }> {
  const told = { instructions: [] as string[], accesses: new Map<number, MemoryAccess[]>(), happenings: [] as Happening[], interrupted: new Set<number>() };
  let time: number = from.time;
  await execution.observe({ addresses: withAddresses }, {
    ran(run) {
      if (run.time !== time) throw new Error(`a run begins at ${run.time}, not ${time}`);
      time = run.end;
      writeDown(run, told);
      if (from.time + told.instructions.length !== time) throw new Error(`at ${time} there were ${told.instructions.length} instructions since ${from.time}`);
    },
    happened(happening) {
      if (happening.access?.by === 'program') {
        told.interrupted.add(happening.position.time);
        add(told.accesses, happening.position.time, [happening.access, ...(happening.alsoAccessed ?? [])]);
      } else told.happenings.push(happening);
    },
  }, from, to);
  return told;
}

function writeDown({ thread, time, blocks, addresses, known }: ObservedRun, told: Told): void {
  let [now, next] = [time, 0];
  for (const number of blocks) {
    const block = known.get(number);
    let address = block.start;
    for (const length of block.lengths) {
      told.instructions.push(`${thread} ${address.toString(16)}`);
      address += length;
    }
    for (const { instruction, ...access } of accessesOf(known, number, addresses, next)) add(told.accesses, now + instruction, [access]);
    now += block.lengths.length;
    next += block.entries;
  }
  if (next !== addresses.length) throw new Error(`${next} entries are described, ${addresses.length} were logged`);
}

function accessesOf(known: LoggedBlocks, number: number, addresses: Float64Array, first: number): (MemoryAccess & { instruction: number })[] {
  return known.get(number).accesses.map(({ instruction, isWrite, bytes, entry, count }) => {
    const address = addresses[first + entry] as number;
    const elements = count === undefined ? 1 : (addresses[first + count] as number);
    const low = elements < 0 ? address + (elements + 1) * bytes : address;
    return {
      instruction, address: guestAddr(low), bytes: Math.abs(elements) * bytes, write: isWrite, by: 'program' as const,
    };
  }).filter(({ bytes }) => bytes > 0);
}

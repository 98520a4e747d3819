/**
 * Lays the variables of a program out anew before it runs: globals get memory near to the program, and every
 * instruction and relocation that has to do with them says so; frames get other displacements. What is behind a moved
 * global is filled with a pattern.
 */
import { PAGE_SIZE, pageCeil } from '../../base/types.js';
import { MAP } from '../../linux/memory/mmapFlags.js';
import type { Process } from '../../linux/process.js';
import { PROT } from '../../machine/addressSpace.js';
import type { Layout } from './layout.js';
import type { Movables } from './movables.js';

/** A variable, or the pattern behind one, by where it is in memory. */
export interface PlacedThing {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
}

export interface AppliedLayout {
  readonly globals: readonly PlacedThing[];
  /** Memory with a pattern that nothing may change. */
  readonly magic: readonly PlacedThing[];
  /** In one line each: what could not be done. */
  readonly remarks: readonly string[];
}

export const MAGIC = 0xa5;
const REACH = 0x7fff_0000;
/** Between the program and what is moved: what is before its code is not in the way. */
const GAP = 0x100_0000;

/** `bias`: from addresses in the file to those in memory. */
export function applyLayout(process: Process, layout: Layout, movables: Movables, bias: number): AppliedLayout {
  const remarks: string[] = [];
  for (const frame of layout.frames) if (!applyFrame(process, frame, movables, bias)) remarks.push(`the frame of the function at ${(frame.address + bias).toString(16)} could not be changed`);
  if (layout.globals.length === 0) return { globals: [], magic: [], remarks };
  const base = roomFor(process, layout.bytes, bias + (layout.globals[0]?.address ?? 0));
  if (base === undefined) return { globals: [], magic: [], remarks: [...remarks, 'there is no memory near to the program for its variables'] };
  return { ...applyGlobals(process, layout, movables, bias, base), remarks };
}

function applyFrame({ space }: Process, { address, slots }: Layout['frames'][number], { frameSites }: Movables, bias: number): boolean {
  const moved = new Map(slots.map(({ from, to }) => [from, to]));
  const patches = (frameSites.get(address) ?? []).map(({ at, bytes, slot, offset }) => ({ at: at + bias, bytes: numberOf((moved.get(slot) ?? slot) + offset, bytes) }));
  return patches.every(({ at, bytes }) => space.poke(at, bytes));
}

function applyGlobals({ space, memory }: Process, { globals, gaps, bytes }: Layout, { globals: known, globalSites }: Movables, bias: number, base: number): Pick<AppliedLayout, 'globals' | 'magic'> {
  space.poke(base, new Uint8Array(pageCeil(bytes)).fill(MAGIC));
  const placed: PlacedThing[] = [];
  for (const { address, offset } of globals) {
    const variable = known.find((one) => one.address === address);
    const contents = variable === undefined ? null : space.peek(address + bias, variable.size);
    if (variable === undefined || contents === null) continue;
    const target = base + offset;
    space.poke(target, contents);
    for (const site of globalSites.get(address) ?? []) {
      const value = target + site.offset;
      if (site.kind === 'relative') space.poke(site.at + bias, numberOf(value - (site.base + bias), 4));
      else if (site.kind === 'absolute') space.poke(site.at + bias, numberOf(value, 4));
      else space.poke(site.at + bias, numberOf(value - bias, 8));
    }
    placed.push({ name: variable.name, begin: target, end: target + variable.size });
  }
  for (const gap of gaps) memory.mprotect(base + gap, PAGE_SIZE, PROT.NONE);
  return { globals: placed, magic: gaps.length > 0 ? [] : patternsBetween(placed, base, base + bytes) };
}

/** All that no variable has. */
function patternsBetween(placed: readonly PlacedThing[], begin: number, end: number): PlacedThing[] {
  const sorted = placed.toSorted((a, b) => a.begin - b.begin);
  return [{ name: '', begin, end: begin }, ...sorted].map((thing, i) => ({ name: `what is behind ${thing.name}`, begin: thing.end, end: sorted[i]?.begin ?? end })).filter((gap) => gap.end > gap.begin);
}

/** Where displacements of the program reach it. */
function roomFor({ memory }: Process, bytes: number, near: number): number | undefined {
  const length = pageCeil(bytes);
  const hint = Math.floor(near / PAGE_SIZE) * PAGE_SIZE - GAP - length;
  for (const address of [hint > GAP ? hint : 0, near + GAP]) {
    const found = memory.mmap({ address: Math.floor(address / PAGE_SIZE) * PAGE_SIZE, length, prot: PROT.READ | PROT.WRITE, flags: MAP.PRIVATE | MAP.ANONYMOUS, offset: 0 }, null);
    if (found < 0) continue;
    if (Math.abs(found - near) < REACH - length) return found;
    memory.munmap(found, length);
  }
  return undefined;
}

function numberOf(value: number, bytes: number): Uint8Array {
  const word = new Uint8Array(8);
  new DataView(word.buffer).setBigInt64(0, BigInt(value), true);
  return word.subarray(0, bytes);
}

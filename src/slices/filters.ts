/**
 * What a walk leaves out: instructions of lines and functions, what is due to a register or a variable, and times that
 * are not to be looked at. The walk is done again without those edges, so what is left is exact: what is left out
 * wants nothing, and who wants something of it gets nothing.
 */
import type { BackwardWalk } from './backward.js';
import type { Programs } from './control/programs.js';
import type { CodeInstruction } from './trace/codeTable.js';
import { CELLS_OF, FIRST_CELL } from './trace/units.js';
import { linearOf, type MemoryWants } from './wants/memoryWants.js';
import type { ThreadWants } from './wants/threadWants.js';
import { NO_WANTERS, SPLIT } from './wants/wanters.js';
import type { WalkOptions } from './walkOptions.js';

export interface SliceFilter {
  /** As the user wrote it. */
  readonly title: string;
  readonly cells?: { readonly first: number; readonly bytes: number };
  readonly memory?: { readonly address: number; readonly bytes: number };
  readonly code?: (place: { readonly path: string | undefined; readonly line: number; readonly functionName: string | undefined }) => boolean;
}

export interface Limits {
  readonly filters: readonly SliceFilter[];
  /** Undefined: all times. */
  readonly isLookedAt?: ((time: number) => boolean) | undefined;
  /** The same for the instances that are asked about: they count only if they are looked at. */
  readonly isStrict?: boolean;
}

/** The same walk, limited. What is cut away has one node of its own, which belongs to no instruction. */
export function limitedOptions(options: WalkOptions, programs: Programs, { filters, isLookedAt }: Limits): WalkOptions {
  const codes = filters.flatMap(({ code }) => (code === undefined ? [] : [code]));
  if (filters.length === 0 && isLookedAt === undefined) return options;
  const { instructions } = programs.table;
  const known: (boolean | undefined)[] = [];
  const isLeftOut = (one: CodeInstruction): boolean => (known[one.id] ??= codes.some((is) => is(programs.ownerOf(one).placeAt(one.address))));
  let nowhere = -1;
  // A walk asks for the node of an instance, then whether to follow its control, then whether to follow its data.
  // The node of what it depends on for control is asked for in between.
  let [isCut, isOwnCut] = [false, false];
  return {
    frames: options.frames,
    get control() {
      isOwnCut = isCut;
      return options.control && !isCut;
    },
    get data() {
      return options.data && !isOwnCut;
    },
    isWatched: (one) => !isLeftOut(one) && options.isWatched?.(one) !== false,
    nodeOf: (one, site, time) => {
      const node = options.nodeOf(one, site, time);
      const called = instructions[node];
      isCut = isLookedAt?.(time) === false || (called !== undefined && isLeftOut(called));
      if (!isCut) return node;
      if (nowhere < 0) nowhere = instructions.length;
      return nowhere;
    },
  };
}

/** The same walk, which is asked for the node of every single instance: where time is no matter, walks repeat much. */
export function everyInstance(options: WalkOptions): WalkOptions {
  const { nodeOf } = options;
  if (nodeOf.length >= 3) return options;
  return { ...options, nodeOf: (instruction, site, time) => nodeOf(instruction, site, time) };
}

/** To be called before anything is wanted. */
export function refusePlaces(walk: BackwardWalk, filters: readonly SliceFilter[]): void {
  const cells = filters.flatMap(({ cells: own }) => (own === undefined ? [] : [own]));
  const ranges = filters.flatMap(({ memory }) => (memory === undefined ? [] : [{ from: linearOf(memory.address), to: linearOf(memory.address) + memory.bytes }]));
  if (cells.length > 0) {
    const wantsOf = walk.wantsOf.bind(walk);
    const seen = new WeakSet<ThreadWants>();
    walk.wantsOf = (thread) => {
      const wants = wantsOf(thread);
      if (!seen.has(wants)) refuseCells(wants, cells);
      seen.add(wants);
      return wants;
    };
  }
  if (ranges.length > 0) {
    const memoryOf = walk.memoryOf.bind(walk);
    const seen = new WeakSet<MemoryWants>();
    walk.memoryOf = (space) => {
      const wants = memoryOf(space);
      if (!seen.has(wants)) refuseBytes(wants, ranges);
      seen.add(wants);
      return wants;
    };
  }
}

function refuseCells(wants: ThreadWants, cells: readonly { readonly first: number; readonly bytes: number }[]): void {
  const add = wants.add.bind(wants);
  const addUnit = wants.addUnit.bind(wants);
  const isRefused = (cell: number): boolean => cells.some(({ first, bytes }) => cell >= first && cell < first + bytes);
  wants.add = (cell, own) => {
    if (!isRefused(cell)) add(cell, own);
  };
  wants.addUnit = (unit, own) => {
    const inside = Array.from({ length: CELLS_OF[unit] as number }, (_, i) => (FIRST_CELL[unit] as number) + i);
    if (!inside.some(isRefused)) addUnit(unit, own);
    else for (const cell of inside) wants.add(cell, own);
  };
}

function refuseBytes(wants: MemoryWants, ranges: readonly { readonly from: number; readonly to: number }[]): void {
  const set = wants.set.bind(wants);
  const setWord = wants.setWord.bind(wants);
  const isRefused = (linear: number): boolean => ranges.some(({ from, to }) => linear >= from && linear < to);
  wants.set = (linear, own) => {
    if (own === NO_WANTERS || !isRefused(linear)) set(linear, own);
  };
  wants.setWord = (linear, own) => {
    const bytes = [0, 1, 2, 3].map((i) => (linear & ~3) + i);
    if (own === NO_WANTERS || own === SPLIT || !bytes.some(isRefused)) setWord(linear, own);
    else for (const byte of bytes) wants.set(byte, own);
  };
}

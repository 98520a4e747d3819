/**
 * Which layouts to run. Every buffer comes before every address-related variable of its space once: in each run every
 * buffer has one variable behind it, and another one in the next, so that k buffers and k variables take k runs. Frames
 * and globals go along with each other. The plan depends on nothing but the program.
 */
import { PAGE_SIZE } from '../../base/types.js';
import type { Layout, MovableFrame, MovableGlobal, MovableProgram, MovableSlot, PlacedFrame, PlacedGlobal } from './layout.js';
import { packFrame } from './packFrame.js';

type GlobalsPart = Pick<Layout, 'globals' | 'bytes' | 'gaps' | 'serves'>;
interface FramePart {
  readonly frame: PlacedFrame;
  readonly serves: readonly string[];
}

/** Bytes of a pattern behind what is moved. */
const MAGIC_BYTES = 64;
/** Blocks of the heap lie in both orders, whatever else there is. */
const HEAP_ORDERS = 2;
const RETURN_ADDRESS = 'return address';

interface PlannedLayouts {
  readonly layouts: readonly Layout[];
  /** Buffers that cannot be brought before the return address, or a variable, and why. */
  readonly remarks: readonly string[];
}

export function planLayouts({ globals, frames }: MovableProgram): PlannedLayouts {
  const remarks: string[] = [];
  const pairs = globalPairs(globals);
  const perFrame = frames.map((frame) => framePlans(frame, remarks)).filter((plans) => plans.length > 0);
  const layouts: Layout[] = [];
  const apart = globalsApart(globals);
  // What lies apart has its own run only if it can crash there.
  const first = apart.serves.length > 0 ? -1 : 0;
  const count = Math.max(HEAP_ORDERS + first, pairs.length, ...perFrame.map((plans) => plans.length));
  for (let turn = first; turn < count; turn++) {
    const own = turn < 0 ? apart : (pairs[turn] ?? apart);
    const chosen = turn < 0 ? [] : perFrame.flatMap((plans) => plans[turn] ?? []);
    layouts.push({
      number: layouts.length, kind: turn < 0 ? 'apart' : 'pairs', globals: own.globals, bytes: own.bytes, gaps: own.gaps,
      frames: chosen.map(({ frame }) => frame), heap: layouts.length % 2 === 0 ? 'up' : 'down', serves: [...own.serves, ...chosen.flatMap(({ serves }) => serves)],
    });
  }
  return { layouts, remarks };
}

/** Each at the end of pages of its own, before one that is not mapped. */
function globalsApart(globals: readonly MovableGlobal[]): GlobalsPart {
  const placed: PlacedGlobal[] = [];
  const gaps: number[] = [];
  let at = 0;
  for (const { address, size, alignment } of globals) {
    const end = Math.ceil((at + size) / PAGE_SIZE) * PAGE_SIZE;
    placed.push({ address, offset: down(end - size, alignment) });
    gaps.push(end);
    at = end + PAGE_SIZE;
  }
  return { globals: placed, bytes: at, gaps, serves: globals.filter(({ isBuffer }) => isBuffer).map(({ name }) => `${name}, nothing`) };
}

/** By turns. */
function globalPairs(globals: readonly MovableGlobal[]): GlobalsPart[] {
  const buffers = globals.filter(({ isBuffer }) => isBuffer);
  const variables = globals.filter(({ isAddress, isBuffer }) => isAddress && !isBuffer);
  const turns = buffers.length === 0 || variables.length === 0 ? 0 : Math.max(buffers.length, variables.length);
  return Array.from({ length: turns }, (_, turn) => {
    const placed: PlacedGlobal[] = [];
    const serves: string[] = [];
    const left = new Set(globals);
    let at = PAGE_SIZE;
    const put = (global: MovableGlobal, offset: number): void => {
      placed.push({ address: global.address, offset });
      left.delete(global);
      at = offset + global.size;
    };
    buffers.forEach((buffer, i) => {
      const variable = variables[(i + turn) % turns];
      // The buffer ends where the variable begins.
      const begin = up(at + MAGIC_BYTES + buffer.size, Math.max(variable?.alignment ?? 1, buffer.size % buffer.alignment === 0 ? buffer.alignment : 1));
      const fits = (begin - buffer.size) % buffer.alignment === 0;
      put(buffer, fits ? begin - buffer.size : down(begin - buffer.size, buffer.alignment));
      if (variable === undefined) return;
      put(variable, begin);
      serves.push(`${buffer.name}, ${variable.name}`);
    });
    for (const global of left) put(global, up(at + MAGIC_BYTES, global.alignment));
    return { globals: placed, bytes: at + PAGE_SIZE, gaps: [], serves };
  });
}

/** First each buffer before the return address, then before each variable. */
function framePlans(frame: MovableFrame, remarks: string[]): FramePart[] {
  const buffers = frame.slots.filter(({ isBuffer }) => isBuffer);
  const variables = frame.slots.filter(({ isAddress, isBuffer }) => isAddress && !isBuffer);
  const plans: FramePart[] = [];
  const add = (order: readonly MovableSlot[], serves: readonly string[]): void => {
    const packed = packFrame(frame, order);
    if (packed.kind === 'packed') plans.push({ frame: { address: frame.address, slots: packed.slots }, serves });
    else remarks.push(`${frame.function}: ${serves.join('; ')}: ${packed.why}`);
  };
  for (const buffer of buffers) add([buffer, ...frame.slots.filter((slot) => slot !== buffer)], [`${frame.function}: ${buffer.name}, ${RETURN_ADDRESS}`]);
  const turns = buffers.length === 0 || variables.length === 0 ? 0 : Math.max(buffers.length, variables.length);
  for (let turn = 0; turn < turns; turn++) {
    const pairs = buffers.map((buffer, i) => [variables[(i + turn) % turns], buffer] as const);
    const used = new Set<MovableSlot | undefined>(pairs.flat());
    const order = [...frame.slots.filter((slot) => !used.has(slot)), ...pairs.flatMap(([variable, buffer]) => (variable === undefined ? [buffer] : [variable, buffer]))];
    add(order, pairs.flatMap(([variable, buffer]) => (variable === undefined ? [] : [`${frame.function}: ${buffer.name}, ${variable.name}`])));
  }
  return plans;
}

function up(value: number, to: number): number {
  return Math.ceil(value / to) * to;
}

function down(value: number, to: number): number {
  return Math.floor(value / to) * to;
}

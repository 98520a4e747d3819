/**
 * The one definition of an arrival (docs/statements.md), in WebAssembly: it is asked for every block that is executed.
 * What it counts is in rows, one for each block of a program, of one line of the processor's cache each.
 *
 * Code consists of *units*: lines, or statements. A unit's number is that of its group and its place in it; a line is
 * a group of one. Control arrives at a unit when it comes from another group or has jumped back, and when it comes for
 * the first time to a unit of the group that it is in. That a call returns is no arrival: then it is in the unit of the
 * call.
 */
import type { Code } from '../../wasm/code.js';
import { ModuleBuilder } from '../../wasm/module.js';
import { PART_BITS } from '../program/statements.js';

/** Bytes of a row, and where its parts are: counts of 64 bits, an address as a float, the rest as words. */
export const ROW_BYTES = 64;
export const ROW = {
  count: 0, entered: 8, arrived: 16, start: 24, lastAndLength: 32, unitsMask: 36,
  firstUnit: 40, lastUnit: 44, unitBefore: 48, firstFunction: 52, lastFunction: 56, kindAndLeave: 60,
} as const;

/** The lower bits of `kindAndLeave`; a row of zeros is that of a block that is not known yet. */
export const KIND = { entry: 1, other: 2, mask: 3, whole: 4, watched: 8 } as const;
/** And those above: in place of a unit, whatever comes next is entered; or the unit of the call counts. */
export const LEAVE = { shift: 4, byJump: 0, byCall: -1, byReturn: -2 } as const;
/** In place of a function: it is not left by a jump. */
export const NOT_BY_JUMP = -1;
/** Of `lastAndLength`: how many instructions there are; above it, where the last one begins. */
export const LENGTH_BITS = 12;

/** Where a thread comes from. */
export interface Trail {
  /** The function that it was in, as a number; 0: none. */
  from: number;
  /** The unit that it was in, or one of LEAVE. */
  unit: number;
  /** The address of its last instruction. */
  at: number;
  /** Units of the group that it has been in, as bits. */
  been: number;
  /** 1: it has jumped back since it was in a unit. */
  back: number;
}

/** What is told of a watched block. */
export const TOLD = { entered: 1, returned: 2, called: 4, bits: 3 } as const;

/** A watched block was executed. The object is used again. */
export interface ToldBlock {
  /** Which of the blocks that were handed over. */
  index: number;
  /** Bits of TOLD. */
  how: number;
  /** Units of the group of its first unit that the thread has been in before. */
  been: number;
  /** When its first instruction began. */
  time: number;
}

const STATE = { from: 0, unit: 4, at: 8, been: 16, back: 20, time: 24, told: 32 } as const;
const TOLD_BYTES = 16;
const BLOCKS = 64;
const MOST_BLOCKS = 65_536;
const TOLD_START = BLOCKS + MOST_BLOCKS * 4;
const FIRST_ROW = TOLD_START + MOST_BLOCKS * TOLD_BYTES;
const WASM_PAGE = 65_536;
const MOST_PAGES = 65_536;
const PARTS = 1 << PART_BITS;

export class ArrivalLoop {
  floats: Float64Array;
  words: Int32Array;
  private readonly memory = new WebAssembly.Memory({ initial: Math.ceil(FIRST_ROW / WASM_PAGE) + 1, maximum: MOST_PAGES });
  private readonly run: (rows: number, from: number, end: number) => number;
  private top = FIRST_ROW;

  constructor() {
    const instance = new WebAssembly.Instance(new WebAssembly.Module(buildModule()), { env: { memory: this.memory } });
    this.run = instance.exports['count'] as typeof this.run;
    this.floats = new Float64Array(this.memory.buffer);
    this.words = new Int32Array(this.memory.buffer);
  }

  /** Room for so many rows, all zeros. Returns where they begin. */
  allocate(rows: number): number {
    const start = this.top;
    this.top += rows * ROW_BYTES;
    const missing = Math.ceil((this.top - this.memory.buffer.byteLength) / WASM_PAGE);
    if (missing > 0) {
      this.memory.grow(Math.max(missing, Math.min(this.memory.buffer.byteLength / WASM_PAGE, MOST_PAGES / 16)));
      this.floats = new Float64Array(this.memory.buffer);
      this.words = new Int32Array(this.memory.buffer);
    }
    return start;
  }

  /**
   * Counts blocks from the index `first` on, which begins at `clock.time`. Returns the index of one that is not known
   * yet, or how many there are.
   */
  count(rows: number, blocks: Uint32Array, first: number, trail: Trail, clock: { time: number }, tell?: (told: ToldBlock) => void): number {
    for (let done = first; done < blocks.length; ) {
      const { words, floats } = this;
      const part = blocks.subarray(done, done + MOST_BLOCKS);
      words.set(part, BLOCKS / 4);
      this.put(trail, clock.time);
      const stopped = (this.run(rows, BLOCKS, BLOCKS + part.length * 4) - BLOCKS) / 4;
      trail.from = words[STATE.from / 4] as number;
      trail.unit = words[STATE.unit / 4] as number;
      trail.at = floats[STATE.at / 8] as number;
      trail.been = words[STATE.been / 4] as number;
      trail.back = words[STATE.back / 4] as number;
      clock.time = floats[STATE.time / 8] as number;
      if (tell !== undefined) this.tell(done, tell);
      done += stopped;
      if (stopped < part.length) return done;
    }
    return blocks.length;
  }

  private put(trail: Trail, time: number): void {
    const { words, floats } = this;
    words[STATE.from / 4] = trail.from;
    words[STATE.unit / 4] = trail.unit;
    floats[STATE.at / 8] = trail.at;
    words[STATE.been / 4] = trail.been;
    words[STATE.back / 4] = trail.back;
    floats[STATE.time / 8] = time;
  }

  private tell(first: number, tell: (told: ToldBlock) => void): void {
    const { words, floats } = this;
    const end = words[STATE.told / 4] as number;
    const told: ToldBlock = { index: 0, how: 0, been: 0, time: 0 };
    for (let entry = TOLD_START; entry < end; entry += TOLD_BYTES) {
      const [place, word] = [entry / 4, words[entry / 4] as number];
      told.index = first + (((word >>> TOLD.bits) - BLOCKS) >>> 2);
      told.how = word & ((1 << TOLD.bits) - 1);
      told.been = words[place + 1] as number;
      told.time = floats[entry / 8 + 1] as number;
      tell(told);
    }
  }
}

function buildModule(): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder();
  module.importMemory('env', 'memory', 1, MOST_PAGES);
  const count = module.func('count', ['i32', 'i32', 'i32'], ['i32']);
  writeCount(count);
  module.exportFunc('count', count.index);
  return module.build();
}

interface Locals {
  readonly row: number;
  readonly kind: number;
  readonly from: number;
  readonly unit: number;
  readonly first: number;
  readonly leave: number;
  readonly been: number;
  readonly before: number;
  readonly back: number;
  readonly how: number;
  readonly told: number;
  readonly at: number;
  readonly time: number;
}

function writeCount(code: Code): void {
  const [rows, next, end] = [0, 1, 2];
  const word32 = (name: string): number => code.local('i32', name);
  const locals: Locals = {
    row: word32('row'), kind: word32('kind'), from: word32('from'), unit: word32('unit'), first: word32('first'), leave: word32('leave'),
    been: word32('been'), before: word32('before'), back: word32('back'), how: word32('how'), told: word32('told'),
    at: code.local('f64', 'at'), time: code.local('f64', 'time'),
  };
  const { row, kind, from, unit, first, leave, been, back, how, told, at, time } = locals;
  const word = (part: number): Code => code.get(row).mem('i32.load', part, 2);
  const state: readonly (readonly [number, number])[] = [[from, STATE.from], [unit, STATE.unit], [been, STATE.been], [back, STATE.back]];
  const floats: readonly (readonly [number, number])[] = [[at, STATE.at], [time, STATE.time]];
  for (const [local, place] of state) code.i32(0).mem('i32.load', place, 2).set(local);
  for (const [local, place] of floats) code.i32(0).mem('f64.load', place, 3).set(local);
  code.i32(TOLD_START).set(told);
  const done = code.block();
  const loop = code.loop();
  code.get(next).get(end).op('i32.ge_u').brIf(done);
  code.get(next).mem('i32.load', 0, 2).i32(ROW_BYTES).op('i32.mul').get(rows).op('i32.add').set(row);
  word(ROW.kindAndLeave).tee(kind).op('i32.eqz').brIf(done);
  code.i32(0).set(how);
  code.get(kind).i32(KIND.mask).op('i32.and').i32(KIND.entry).op('i32.eq').if_();
  code.get(from);
  word(ROW.firstFunction).op('i32.ne').if_();
  increment(code, row, ROW.arrived);
  code.i32(TOLD.called).set(how);
  code.end().end();
  increment(code, row, ROW.count);
  writeArrival(code, locals, word);
  writeTold(code, locals, next);
  word(ROW.lastAndLength).tee(first).i32(LENGTH_BITS).op('i32.shr_u').op('f64.convert_i32_u');
  code.get(row).mem('f64.load', ROW.start, 3).op('f64.add').set(at);
  code.get(first).i32((1 << LENGTH_BITS) - 1).op('i32.and').op('f64.convert_i32_u').get(time).op('f64.add').set(time);
  code.get(kind).i32(LEAVE.shift).op('i32.shr_s').tee(leave).op('i32.eqz').if_();
  word(ROW.lastFunction).set(from);
  code.else_();
  code.i32(NOT_BY_JUMP).set(from).get(leave).set(unit);
  code.end();
  code.get(next).i32(4).op('i32.add').set(next).br(loop);
  code.end().end();
  for (const [local, place] of state) code.i32(0).get(local).mem('i32.store', place, 2);
  for (const [local, place] of floats) code.i32(0).get(local).mem('f64.store', place, 3);
  code.i32(0).get(told).mem('i32.store', STATE.told, 2);
  code.get(next);
}

function increment(code: Code, row: number, part: number): void {
  code.get(row);
  code.get(row).mem('i64.load', part, 3).i64num(1).op('i64.add').mem('i64.store', part, 3);
}

/** Whether the first unit of the block is entered, and where the thread is after the block. */
function writeArrival(code: Code, { row, kind, unit, first, been, before, back, how, at }: Locals, word: (part: number) => Code): void {
  const place = (local: number): Code => code.get(local).i32(PARTS - 1).op('i32.and');
  code.get(unit).i32(LEAVE.byReturn).op('i32.eq').if_();
  // Back in the unit of the call: it has been in that, and in those before it.
  word(ROW.unitBefore).set(unit);
  code.i32(2);
  place(unit).op('i32.shl').i32(1).op('i32.sub').set(been);
  code.i32(0).set(back).get(how).i32(TOLD.returned).op('i32.or').set(how);
  code.else_();
  code.get(row).mem('f64.load', ROW.start, 3).get(at).op('f64.le').get(back).op('i32.or').set(back);
  code.end();
  code.get(been).set(before);
  word(ROW.firstUnit).tee(first).if_();
  code.get(unit).get(first).op('i32.xor').i32(PARTS).op('i32.ge_u').get(back).op('i32.or').if_();
  code.i32(0).set(been);
  code.end();
  code.get(been).set(before);
  code.get(been);
  place(first).op('i32.shr_u').i32(1).op('i32.and').op('i32.eqz').if_();
  increment(code, row, ROW.entered);
  code.get(how).i32(TOLD.entered).op('i32.or').set(how);
  code.end();
  code.get(been).i32(0).get(kind).i32(KIND.whole).op('i32.and').select();
  word(ROW.unitsMask).op('i32.or').set(been);
  word(ROW.lastUnit).set(unit);
  code.i32(0).set(back);
  code.end();
}

function writeTold(code: Code, { kind, how, before, told, time }: Locals, next: number): void {
  code.get(kind).i32(KIND.watched).op('i32.and').if_();
  code.get(told).get(next).i32(TOLD.bits).op('i32.shl').get(how).op('i32.or').mem('i32.store', 0, 2);
  code.get(told).get(before).mem('i32.store', 4, 2);
  code.get(told).get(time).mem('f64.store', 8, 3);
  code.get(told).i32(TOLD_BYTES).op('i32.add').set(told);
  code.end();
}

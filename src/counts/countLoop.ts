/**
 * The inner loop of counting, in WebAssembly: it is done for every block that is executed. What it counts is in rows,
 * one
 * for each block of a program, of one line of the processor's cache each.
 */
import type { Code } from '../wasm/code.js';
import { ModuleBuilder } from '../wasm/module.js';

/** Bytes of a row, and where its parts are: counts of 64 bits, addresses as floats, the rest as words. */
export const ROW_BYTES = 64;
export const ROW = {
  count: 0, entered: 8, arrived: 16, start: 24, end: 32,
  firstLine: 40, lastLine: 44, lineBefore: 48, firstFunction: 52, lastFunction: 56, kindAndLeave: 60,
} as const;

/** The lower bits of `kindAndLeave`; a row of zeros is that of a block that is not known yet. */
export const KIND = { entry: 1, other: 2, mask: 3 } as const;
/** And those above: in place of a line, whatever line comes next is entered; or the line of the call counts. */
export const LEAVE = { shift: 2, byJump: 0, byCall: -1, byReturn: -2 } as const;
/** In place of a function: it is not left by a jump. */
export const NOT_BY_JUMP = -1;

/** Where a thread comes from. */
export interface Trail {
  /** The function that it was in, as a number; 0: none. */
  from: number;
  /** The line that it was in, or one of LEAVE. */
  line: number;
  /** The address of its last instruction. */
  at: number;
}

const STATE = { from: 0, line: 4, at: 8 } as const;
const BLOCKS = 64;
const MOST_BLOCKS = 262_144;
const FIRST_ROW = BLOCKS + MOST_BLOCKS * 4;
const WASM_PAGE = 65_536;
const MOST_PAGES = 65_536;

export class CountLoop {
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

  /** Counts blocks from the index `first` on. Returns the index of one that is not known yet, or how many there are. */
  count(rows: number, blocks: Uint32Array, first: number, trail: Trail): number {
    const { words, floats } = this;
    for (let done = first; done < blocks.length; ) {
      const part = blocks.subarray(done, done + MOST_BLOCKS);
      words.set(part, BLOCKS / 4);
      words[STATE.from / 4] = trail.from;
      words[STATE.line / 4] = trail.line;
      floats[STATE.at / 8] = trail.at;
      const stopped = (this.run(rows, BLOCKS, BLOCKS + part.length * 4) - BLOCKS) / 4;
      trail.from = words[STATE.from / 4] as number;
      trail.line = words[STATE.line / 4] as number;
      trail.at = floats[STATE.at / 8] as number;
      done += stopped;
      if (stopped < part.length) return done;
    }
    return blocks.length;
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

function writeCount(code: Code): void {
  const [rows, next, end] = [0, 1, 2];
  const [row, kind, from, line, first, leave] = ['row', 'kind', 'from', 'line', 'first', 'leave'].map((name) => code.local('i32', name)) as
    [number, number, number, number, number, number];
  const at = code.local('f64', 'at');
  const word = (part: number): Code => code.get(row).mem('i32.load', part, 2);
  const float = (part: number): Code => code.get(row).mem('f64.load', part, 3);
  const increment = (part: number): void => {
    code.get(row);
    code.get(row).mem('i64.load', part, 3).i64num(1).op('i64.add').mem('i64.store', part, 3);
  };
  code.i32(0).mem('i32.load', STATE.from, 2).set(from);
  code.i32(0).mem('i32.load', STATE.line, 2).set(line);
  code.i32(0).mem('f64.load', STATE.at, 3).set(at);
  const done = code.block();
  const loop = code.loop();
  code.get(next).get(end).op('i32.ge_u').brIf(done);
  code.get(next).mem('i32.load', 0, 2).i32(ROW_BYTES).op('i32.mul').get(rows).op('i32.add').set(row);
  word(ROW.kindAndLeave).tee(kind).op('i32.eqz').brIf(done);
  code.get(kind).i32(KIND.mask).op('i32.and').i32(KIND.entry).op('i32.eq').if_();
  code.get(from);
  word(ROW.firstFunction).op('i32.ne').if_();
  increment(ROW.arrived);
  code.end().end();
  increment(ROW.count);
  word(ROW.firstLine).tee(first).if_();
  writeIsEntered(code, { line, first, at }, word, float);
  code.if_();
  increment(ROW.entered);
  code.end().end();
  float(ROW.end).set(at);
  code.get(kind).i32(LEAVE.shift).op('i32.shr_s').tee(leave).op('i32.eqz').if_();
  word(ROW.lastFunction).set(from);
  word(ROW.lastLine).tee(first).get(line).get(first).select().set(line);
  code.else_();
  code.i32(NOT_BY_JUMP).set(from).get(leave).set(line);
  code.end();
  code.get(next).i32(4).op('i32.add').set(next).br(loop);
  code.end().end();
  code.i32(0).get(from).mem('i32.store', STATE.from, 2);
  code.i32(0).get(line).mem('i32.store', STATE.line, 2);
  code.i32(0).get(at).mem('f64.store', STATE.at, 3);
  code.get(next);
}

/** Pushes whether the line is entered: from another one, or by a jump back, which is another round of a loop. */
function writeIsEntered(code: Code, locals: { line: number; first: number; at: number }, word: (part: number) => Code, float: (part: number) => Code): void {
  const { line, first, at } = locals;
  code.get(line).i32(LEAVE.byReturn).op('i32.eq').if_('i32');
  code.get(first);
  word(ROW.lineBefore).op('i32.ne');
  code.else_();
  code.get(first).get(line).op('i32.ne');
  float(ROW.start).get(at).op('f64.le').op('i32.or');
  code.end();
}

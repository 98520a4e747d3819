/**
 * One function body under construction. Every method appends instructions to a byte buffer at once;
 * nothing is checked beyond labels and nesting, V8's validation does the rest. This is the hot path of
 * translation, so checks whose message has to be composed are an `if` (an argument of assert is always evaluated).
 *
 * Labels are absolute: block(), loop() and if_() return their nesting depth (1 for the outermost; 0 is the
 * function itself) and the branches turn it into the relative index of the binary format. The function's
 * own final `end` is added when the module is built.
 *
 *   const loop = code.loop();
 *   code.get(n).i32(1).op('i32.sub').tee(n).brIf(loop).end();
 */
import { assert, unreachable } from '../base/assert.js';
import { ByteWriter, u32Size } from './byteWriter.js';
import { opcodeOf, STRUCTURE_OPS, type WasmOp } from './opcodes.js';
import { SCALAR_CONST, SCALAR_PLAIN, WHOLE_MEMORY } from './scalarOps.js';
import { SIMD_BYTES } from './simdOps.js';

export type ValType = 'i32' | 'i64' | 'f32' | 'f64' | 'v128';

export const VAL_TYPE_CODES: Readonly<Record<ValType, number>> = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, v128: 0x7b };

const NO_RESULT = 0x40;
const TWO_32 = 0x1_0000_0000;
const S = STRUCTURE_OPS;

export class Code {
  private readonly out = new ByteWriter();
  private depth = 0;
  private localCount: number;
  /** Locals as declared: runs of one type. */
  private readonly runTypes: ValType[] = [];
  private readonly runLengths: number[] = [];
  private pendingHint = -1;
  private readonly hintOffsets: number[] = [];
  private readonly hintValues: number[] = [];
  private readonly localNames = new Map<number, string>();

  constructor(
    readonly index: number,
    readonly params: readonly ValType[],
    readonly results: readonly ValType[],
  ) {
    this.localCount = params.length;
  }

  /** Bytes of instructions so far. */
  get size(): number {
    return this.out.length;
  }

  /** A new local; its name shows in the text form when the module is built with names. */
  local(type: ValType, name?: string): number {
    const last = this.runTypes.length - 1;
    if (this.runTypes[last] === type) this.runLengths[last]!++;
    else {
      this.runTypes.push(type);
      this.runLengths.push(1);
    }
    if (name !== undefined) this.localNames.set(this.localCount, name);
    return this.localCount++;
  }

  nameLocal(local: number, name: string): void {
    this.localNames.set(local, name);
  }

  op(name: WasmOp): this {
    return this.opcode(opcodeOf(name));
  }

  opcode(encoded: number): this {
    if (encoded < 0x100) this.out.u8(encoded);
    else {
      this.out.u8(encoded >>> 12);
      this.out.u32(encoded & 0xfff);
    }
    return this;
  }

  lane(name: WasmOp, lane: number): this {
    this.opcode(opcodeOf(name));
    this.out.u8(lane);
    return this;
  }

  shuffle(lanes: ArrayLike<number>): this {
    assert(lanes.length === 16, 'a shuffle needs 16 lanes');
    this.opcode(SIMD_BYTES['i8x16.shuffle']);
    this.out.bytes(lanes);
    return this;
  }

  get(local: number): this {
    return this.indexed(S['local.get'], local);
  }

  set(local: number): this {
    return this.indexed(S['local.set'], local);
  }

  tee(local: number): this {
    return this.indexed(S['local.tee'], local);
  }

  globalGet(global: number): this {
    return this.indexed(S['global.get'], global);
  }

  globalSet(global: number): this {
    return this.indexed(S['global.set'], global);
  }

  /** i32.const of the value modulo 2^32. */
  i32(value: number): this {
    this.out.u8(SCALAR_CONST['i32.const']);
    this.out.s32(value);
    return this;
  }

  /** i64.const of the value modulo 2^64. Slower than i64num: BigInt arithmetic. */
  i64(value: bigint): this {
    this.out.u8(SCALAR_CONST['i64.const']);
    this.out.s64(Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)));
    return this;
  }

  /** i64.const of a safe integer. */
  i64num(value: number): this {
    this.out.u8(SCALAR_CONST['i64.const']);
    if (value === (value | 0)) this.out.s32(value);
    else {
      if (!Number.isSafeInteger(value)) unreachable(`${value} is no safe integer`);
      this.out.s64(value, Math.floor(value / TWO_32));
    }
    return this;
  }

  /** NaNs come out as the canonical one; for others use a reinterpreted integer. */
  f32(value: number): this {
    this.out.u8(SCALAR_CONST['f32.const']);
    this.out.f32(value);
    return this;
  }

  f64(value: number): this {
    this.out.u8(SCALAR_CONST['f64.const']);
    this.out.f64(value);
    return this;
  }

  v128(bytes: Uint8Array): this {
    assert(bytes.length === 16, 'a v128 has 16 bytes');
    this.opcode(SIMD_BYTES['v128.const']);
    this.out.bytes(bytes);
    return this;
  }

  /** A load or store; `align` is the logarithm of the promised alignment. */
  mem(name: WasmOp, offset: number, align = 0): this {
    return this.memory(opcodeOf(name), offset, align);
  }

  /** `mem` by encoded opcode. */
  memory(encoded: number, offset: number, align = 0): this {
    if (!(offset >= 0 && offset < TWO_32)) unreachable(`memory offset ${offset} is not in 32 bits`);
    this.opcode(encoded);
    this.out.u8(align);
    this.out.u32(offset);
    return this;
  }

  memLane(name: WasmOp, offset: number, lane: number): this {
    this.memory(opcodeOf(name), offset);
    this.out.u8(lane);
    return this;
  }

  block(result?: ValType): number {
    return this.open(S.block, result);
  }

  loop(result?: ValType): number {
    return this.open(S.loop, result);
  }

  if_(result?: ValType): number {
    this.takeHint();
    return this.open(S.if, result);
  }

  else_(): this {
    assert(this.depth > 0, 'else outside of a block');
    this.out.u8(S.else);
    return this;
  }

  end(): this {
    assert(this.depth > 0, 'end without a block');
    this.depth--;
    this.out.u8(S.end);
    return this;
  }

  br(label: number): this {
    return this.indexed(S.br, this.relative(label));
  }

  brIf(label: number): this {
    this.takeHint();
    return this.indexed(S.br_if, this.relative(label));
  }

  brTable(labels: readonly number[], defaultLabel: number): this {
    this.indexed(S.br_table, labels.length);
    for (const label of labels) this.out.u32(this.relative(label));
    this.out.u32(this.relative(defaultLabel));
    return this;
  }

  ret(): this {
    return this.opcode(SCALAR_PLAIN.return);
  }

  call(funcIndex: number): this {
    return this.indexed(S.call, funcIndex);
  }

  callIndirect(typeIndex: number, table = 0): this {
    this.indexed(S.call_indirect, typeIndex);
    this.out.u32(table);
    return this;
  }

  returnCall(funcIndex: number): this {
    return this.indexed(S.return_call, funcIndex);
  }

  returnCallIndirect(typeIndex: number, table = 0): this {
    this.indexed(S.return_call_indirect, typeIndex);
    this.out.u32(table);
    return this;
  }

  unreachable(): this {
    return this.opcode(SCALAR_PLAIN.unreachable);
  }

  drop(): this {
    return this.opcode(SCALAR_PLAIN.drop);
  }

  select(): this {
    return this.opcode(SCALAR_PLAIN.select);
  }

  memoryCopy(): this {
    this.opcode(WHOLE_MEMORY['memory.copy']);
    this.out.u8(0);
    this.out.u8(0);
    return this;
  }

  memorySize(): this {
    return this.indexed(WHOLE_MEMORY['memory.size'], 0);
  }

  memoryGrow(): this {
    return this.indexed(WHOLE_MEMORY['memory.grow'], 0);
  }

  memoryFill(): this {
    this.opcode(WHOLE_MEMORY['memory.fill']);
    this.out.u8(0);
    return this;
  }

  /** Says whether the condition of the next if_() or brIf() is usually true. */
  hint(likely: boolean): this {
    this.pendingHint = likely ? 1 : 0;
    return this;
  }

  // What ModuleBuilder needs; not for emitters.

  get names(): ReadonlyMap<number, string> {
    return this.localNames;
  }

  get hintCount(): number {
    return this.hintOffsets.length;
  }

  /** Size of the body as encodeBody() writes it: local declarations, instructions, final end. */
  bodySize(): number {
    return this.localsSize() + this.out.length + 1;
  }

  encodeBody(out: ByteWriter): void {
    assert(this.depth === 0, `function ${this.index} has ${this.depth} unfinished blocks`);
    out.u32(this.runTypes.length);
    for (let i = 0; i < this.runTypes.length; i++) {
      out.u32(this.runLengths[i]!);
      out.u8(VAL_TYPE_CODES[this.runTypes[i]!]);
    }
    out.bytes(this.out.view());
    out.u8(S.end);
  }

  /** Hints of this function; offsets count from the start of the body, so local declarations included. */
  encodeHints(out: ByteWriter): void {
    const start = this.localsSize();
    out.u32(this.index);
    out.u32(this.hintOffsets.length);
    for (let i = 0; i < this.hintOffsets.length; i++) {
      out.u32(start + this.hintOffsets[i]!);
      out.u8(1);
      out.u8(this.hintValues[i]!);
    }
  }

  private localsSize(): number {
    let size = u32Size(this.runTypes.length);
    for (const length of this.runLengths) size += u32Size(length) + 1;
    return size;
  }

  private indexed(opcode: number, index: number): this {
    this.out.u8(opcode);
    this.out.u32(index);
    return this;
  }

  private open(opcode: number, result: ValType | undefined): number {
    this.out.u8(opcode);
    this.out.u8(result === undefined ? NO_RESULT : VAL_TYPE_CODES[result]);
    return ++this.depth;
  }

  private relative(label: number): number {
    if (!(label >= 0 && label <= this.depth)) unreachable(`label ${label} is not open at depth ${this.depth}`);
    return this.depth - label;
  }

  private takeHint(): void {
    if (this.pendingHint < 0) return;
    this.hintOffsets.push(this.out.length);
    this.hintValues.push(this.pendingHint);
    this.pendingHint = -1;
  }
}

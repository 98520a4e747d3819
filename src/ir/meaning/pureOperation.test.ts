/** What operations compute, against the interpreter that executes them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guestAddr } from '../../base/types.js';
import { EXIT } from '../../jit/exits.js';
import { type Slot, XMM } from '../../layout/cpuState.js';
import { STATE_BASE } from '../../layout/memoryMap.js';
import { BlockInterpreter } from '../../machine/testing/interpretedBlock.js';
import { CC_COUNT, ccOp } from '../flags.js';
import { type Block, NONE, Node, type Value } from '../ir.js';
import type { OpDef, Type } from '../opDef.js';
import { OP_BY_NAME, OPS } from '../ops.js';
import { NOT_KNOWN, PURE_OPERATIONS, TYPE_BITS } from './pureOperation.js';

const START = guestAddr(0x400000);
const RESULT = XMM[8] as Slot;
const machine = new BlockInterpreter();
const PURE = OPS.filter(({ effect }) => effect === 'pure');
const OPERATIONS = PURE.filter(({ name, params }) => params.length > 0 && !NOT_KNOWN.has(name));

const id = (name: string): number => (OP_BY_NAME.get(name) as OpDef).id;

/** A block of one instruction: operands from the first vector registers, the result to another one. */
function blockOf(def: OpDef, imm: number): Block {
  const nodes = [new Node(id('insn'), NONE, NONE, NONE, NONE, START)];
  const operands = def.params.map((type, i) => (nodes.push(new Node(id(`get.${type}`), NONE, NONE, NONE, NONE, (XMM[i] as Slot).offset)) - 1) as Value);
  const [a = NONE, b = NONE, c = NONE, d = NONE] = operands;
  const result = (nodes.push(new Node(def.id, a, b, c, d, imm)) - 1) as Value;
  nodes.push(new Node(id(`set.${def.result as Type}`), result, NONE, NONE, NONE, RESULT.offset));
  return { start: START, next: guestAddr(START + 1), instructions: 1, nodes, end: { kind: 'jump', target: guestAddr(START + 1) } };
}

function put({ offset }: Slot, value: bigint): void {
  machine.linear.view.setBigUint64(STATE_BASE + offset, BigInt.asUintN(64, value), true);
  machine.linear.view.setBigUint64(STATE_BASE + offset + 8, BigInt.asUintN(64, value >> 64n), true);
}

function got(type: Type): bigint {
  const [low, high] = [0, 8].map((at) => machine.linear.view.getBigUint64(STATE_BASE + RESULT.offset + at, true)) as [bigint, bigint];
  return BigInt.asUintN(TYPE_BITS[type], low | (high << 64n));
}

function interpreted(block: Block, operands: readonly bigint[], type: Type): bigint {
  operands.forEach((value, i) => put(XMM[i] as Slot, value));
  expect([EXIT.BUDGET, EXIT.CONTINUE]).toContain(machine.run(block));
  return got(type);
}

const EDGES = [0n, 1n, 2n, 7n, 0x7fn, 0x80n, 0xffn, 0x7fffn, 0x8000n, 0x7fff_ffffn, 0x8000_0000n, 0xffff_ffffn, (1n << 63n) - 1n, 1n << 63n, (1n << 64n) - 1n];
const lane64 = fc.oneof(fc.constantFrom(...EDGES), fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), fc.bigInt({ min: 0n, max: 130n }));
const repeatedByte = fc.integer({ min: 0, max: 255 }).map((byte) => BigInt(`0x${byte.toString(16).padStart(2, '0').repeat(16)}`));

function operandOf(type: Type): fc.Arbitrary<bigint> {
  const vector = fc.oneof(fc.tuple(lane64, lane64).map(([low, high]) => low | (high << 64n)), repeatedByte);
  return type === 'v128' ? vector : lane64.map((value) => BigInt.asUintN(TYPE_BITS[type], value));
}

/** The kinds that are literally flags have no size. */
const existing = (op: number): number => (op < ccOp('ADD', 1) ? op & ~3 : op);
/** Flags are asked for with operands that an instruction can have left behind. */
const SHIFTS = ['SHL', 'SHR', 'SAR'] as const;
const flagOperands = fc.oneof(
  fc.tuple(fc.integer({ min: 0, max: CC_COUNT - 1 }).filter((op) => op < ccOp('SHL', 1) || op >= ccOp('MUL', 1)).map(existing), lane64, lane64, fc.constantFrom(0n, 1n)),
  fc.tuple(fc.constantFrom(...SHIFTS), fc.constantFrom(1, 2, 4, 8), lane64, lane64, fc.integer({ min: 1, max: 64 })).map(([kind, bytes, x, y, count]) =>
    [ccOp(kind, bytes), x, y, BigInt(Math.min(count, bytes * 8))] as const),
).map(([op, x, y, z]) => {
  // Operands narrower than 64 bits are zero-extended, but for that of sar; the carry is 0 or 1.
  const bits = 8 << (op & 3);
  const isLiteral = op < ccOp('ADD', 1);
  const isSar = op >= ccOp('SAR', 1) && op < ccOp('MUL', 1);
  const cut = (value: bigint): bigint => (isLiteral ? value : BigInt.asUintN(bits, value));
  return [BigInt(op), cut(x), isSar ? BigInt.asUintN(64, BigInt.asIntN(bits, y)) : cut(y), z];
});

function operands({ name, params }: OpDef): fc.Arbitrary<readonly bigint[]> {
  if (name.startsWith('cc.')) return flagOperands;
  const plain = fc.tuple(...params.map(operandOf));
  if (!name.startsWith('pcmpstr.')) return plain;
  const most = name === 'pcmpstr.bytes' ? 16 : 8;
  const length = fc.integer({ min: 0, max: most }).map(BigInt);
  const text = fc.array(fc.constantFrom<bigint[]>(0n, 1n, 2n, 0x80n, 0xffn), { minLength: 16, maxLength: 16 }).map((bytes) => bytes.reduce((sum, byte) => (sum << 8n) | byte, 0n));
  return fc.tuple(text, text, length, length);
}

/** Immediates that make a difference. */
function immediates({ name }: OpDef): readonly number[] {
  if (name === 'cc.cond') return [...Array(16).keys()];
  if (name === 'crc32c') return [1, 2, 4, 8];
  return name.startsWith('pcmpstr.') ? [...Array(64).keys()].filter((control) => (control & 1) === (name === 'pcmpstr.words' ? 1 : 0)) : [0];
}

/** WebAssembly traps where there is no result; 128-bit divisions promise nothing. */
const TRAPS = /^(i(32|64)\.(div|rem)_|div\.(quot|rem)_)/;

describe('pure operations compute what the interpreter does', () => {
  it.each(OPERATIONS.map((def) => [def.name, def] as const))('%s', (name, def) => {
    for (const imm of immediates(def)) {
      const block = blockOf(def, imm);
      const node = block.nodes[def.params.length + 1] as Node;
      fc.assert(fc.property(operands(def), (values) => {
        const computed = PURE_OPERATIONS[def.id]?.(values, node);
        if (computed === undefined && TRAPS.test(name)) return;
        expect(computed).toBe(interpreted(block, values, def.result as Type));
      }), { numRuns: immediates(def).length > 1 ? 40 : 200 });
    }
  });

  it('all of them are known, but for approximations', () => {
    expect(PURE.filter(({ id: op }) => PURE_OPERATIONS[op] === undefined).map(({ name }) => name)).toEqual([...NOT_KNOWN]);
  });

  it('constants are what they say', () => {
    const constant = (name: string, imm: number, big = 0n, bytes: Uint8Array | null = null): bigint | undefined =>
      PURE_OPERATIONS[id(name)]?.([], new Node(id(name), NONE, NONE, NONE, NONE, imm, big, bytes));
    expect(constant('i32.const', -2)).toBe(0xffff_fffen);
    expect(constant('i64.const', 0, -2n)).toBe(0xffff_ffff_ffff_fffen);
    expect(constant('v128.const', 0, 0n, Uint8Array.from({ length: 16 }, (_, i) => i))).toBe(0x0f0e0d0c0b0a09080706050403020100n);
  });

  it('there is no quotient where WebAssembly traps', () => {
    const divided = (name: string, ...values: bigint[]): bigint | undefined => PURE_OPERATIONS[id(name)]?.(values, new Node(id(name), NONE, NONE, NONE, NONE, 0));
    expect(divided('i32.div_s', 5n, 0n)).toBeUndefined();
    expect(divided('i64.rem_u', 5n, 0n)).toBeUndefined();
    expect(divided('i32.div_s', 0x8000_0000n, 0xffff_ffffn)).toBeUndefined();
    expect(divided('div.quot_u', 1n, 0n, 1n)).toBeUndefined();
  });
});

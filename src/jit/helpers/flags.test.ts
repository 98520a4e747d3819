/**
 * Three ways to compute flags must agree: JavaScript (ir/flags.ts), the helper, and the lowering to plain operations.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guestAddr } from '../../base/types.js';
import { IrBuilder } from '../../ir/builder.js';
import { CC, CC_COUNT, COND, flagsFromState } from '../../ir/flags.js';
import { type Node, type Value } from '../../ir/ir.js';
import { OPS } from '../../ir/ops.js';
import { FLAG, RAX, RBX, RCX } from '../../layout/cpuState.js';
import type { Code } from '../../wasm/code.js';
import { buildHelpers, type HelperFn } from '../softfloat/helperTesting.js';
import { FLAGS_HELPERS } from './flags.js';

const INPUTS = new Map([[RAX.offset, 0], [RBX.offset, 1], [RCX.offset, 2]]);

/** Pushes the value of a node by computing its whole expression; inputs are the three parameters. */
function emitValue(code: Code, nodes: readonly Node[], v: Value): void {
  const node = nodes[v] as Node;
  const def = OPS[node.op]!;
  if (def.effect === 'get') code.get(INPUTS.get(node.imm)!);
  else if (def.name === 'i32.const') code.i32(node.imm);
  else if (def.name === 'i64.const') code.i64(node.big);
  else {
    [node.a, node.b, node.c].slice(0, def.params.length).forEach((arg) => emitValue(code, nodes, arg));
    if (def.name.endsWith('.select')) code.select();
    else code.op(def.wasm!);
  }
}

interface Case {
  readonly name: string;
  readonly op: number;
  /** -1 for all flags, else a condition code. */
  readonly condition: number;
}

const kinds = Object.entries(CC).flatMap(([name, n]) => (n <= CC.CARRY ? [[name, n * 4] as const] : [0, 1, 2, 3].map((log) => [`${name}${8 << log}`, n * 4 + log] as const)));
const cases: Case[] = kinds.flatMap(([name, op]) => Array.from({ length: 17 }, (_, i) => ({ name: `${name} ${i - 1}`, op, condition: i - 1 })));

const wasm = buildHelpers(FLAGS_HELPERS, (m) => {
  for (const { name, op, condition } of cases) {
    const b = new IrBuilder(guestAddr(0));
    const [x, y, z] = [b.get(RAX), b.get(RBX), b.get(RCX)];
    const value = condition < 0 ? b.op('cc.flags', b.i32(op), x, y, z) : b.op('cc.cond', b.i32(op), x, y, z, condition);
    const code = m.func(name, ['i64', 'i64', 'i64'], ['i32']);
    emitValue(code, b.nodes, value);
    m.exportFunc(name, code.index);
  }
});
const call = (name: string, ...args: (number | bigint)[]): number => (wasm.call[name] as HelperFn)(...args) as number;

function conditionOf(flags: number, code: number): number {
  const cf = (flags & FLAG.CF) !== 0;
  const zf = (flags & FLAG.ZF) !== 0;
  const less = ((flags & FLAG.SF) !== 0) !== ((flags & FLAG.OF) !== 0);
  const even = [(flags & FLAG.OF) !== 0, cf, zf, cf || zf, (flags & FLAG.SF) !== 0, (flags & FLAG.PF) !== 0, less, zf || less][code >> 1]!;
  return even !== ((code & 1) === 1) ? 1 : 0;
}

const EDGES = [0n, 1n, 2n, 0xfn, 0x10n, 0x7fn, 0x80n, 0x81n, 0xffn, 0x7fffn, 0x8000n, 0xffffn, 0x7fffffffn, 0x80000000n, 0xffffffffn,
  0x7fffffffffffffffn, 0x8000000000000000n, 0xffffffffffffffffn];
const operand = fc.oneof(fc.constantFrom(...EDGES), fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }));

/** Operands as the kind wants them: extended, counts in range, results that fit. */
function legal(op: number, x: bigint, y: bigint, z: bigint): [bigint, bigint, bigint] {
  const kind = op >> 2;
  const bits = 8 << (op & 3);
  const cut = (v: bigint): bigint => BigInt.asUintN(bits, v);
  if (kind === CC.FLAGS) return [x & 0x8d5n, 0n, 0n];
  if (kind === CC.CARRY) return [x & 1n, y & 0x8d5n, 0n];
  if (kind === CC.MUL) return [cut(x), y, 0n];
  if (kind < CC.SHL) return [cut(x), cut(y), z & 1n];
  const count = (z % BigInt(Math.min(bits === 64 ? 63 : 31, 63))) + 1n;
  const signed = BigInt.asIntN(bits, y);
  const result = kind === CC.SHL ? cut(y << count) : kind === CC.SHR ? cut(y) >> count : cut(signed >> count);
  return [result, kind === CC.SAR ? BigInt.asUintN(64, signed) : cut(y), count];
}

describe('flags', () => {
  it('agree in JavaScript, helper and lowering', () => {
    fc.assert(fc.property(fc.constantFrom(...kinds), operand, operand, operand, ([name, op], a, b, c) => {
      const [x, y, z] = legal(op, a, b, c);
      const expected = flagsFromState(op, x, y, z);
      const signed = [x, y, z].map((v) => BigInt.asIntN(64, v));
      expect(call('cc.flags', op, ...signed)).toBe(expected);
      expect(call(`${name} -1`, ...signed)).toBe(expected);
      for (let code = 0; code < 16; code++) {
        expect(call('cc.cond', op, ...signed, code), `${code}`).toBe(conditionOf(expected, code));
        expect(call(`${name} ${code}`, ...signed), `${code}`).toBe(conditionOf(expected, code));
      }
    }), { numRuns: 2000 });
  });

  it('covers every kind', () => {
    expect(Math.max(...kinds.map(([, op]) => op))).toBe(CC_COUNT - 1);
  });

  it('makes a comparison of a comparison', () => {
    const b = new IrBuilder(guestAddr(0));
    const [x, y] = [b.get(RAX), b.get(RBX)];
    b.setFlags(b.i32(CC.SUB * 4 + 3), x, y);
    expect(b.def(b.condition(COND.L)).name).toBe('i64.lt_s');
    expect(b.node(b.condition(COND.L))).toMatchObject({ a: x, b: y });
    b.setFlags(b.i32(CC.LOGIC * 4 + 3), x);
    expect(b.def(b.condition(COND.NE)).name).toBe('i64.ne');
  });
});

/** The 80-bit helpers against the x87 of the CPU we run on. */
import { afterAll, describe, expect, test } from 'vitest';
import { SCRATCH } from '../../src/layout/cpuState.js';
import { buildHelpers, randomBits } from '../../src/jit/softfloat/helperTesting.js';
import { SOFTFLOAT_HELPERS } from '../../src/jit/softfloat/index.js';
import { CASES, CpuOracle } from './cpuOracle.js';

const ORACLE = String.raw`
#include <stdio.h>
#include <stdint.h>
#include <string.h>
typedef struct { uint64_t m; uint16_t se; uint8_t pad[6]; } X;
int main(void) {
  char op[32]; unsigned cw; X a, b; unsigned long long am, bm; unsigned as, bs;
  while (scanf("%31s %x %llx %x %llx %x", op, &cw, &am, &as, &bm, &bs) == 6) {
    memset(&a, 0, sizeof a); memset(&b, 0, sizeof b);
    a.m = am; a.se = as; b.m = bm; b.se = bs;
    uint16_t control = cw, sw = 0; X r; memset(&r, 0, sizeof r); uint64_t out = 0; uint32_t out32 = 0; uint16_t out16 = 0;
    uint16_t normal = 0x37f;
    __asm__ volatile("fninit");
#define RUN2(NAME, INSN) else if (!strcmp(op, NAME)) __asm__ volatile("fldt %3; fldt %2; fldcw %4; fnclex; " INSN "; fnstsw %1; fnclex; fldcw %5; fstpt %0" : "=m"(r), "=m"(sw) : "m"(a), "m"(b), "m"(control), "m"(normal))
#define RUN1(NAME, INSN) else if (!strcmp(op, NAME)) __asm__ volatile("fldt %2; fldcw %3; fnclex; " INSN "; fnstsw %1; fnclex; fldcw %4; fstpt %0" : "=m"(r), "=m"(sw) : "m"(a), "m"(control), "m"(normal))
#define LOAD(NAME, INSN, SRC) else if (!strcmp(op, NAME)) __asm__ volatile("fldcw %3; fnclex; " INSN " %2; fnstsw %1; fnclex; fldcw %4; fstpt %0" : "=m"(r), "=m"(sw) : "m"(SRC), "m"(control), "m"(normal))
#define STORE(NAME, INSN, DST) else if (!strcmp(op, NAME)) __asm__ volatile("fldt %2; fldcw %3; fnclex; " INSN " %0; fnstsw %1; fnclex; fldcw %4" : "+m"(DST), "=m"(sw) : "m"(a), "m"(control), "m"(normal))
    if (0) ;
    RUN2("f80.add", "fadd %%st(1), %%st"); RUN2("f80.sub", "fsub %%st(1), %%st"); RUN2("f80.mul", "fmul %%st(1), %%st"); RUN2("f80.div", "fdiv %%st(1), %%st");
    RUN2("f80.compare", "fucom %%st(1)");
    RUN1("f80.sqrt", "fsqrt"); RUN1("f80.roundInt", "frndint");
    LOAD("f80.fromF64", "fldl", *(uint64_t *)&a.m); LOAD("f80.fromF32", "flds", *(uint32_t *)&a.m); LOAD("f80.fromI64", "fildll", *(uint64_t *)&a.m);
    STORE("f80.toF64", "fstpl", out); STORE("f80.toF32", "fstps", out32); STORE("f80.toI64", "fistpll", out); STORE("f80.toI32", "fistpl", out32); STORE("f80.toI16", "fistps", out16);
    STORE("t80.toI64", "fisttpll", out); STORE("t80.toI32", "fisttpl", out32); STORE("t80.toI16", "fisttps", out16);
    if (op[4] == 't') printf("%llx %x\n", (unsigned long long)(out | out32 | out16), sw);
    else printf("%llx %x %x\n", (unsigned long long)r.m, r.se, sw);
  }
  return 0;
}`;

const EDGE_EXPONENTS = [0, 1, 2, 0x3f80, 0x3f81, 0x3fc0, 0x3ffe, 0x3fff, 0x4000, 0x4001, 0x400e, 0x401e, 0x403d, 0x403e, 0x403f, 0x407e, 0x43fe, 0x3c00, 0x3c01, 0x3bcd, 0x7ffd, 0x7ffe, 0x7fff];
const EDGE_MANTISSAS = [
  0n, 1n, 1n << 63n, (1n << 63n) + 1n, (1n << 64n) - 1n, 3n << 62n, (1n << 62n) - 1n, (1n << 63n) | (1n << 10n), (1n << 63n) | (3n << 10n), (1n << 63n) | (1n << 39n),
  (1n << 63n) | (3n << 39n), 0xffff_ffff_ffff_fc00n, 0xffff_ff80_0000_0000n, 0xffff_ffff_ffff_f800n, 0x8000_0000_0000_0800n, 0xbfff_ffff_ffff_ffffn, 0xc000_0000_0000_0001n,
];
const cpu = new CpuOracle(ORACLE);
afterAll(() => cpu[Symbol.dispose]());

const random = randomBits(0x9e3779b97f4a7c15n);
const pick = <T>(list: readonly T[]): T => list[Number(random() % BigInt(list.length))] as T;

function operand(): [bigint, number] {
  const style = Number(random() & 7n);
  const sign = Number(random() & 1n) << 15;
  const mantissa = style < 3 ? pick(EDGE_MANTISSAS) : style === 3 ? random() : random() | (1n << 63n);
  const short = style === 5 ? mantissa & (-1n << 40n) & 0xffff_ffff_ffff_ffffn : mantissa;
  const exponent = style < 4 ? pick(EDGE_EXPONENTS) : style === 7 ? Number(random() & 0x7fffn) : 0x3fff + Number(random() % 140n) - 70;
  return [short, sign | exponent];
}

const wasm = buildHelpers(SOFTFLOAT_HELPERS);
const scratch = SCRATCH.offset;
const STATUS = 0x23f;

function expectSame(name: string, oracleName: string, make: () => { control: number; a: [bigint, number]; b: [bigint, number] }, run: (c: ReturnType<typeof make>) => string): void {
  const cases = Array.from({ length: CASES }, make);
  const lines = cases.map((c) => `${oracleName} ${c.control.toString(16)} ${c.a[0].toString(16)} ${c.a[1].toString(16)} ${c.b[0].toString(16)} ${c.b[1].toString(16)}`);
  const expected = cpu.run(lines);
  const wrong: string[] = [];
  cases.forEach((c, i) => {
    const got = run(c);
    const fields = expected[i]!.split(' ');
    const status = parseInt(fields.pop()!, 16) & (name === 'f80.compare' ? 0x4503 : STATUS);
    const want = `${fields.join(' ')} ${status.toString(16)}`;
    if (got !== want) wrong.push(`${lines[i]}: ${got}, CPU: ${want}`);
  });
  expect(wrong.slice(0, 10), `${wrong.length} of ${cases.length} differ`).toEqual([]);
}

const controls = (): number => 0x3f | (pick([0, 2, 3, 3]) << 8) | (Number(random() & 3n) << 10);
const make = (): { control: number; a: [bigint, number]; b: [bigint, number] } => ({ control: controls(), a: operand(), b: operand() });
const result80 = (flags: number): string =>
  `${wasm.state.getBigUint64(scratch, true).toString(16)} ${wasm.state.getUint32(scratch + 8, true).toString(16)} ${flags.toString(16)}`;

describe('80-bit arithmetic', () => {
  test.each(['f80.add', 'f80.sub', 'f80.mul', 'f80.div'])('%s', (name) => {
    expectSame(name, name, make, (c) => result80(wasm.call[name]!(c.a[0], c.a[1], c.b[0], c.b[1], c.control)));
  });
  test.each(['f80.sqrt', 'f80.roundInt'])('%s', (name) => {
    expectSame(name, name, make, (c) => result80(wasm.call[name]!(c.a[0], c.a[1], c.control)));
  });
});

test.each(['f80.add', 'f80.sub', 'f80.mul', 'f80.div'])('%s with overflow, underflow and precision unmasked: exponents wrap', (name) => {
  const unmasked = (): ReturnType<typeof make> => {
    const c = make();
    return { ...c, control: c.control & ~(Number(random() & 7n) << 3) };
  };
  expectSame(name, name, unmasked, (c) => result80(wasm.call[name]!(c.a[0], c.a[1], c.b[0], c.b[1], c.control)));
});

describe('conversions to the 80-bit format', () => {
  test.each([['f80.fromF64', 64], ['f80.fromF32', 32], ['f80.fromI64', 64]] as const)('%s', (name, width) => {
    const bits = (): bigint => {
      const raw = pick([random(), random() & 0xffffn, random() | (0x7ffn << 52n), random() & ~(0x7ffn << 52n), random() | 0x7f80_0000n, random() & ~0x7f80_0000n, 0n]);
      return BigInt.asUintN(width, raw);
    };
    expectSame(name, name, () => ({ control: 0x37f, a: [bits(), 0], b: [0n, 0] }), (c) => result80(wasm.call[name]!(width === 32 ? Number(c.a[0]) : c.a[0])));
  });
});

describe('conversions from the 80-bit format', () => {
  const low = (flags: number, width: number): string => `${BigInt.asUintN(width, wasm.state.getBigUint64(scratch, true)).toString(16)} ${flags.toString(16)}`;
  test.each([['f80.toF64', 64], ['f80.toF32', 32]] as const)('%s', (name, width) => {
    expectSame(name, name, make, (c) => low(wasm.call[name]!(c.a[0], c.a[1], c.control), width));
  });
  test.each([['f80.toI64', 64], ['f80.toI32', 32], ['f80.toI16', 16]] as const)('%s', (name, width) => {
    expectSame(name, name, make, (c) => low(wasm.call[name]!(c.a[0], c.a[1], c.control, 0), width));
    expectSame(name, name.replace('f80', 't80'), make, (c) => low(wasm.call[name]!(c.a[0], c.a[1], c.control, 1), width));
  });
});

test('comparison', () => {
  expectSame('f80.compare', 'f80.compare', make, (c) => {
    const r = wasm.call['f80.compare']!(c.a[0], c.a[1], c.b[0], c.b[1]) as number;
    const codes = [0x4000, 0x100, 0, 0x4500][r & 3]!;
    const status = codes | (r & 0x100 ? 1 : 0) | (r & 0x200 ? 2 : 0);
    return `${c.a[0].toString(16)} ${c.a[1].toString(16)} ${status.toString(16)}`;
  });
});

/**
 * x87 arithmetic and comparisons: finds operands and variant, lets the soft-float primitives (f80.*)
 * compute, and hands the result to x87.finish.
 */
import { X87 } from '../../ir/x87Ops.js';
import type { HelperDef } from '../emit.js';
import { COMPARE } from '../softfloat/f80Convert.js';
import { CLASS, classOf } from './x87Class.js';
import { tryFast } from './x87Fast.js';
import { defineHelper, type Expr, type Fn, i32, i64, select, switch_, type Var } from './x87Fn.js';
import { C0, C2, C3, control, DE, EARLY, IE, mantOf, needs, raised, scratchMant, scratchSe, seOf, setConditions, SF, isEmpty, physical, st, status, tags, ZE } from './x87Stack.js';

const field = (imm: Expr, shift: number): Expr => imm.shrU(shift).and(7);
const pops = (imm: Expr): Expr => field(imm, X87.POP_SHIFT);

/** (operation, destination, source) -> exceptions; result in SCRATCH. */
const compute = defineHelper('x87.compute', ['i32', 'i64', 'i32', 'i64', 'i32'], ['i32'], (f, op, aMant, aSe, bMant, bSe) => {
  const call = (name: string, reverse = false) => (): void => {
    const a = [aMant, aSe];
    const b = [bMant, bSe];
    f.ret(f.call('i32', `f80.${name}`, ...(reverse ? [...b, ...a] : [...a, ...b]), control()));
  };
  switch_(f, op, [call('add'), call('mul'), call('add'), call('add'), call('sub'), call('sub', true), call('div'), call('div', true)]);
  f.ret(i32(0));
});

const arith = defineHelper('x87.arith', ['i32'], [], (f, imm) => {
  const dst = f.let_(field(imm, X87.DST_SHIFT));
  const src = f.let_(field(imm, X87.SRC_SHIFT));
  const word = f.let_(status());
  const held = f.let_(tags());
  const destination = f.let_(word.shrU(11).add(dst).and(7));
  const source = f.let_(word.shrU(11).add(src).and(7));
  f.if_(held.shrU(destination).and(held.shrU(source)).and(1).eqz(), () => {
    f.callInto([], 'x87.underflow', dst, pops(imm));
    f.ret();
  });
  const a = [f.let_(mantOf(destination.shl(4))), f.let_(seOf(destination.shl(4)))] as const;
  const b = [f.let_(mantOf(source.shl(4))), f.let_(seOf(source.shl(4)))] as const;
  tryFast(f, { op: imm.and(7), status: word, tags: held, destination, a, b, pops: pops(imm) });
  f.callInto([], 'x87.finish', dst, pops(imm), f.call('i32', 'x87.compute', imm.and(7), ...a, ...b));
});

/** An operand from memory as (mantissa, sign and exponent, exceptions of the conversion). */
interface Source {
  readonly suffix: string;
  readonly type: 'i32' | 'i64';
  widen(f: Fn, value: Var): [Var, Var, Var];
}

function floatSource(suffix: string, type: 'i32' | 'i64'): Source {
  return {
    suffix, type,
    widen(f, value) {
      const out: [Var, Var, Var] = [f.local('i64'), f.local('i32'), f.local('i32')];
      f.callInto(out, `x87.widen${suffix}`, value);
      return out;
    },
  };
}

const SOURCES: readonly Source[] = [floatSource('F32', 'i32'), floatSource('F64', 'i64'), {
  suffix: 'Int', type: 'i64',
  widen(f, value) {
    const flags = f.let_(f.call('i32', 'f80.fromI64', value));
    return [f.let_(scratchMant()), f.let_(scratchSe()), flags];
  },
}];

function arithMemory(source: Source): HelperDef {
  return defineHelper(`x87.arith${source.suffix}`, [source.type, 'i32'], [], (f, value, imm) => {
    needs(f, 0, i32(0), i32(0));
    const [mant, se, denormal] = source.widen(f, value);
    const a = [f.let_(mantOf(st(0))), f.let_(seOf(st(0)))] as const;
    const word = f.let_(status());
    const held = f.let_(tags());
    f.if_(denormal.eqz(), () => {
      tryFast(f, { op: imm.and(7), status: word, tags: held, destination: f.let_(physical(0)), a, b: [mant, se], pops: i32(0) });
    });
    const flags = f.let_(f.call('i32', 'x87.compute', imm.and(7), ...a, mant, se));
    // Next to a NaN, or where there is a division by zero, a denormal is not worth an exception.
    const quiet = classOf(f, ...a).geU(CLASS.QNAN).or(flags.and(ZE));
    f.callInto([], 'x87.finish', i32(0), i32(0), flags.or(select(quiet, i32(0), denormal)));
  });
}

/** C3 C2 C0 of a comparison, with its exceptions in the low bits. */
const relation = defineHelper('x87.relation', ['i64', 'i32', 'i64', 'i32', 'i32'], ['i32'], (f, aMant, aSe, bMant, bSe, quiet) => {
  const order = f.let_(f.call('i32', 'f80.compare', aMant, aSe, bMant, bSe));
  const invalid = order.and(COMPARE.invalid).ne(0).or(quiet.eqz());
  switch_(f, order.and(3), [
    () => f.ret(i32(C3).or(denormal(order))),
    () => f.ret(i32(C0).or(denormal(order))),
    () => f.ret(denormal(order)),
    () => f.ret(select(invalid, i32(C0 | C2 | C3 | IE), C0 | C2 | C3)),
  ]);
});

const denormal = (order: Expr): Expr => select(order.and(COMPARE.denormal), i32(DE), 0);

/** Enters the outcome of fcom and friends, and pops. */
const compared = defineHelper('x87.compared', ['i32', 'i32'], [], (f, outcome, count) => {
  setConditions(f, outcome.and(C0 | C2 | C3));
  f.if_(raised(f, outcome.and(0x3f | SF)).and(EARLY).eqz(), () => f.callInto([], 'x87.pop', count));
});

const UNORDERED_FAULT = C0 | C2 | C3 | IE | SF;

const compare = defineHelper('x87.compare', ['i32'], [], (f, imm) => {
  const outcome = f.let_(f.call('i32', 'x87.relate', imm));
  f.callInto([], 'x87.compared', outcome, pops(imm));
});

/** The relation of st(0) to st(src), empty registers included. */
const relate = defineHelper('x87.relate', ['i32'], ['i32'], (f, imm) => {
  const src = f.let_(field(imm, X87.SRC_SHIFT));
  f.if_(isEmpty(0).or(isEmpty(src)), () => f.ret(i32(UNORDERED_FAULT)));
  f.ret(f.call('i32', 'x87.relation', mantOf(st(0)), seOf(st(0)), mantOf(st(src)), seOf(st(src)), imm.and(X87.QUIET)));
});

function compareMemory(source: Source): HelperDef {
  return defineHelper(`x87.compare${source.suffix}`, [source.type, 'i32'], [], (f, value, imm) => {
    f.if_(isEmpty(0), () => {
      f.callInto([], 'x87.compared', i32(UNORDERED_FAULT), pops(imm));
      f.ret();
    });
    const [mant, se, denormal] = source.widen(f, value);
    const outcome = f.let_(f.call('i32', 'x87.relation', mantOf(st(0)), seOf(st(0)), mant, se, i32(0)));
    f.if_(outcome.and(C2).eqz(), () => outcome.set(outcome.or(denormal)));
    f.callInto([], 'x87.compared', outcome, pops(imm));
  });
}

/** To EFLAGS: C3, C2, C0 become ZF, PF, CF. C1 stays unless the stack faults. */
const comi = defineHelper('x87.comi', ['i32'], ['i32'], (f, imm) => {
  const outcome = f.let_(f.call('i32', 'x87.relate', imm));
  const flags = f.let_(outcome.and(0x3f | SF));
  const unmasked = f.let_(i32(0));
  f.if_(flags, () => unmasked.set(f.call('i32', 'x87.raiseKeepingC1', flags)));
  f.if_(unmasked.and(EARLY).eqz(), () => f.callInto([], 'x87.pop', pops(imm)));
  f.ret(outcome.shrU(8).and(0x45));
});

const ftst = defineHelper('x87.ftst', [], [], (f) => {
  f.if_(isEmpty(0), () => {
    f.callInto([], 'x87.compared', i32(UNORDERED_FAULT), i32(0));
    f.ret();
  });
  f.callInto([], 'x87.compared', f.call('i32', 'x87.relation', mantOf(st(0)), seOf(st(0)), i64(0n), i32(0), i32(0)), i32(0));
});

/** C3 C2 C0 say what st(0) is, C1 its sign. */
const fxam = defineHelper('x87.fxam', [], [], (f) => {
  const byClass = [C3, C2, C3 | C2, C2 | C0, C0, C0, 0];
  const kind = f.let_(classOf(f, mantOf(st(0)), seOf(st(0))));
  const bits = f.let_(i32(0));
  byClass.forEach((value, k) => f.if_(kind.eq(k), () => bits.set(value)));
  f.if_(isEmpty(0), () => bits.set(C3 | C0));
  setConditions(f, bits.or(seOf(st(0)).shrU(15).shl(9)));
});

/** fsqrt, frndint: the primitive does it all. */
function primitive(name: string, helper: string): HelperDef {
  return defineHelper(`x87.${name}`, [], [], (f) => {
    needs(f, 0, i32(0), i32(0));
    f.callInto([], 'x87.finish', i32(0), i32(0), f.call('i32', helper, mantOf(st(0)), seOf(st(0)), control()));
  });
}

export const ARITH_HELPERS: readonly HelperDef[] = [
  compute, arith, ...SOURCES.map(arithMemory),
  relation, compared, relate, compare, ...SOURCES.map(compareMemory), comi, ftst, fxam,
  primitive('fsqrt', 'f80.sqrt'), primitive('frndint', 'f80.roundInt'),
];

/**
 * Builds what the rules for integers say (machine/shadow/rules/scalarShadows.ts is the reference, tests compare): the
 * shadow of a result, given values and shadow of the operands.
 */
import { NONE, type Node, type Value } from '../ir.js';
import type { Scalar, ShadowMath } from './shadowMath.js';

/** Operands of nodes of one instruction, as they are built. */
export interface PropagationOperands {
  readonly math: ShadowMath;
  value(operand: Value): Value;
  /** NONE if there is none. */
  shadow(operand: Value): Value;
}

export type PropagationRule = (operands: PropagationOperands, node: Node) => Value;

function multiplied({ math, value, shadow }: PropagationOperands, { a, b }: Node, type: Scalar): Value {
  const [p, q] = [shadow(a), shadow(b)];
  const met = (bits: Value, x: Value, own: Value): Value => (bits === NONE ? NONE : math.op(type, 'mul', math.lowest(type, bits), math.lowest(type, math.most(type, x, own))));
  return math.leftOf(type, math.or(type, met(p, value(b), q), met(q, value(a), p)));
}

/** Bits that differ between the smallest and the largest result, or whose operands have shadow themselves. */
function between(math: ShadowMath, type: Scalar, either: Value, least: Value, most: Value): Value {
  return math.or(type, either, math.op(type, 'xor', least, most));
}

function added({ math, value, shadow }: PropagationOperands, { a, b }: Node, type: Scalar): Value {
  const [p, q, x, y] = [shadow(a), shadow(b), value(a), value(b)];
  const either = math.or(type, p, q);
  if (either === NONE) return NONE;
  if (a === b) return math.op(type, 'shl', p, type === 'i32' ? math.b.i32(1) : math.b.i64(1));
  return between(math, type, either, math.op(type, 'add', math.least(type, x, p), math.least(type, y, q)), math.op(type, 'add', math.most(type, x, p), math.most(type, y, q)));
}

function subtracted({ math, value, shadow }: PropagationOperands, { a, b }: Node, type: Scalar): Value {
  const [p, q, x, y] = [shadow(a), shadow(b), value(a), value(b)];
  const either = math.or(type, p, q);
  if (either === NONE || a === b) return NONE;
  return between(math, type, either, math.op(type, 'sub', math.least(type, x, p), math.most(type, y, q)), math.op(type, 'sub', math.most(type, x, p), math.least(type, y, q)));
}

function shifted(name: string, type: Scalar): PropagationRule {
  return ({ math, value, shadow }, { a, b }) => {
    const [p, q] = [shadow(a), shadow(b)];
    const moved = p === NONE ? NONE : math.op(type, name, p, value(b));
    return q === NONE ? moved : math.select(type, math.ones(type), math.made(type, moved), math.isSome(type, q));
  };
}

/** Leading zeros, or trailing ones. The first one that has no shadow comes before all that has. */
function counted(type: Scalar, isFromLeft: boolean): PropagationRule {
  return ({ math, value, shadow }, { a }) => {
    const p = shadow(a);
    if (p === NONE) return NONE;
    const set = math.least(type, value(a), p);
    const below = (x: Value): Value => math.op(type, 'sub', math.lowest(type, x), type === 'i32' ? math.b.i32(1) : math.b.i64(1));
    const isKnown = isFromLeft ? math.op(type, 'gt_u', set, p) : math.op(type, 'lt_u', below(set), below(p));
    return math.allIf(type, math.op('i32', 'and', math.isSome(type, p), math.op('i32', 'eqz', isKnown)));
  };
}

/** What does the same with shadow as with values. */
function same(name: string): PropagationRule {
  return ({ math, shadow }, { a }) => (shadow(a) === NONE ? NONE : math.b.op(name, shadow(a)));
}

function selected(type: Scalar): PropagationRule {
  return ({ math, value, shadow }, { a, b, c }) => {
    const [p, q, r] = [shadow(a), shadow(b), shadow(c)];
    const chosen = p === NONE && q === NONE ? NONE : math.select(type, math.made(type, p), math.made(type, q), value(c));
    if (r === NONE) return chosen;
    const either = math.or(type, math.or(type, p, q), math.op(type, 'xor', value(a), value(b)));
    return math.select(type, either, math.made(type, chosen), math.isSome('i32', r));
  };
}

function ordered(type: Scalar, name: string): PropagationRule {
  return ({ math, value, shadow }, { a, b }) => {
    const [holds, isSigned] = [`${name.slice(0, 2)}_u`, name.endsWith('_s')];
    const sign = type === 'i32' ? math.b.i32(-0x8000_0000) : math.b.i64(-(1n << 63n));
    const turned = (x: Value): Value => (isSigned ? math.op(type, 'xor', x, sign) : x);
    if (shadow(a) === NONE && shadow(b) === NONE) return NONE;
    return math.order(type, holds, turned(value(a)), shadow(a), turned(value(b)), shadow(b));
  };
}

function rulesOf(type: Scalar): Record<string, PropagationRule> {
  const equal: PropagationRule = ({ math, value, shadow }, { a, b }) => math.equality(type, value(a), shadow(a), value(b), shadow(b));
  const rules: Record<string, PropagationRule> = {
    const: () => NONE,
    mul: (o, node) => multiplied(o, node, type),
    add: (o, node) => added(o, node, type),
    sub: (o, node) => subtracted(o, node, type),
    and: ({ math, value, shadow }, { a, b }) => {
      const [p, q] = [shadow(a), shadow(b)];
      const both = p === NONE || q === NONE ? NONE : math.op(type, 'and', p, q);
      return math.or(type, both, math.or(type, math.and(type, p, value(b)), math.and(type, q, value(a))));
    },
    or: ({ math, value, shadow }, { a, b }) => {
      const [p, q] = [shadow(a), shadow(b)];
      const both = p === NONE || q === NONE ? NONE : math.op(type, 'and', p, q);
      return math.or(type, both, math.or(type, math.andNot(type, p, value(b)), math.andNot(type, q, value(a))));
    },
    xor: ({ math, shadow }, { a, b }) => (a === b ? NONE : math.or(type, shadow(a), shadow(b))),
    eq: equal, ne: equal,
    eqz: ({ math, value, shadow }, { a }) => math.equality(type, value(a), shadow(a), math.zero(type), NONE),
    clz: counted(type, true), ctz: counted(type, false),
    select: selected(type),
  };
  for (const name of ['shl', 'shr_u', 'shr_s', 'rotl', 'rotr']) rules[name] = shifted(name, type);
  for (const name of ['lt_u', 'gt_u', 'le_u', 'ge_u', 'lt_s', 'gt_s', 'le_s', 'ge_s']) rules[name] = ordered(type, name);
  for (const name of ['extend8_s', 'extend16_s']) rules[name] = same(`${type}.${name}`);
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [`${type}.${name}`, rule]));
}

export const SCALAR_PROPAGATION: Readonly<Record<string, PropagationRule>> = {
  ...rulesOf('i32'), ...rulesOf('i64'),
  ...Object.fromEntries(['i64.extend32_s', 'i64.extend_i32_s', 'i64.extend_i32_u', 'i32.wrap_i64'].map((name) => [name, same(name)])),
};

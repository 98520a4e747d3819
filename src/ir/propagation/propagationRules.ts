/** The rule of every operation that can be built beside it; undefined for others. */
import { NONE, type Node, type Value } from '../ir.js';
import { operandsOf } from '../meaning/pureOperation.js';
import type { OpDef, Type } from '../opDef.js';
import { OPS } from '../ops.js';
import { type PropagationOperands, type PropagationRule, SCALAR_PROPAGATION } from './scalarPropagation.js';

/** Any shadow of an operand is shadow of the whole result. */
const WHOLLY: ReadonlySet<string> = new Set([
  ...['i32', 'i64'].flatMap((type) => ['popcnt', 'div_s', 'div_u', 'rem_s', 'rem_u'].map((name) => `${type}.${name}`)),
  'mul.hi_u', 'mul.hi_s', ...['u', 's'].flatMap((sign) => [`div.quot_${sign}`, `div.rem_${sign}`, `div.overflows_${sign}`]), 'crc32c',
]);

function wholly({ params, result }: OpDef): PropagationRule {
  return ({ math, shadow }: PropagationOperands, node: Node): Value => {
    let any: Value = NONE;
    operandsOf(node).forEach((operand, i) => (any = math.or('i32', any, math.isSome(params[i] as Type, shadow(operand)))));
    return math.allIf(result as Type, any);
  };
}

const RULES: readonly (PropagationRule | undefined)[] = OPS.map((def) => SCALAR_PROPAGATION[def.name] ?? (WHOLLY.has(def.name) ? wholly(def) : undefined));

export function ruleOf({ id }: OpDef): PropagationRule | undefined {
  return RULES[id];
}

/**
 * Functions of classes and operators that a program defines: which one is meant for these arguments, and which one a
 * virtual call ends at. They are called as any function is, with the object's address before the arguments.
 */
import type { Die } from '../../dwarf/die.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { strip, type FunctionType, type StructType, type Type } from '../../dwarf/types.js';
import { fail } from './expressionError.js';
import { pointerTo } from './madeTypes.js';
import { baseValue, derivesFrom } from './members.js';
import type { FoundName, NameLookup } from './nameLookup.js';
import { virtualSlot } from './print/memberPointers.js';
import { integerValue, isIntegral, natureOf } from './scalars.js';
import { fromBytes, Value } from './value.js';
import { foundValue } from './variableValue.js';

/** A function with all its arguments. */
export interface BoundCall {
  readonly callee: Value;
  readonly values: readonly Value[];
}

/** Better than nothing, and as good as it gets: for one argument. */
const [IMPOSSIBLE, CONVERTED, SAME] = [0, 1, 3];
const DEEPEST = 16;

/** `object.name(values)`; undefined if no class has such a function for them. */
export function boundMethod(names: NameLookup, object: Value, name: string, values: readonly Value[], depth = 0): BoundCall | undefined {
  const type = object.plain;
  if (type.kind !== 'struct' || depth > DEEPEST) return undefined;
  const found = bestOf(names, names.methods(type, name), values, true);
  if (found !== undefined) return isOfObjects(found) ? { callee: dispatched(object, type, name, found), values: [selfOf(object), ...values] } : { callee: found, values };
  for (const base of type.bases) {
    const inherited = boundMethod(names, baseValue(object, base), name, values, depth + 1);
    if (inherited !== undefined) return inherited;
  }
  return undefined;
}

/** An operator of a class, or one outside of classes. */
export function boundOperator(names: NameLookup, operator: string, values: readonly Value[]): BoundCall {
  const [object, ...others] = values;
  const name = `operator${operator}`;
  const own = object === undefined ? undefined : boundMethod(names, object, name, others);
  if (own !== undefined) return own;
  const outside = names.functions(name);
  const callee = bestOf(names, outside, values, false);
  return callee === undefined ? noOperator(name, object, outside.length > 0) : { callee, values };
}

/** There may be one that was never needed, so that the compiler made no code of it. */
function noOperator(name: string, object: Value | undefined, hasOthers: boolean): never {
  const type = object?.plain;
  if (type?.kind === 'struct' && type.methods.some((method) => method.name === name)) return fail(`Could not find ${name}.`);
  return fail(hasOthers ? `Cannot resolve function ${name} to any overloaded instance` : `No symbol "${name}" in current context.`);
}

/** Of several functions of a name the one that fits the arguments best; undefined if none does. */
export function bestOf(names: NameLookup, candidates: readonly FoundName[], values: readonly Value[], isMethod: boolean): Value | undefined {
  let best: { readonly value: Value; readonly score: number } | undefined;
  for (const candidate of candidates) {
    const value = foundValue(names.around, candidate);
    const score = fitness(value, values, isMethod);
    if (score > (best?.score ?? -1)) best = { value, score };
  }
  return best?.value;
}

function fitness(callee: Value, values: readonly Value[], isMethod: boolean): number {
  const type = callee.plain;
  if (type.kind !== 'function') return -1;
  const parameters = isMethod && isOfObjects(callee) ? type.parameters.slice(1) : type.parameters;
  if (values.length < parameters.length || (values.length > parameters.length && !type.isVariadic)) return -1;
  const scores = parameters.map((parameter, i) => argumentFitness(parameter.type, values[i] as Value));
  return scores.includes(IMPOSSIBLE) ? -1 : scores.reduce((sum, score) => sum + score, 0);
}

function argumentFitness(parameter: Type, value: Value): number {
  const target = strip(parameter);
  const wanted = target.kind === 'reference' ? strip(target.to) : target;
  const is = value.plain;
  if (wanted.kind === 'struct' || is.kind === 'struct') return wanted.kind === 'struct' && is.kind === 'struct' && derivesFrom(is, wanted, 0) ? SAME : IMPOSSIBLE;
  if (wanted.kind === is.kind && wanted.name === is.name && wanted.size === is.size) return SAME;
  const isNumber = (plain: typeof wanted): boolean => isIntegral(plain) || natureOf(plain) === 'float';
  if (isNumber(wanted) && isNumber(is)) return CONVERTED;
  return wanted.kind === 'pointer' && (is.kind === 'pointer' || is.kind === 'array' || is.kind === 'function') ? CONVERTED : IMPOSSIBLE;
}

/** Whether it wants an object: its first parameter is the compiler's. */
function isOfObjects({ plain }: Value): boolean {
  return (plain as FunctionType).parameters[0]?.isArtificial === true;
}

function selfOf(object: Value): Value {
  if (object.address === undefined) return fail('Attempt to take address of value not located in memory.');
  return integerValue(object.around, pointerTo(object.type), object.address);
}

/** What a virtual function is for this object: by its class's table. */
function dispatched(object: Value, type: StructType, name: string, found: Value): Value {
  const declared = type.methods.find((method) => method.isVirtual && method.name === name && sameParameters(method.die, found));
  const slot = declared === undefined ? undefined : virtualSlot(declared.die);
  const table = slot === undefined || object.address === undefined ? undefined : object.around.memory(object.address, 8);
  const entry = table === undefined ? undefined : object.around.memory(fromBytes(table) + BigInt(slot ?? 0) * 8n, 8);
  const address = entry === undefined ? 0n : fromBytes(entry);
  return address === 0n ? found : new Value(found.around, found.type, { kind: 'memory', address });
}

function sameParameters(die: Die, found: Value): boolean {
  const count = unlessCorrupt(() => [...die.children()].length, () => 0);
  return count === (found.plain as FunctionType).parameters.length;
}

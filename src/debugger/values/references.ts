/** Following pointers and references, to memory or to what only the debug information still knows. */
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import type { Location } from '../../dwarf/location.js';
import { Variable } from '../../dwarf/variable.js';
import { strip, type Type } from '../../dwarf/types.js';
import { resolved } from './dynamicTypes.js';
import { fail } from './expressionError.js';
import { LONG } from './madeTypes.js';
import { isIntegral, toInteger } from './scalars.js';
import { locatedValue } from './variableValue.js';
import { Value } from './value.js';

/** The object that a reference refers to; anything else is itself. */
export function referred(value: Value): Value {
  const { plain } = value;
  return plain.kind === 'reference' ? pointedTo(value, plain.to) : value;
}

/** What `*value` is. */
export function contentsOf(operand: Value): Value {
  const value = referred(operand);
  const { plain } = value;
  if (plain.kind === 'function') return value;
  if (plain.kind === 'array') return value.component(plain.element, 0);
  if (isIntegral(plain)) return new Value(value.around, LONG, { kind: 'memory', address: BigInt.asUintN(64, toInteger(value)) });
  if (plain.kind === 'pointer' && strip(plain.to).kind === 'void') return fail('Attempt to dereference a generic pointer.');
  if (plain.kind !== 'pointer') return fail('Attempt to take contents of a non-pointer value.');
  return pointedTo(value, plain.to);
}

function pointedTo(pointer: Value, to: Type): Value {
  const synthetic = syntheticTarget(pointer, to);
  if (synthetic !== undefined) return synthetic;
  return valueAt(pointer, to, toInteger(pointer));
}

/** What is in memory at an address. */
export function valueAt(like: Value, type: Type, address: bigint): Value {
  return new Value(like.around, resolved(type, like.around.frame?.stack), { kind: 'memory', address: BigInt.asUintN(64, address) });
}

/** Where a pointer leads that has no address because what it points to is not in memory. */
function syntheticTarget(pointer: Value, to: Type): Value | undefined {
  const found = syntheticPointer(pointer);
  if (found === undefined || pointer.place.kind !== 'located') return undefined;
  const { frame } = pointer.place;
  const location = unlessCorrupt(() => frame.locate(new Variable(found.die)), (error): Location => ({ kind: 'optimisedOut', reason: error.message }));
  const types = frame.module?.info?.types;
  const whole = types === undefined ? to : types.of(new Variable(found.die).type);
  const target = locatedValue(pointer.around, whole, location, frame);
  return found.offset === 0 && strip(whole).size === strip(to).size ? target.as(to) : target.component(to, found.offset);
}

/** The location if it says that the value is a pointer to what is nowhere. */
export function syntheticPointer({ place, bits }: Value): Extract<Location, { kind: 'implicitPointer' }> | undefined {
  if (place.kind !== 'located' || bits !== undefined) return undefined;
  if (place.location.kind === 'implicitPointer') return place.offset === 0 ? place.location : undefined;
  if (place.location.kind !== 'pieces') return undefined;
  let bit = 0;
  for (const piece of place.location.pieces) {
    if (bit === place.offset * 8 && piece.bits === 64 && piece.location.kind === 'implicitPointer') return piece.location;
    bit += piece.bits;
  }
  return undefined;
}

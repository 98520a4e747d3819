/** Values as other types, as C's casts and assignments convert them. */
import { strip, type Type } from '../../dwarf/types.js';
import * as big from './bigFloat.js';
import { decayed } from './arithmetic.js';
import { fail } from './expressionError.js';
import { arrayOf, pointerTo } from './madeTypes.js';
import { derivesFrom, findBase } from './members.js';
import { floatFormat, floatValue, integerValue, isIntegral, natureOf, toFloat, toInteger } from './scalars.js';
import { COMPUTED, toBytes, Value } from './value.js';

export function cast(type: Type, operand: Value): Value {
  const target = strip(type);
  if (target.kind === 'reference') return castReference(type, target.to, operand);
  if (target.kind === 'array') return castArray(type, operand);
  if (target.kind === 'struct') return castStructure(type, operand);
  const from = decayed(operand);
  const nature = natureOf(target);
  if (nature === 'void') return new Value(operand.around, type, COMPUTED, { bytes: new Uint8Array(0) });
  if (from.plain.kind === 'struct') return reinterpreted(type, operand);
  if (nature === 'float') return castFloat(type, from);
  if (target.kind === 'pointer' && from.plain.kind === 'pointer') return castPointer(type, target.to, from, from.plain.to);
  if (target.kind === 'pointer' && natureOf(from.plain) === 'float') return reinterpreted(type, operand);
  if (isIntegral(target) || target.kind === 'pointer') return castInteger(type, from);
  if (target.size === from.plain.size) return new Value(operand.around, type, from.place, from.contents);
  return reinterpreted(type, operand);
}

function castFloat(type: Type, from: Value): Value {
  if (!isIntegral(from.plain) && natureOf(from.plain) !== 'float') return fail('Invalid cast.');
  return floatValue(from.around, type, big.round(floatFormat(strip(type)), toFloat(from)));
}

function castInteger(type: Type, from: Value): Value {
  if (natureOf(from.plain) === 'void' || natureOf(from.plain) === 'complex') return fail('Invalid cast.');
  return integerValue(from.around, type, toInteger(from));
}

/** Between classes the address changes by where one is in the other. */
function castPointer(type: Type, to: Type, from: Value, pointedTo: Type): Value {
  const [wanted, is] = [strip(to), strip(pointedTo)];
  const address = toInteger(from);
  if (wanted.kind === 'struct' && is.kind === 'struct' && wanted !== is && address !== 0n) {
    const object = new Value(from.around, pointedTo, { kind: 'memory', address });
    if (derivesFrom(is, wanted, 0)) return integerValue(from.around, type, findBase(object, wanted)?.address ?? address);
    if (derivesFrom(wanted, is, 0)) {
      const assumed = new Value(from.around, to, { kind: 'memory', address });
      const inner = findBase(assumed, is)?.address;
      return integerValue(from.around, type, inner === undefined ? address : address - (inner - address));
    }
  }
  return integerValue(from.around, type, address);
}

function castReference(type: Type, to: Type, operand: Value): Value {
  const target = strip(to);
  const object = target.kind === 'struct' && operand.plain.kind === 'struct' ? (findBase(operand, target) ?? operand) : operand;
  if (object.address === undefined) return fail('Attempt to take address of value not located in memory.');
  return integerValue(operand.around, type, object.address);
}

/** An array of unknown length has as many elements as fit. */
function castArray(type: Type, operand: Value): Value {
  const target = strip(type);
  if (target.kind !== 'array') return fail('Invalid cast.');
  const { size } = strip(target.element);
  if (target.count === undefined && size > 0) {
    if (operand.size % size !== 0) fail('array element type size does not divide object size in cast');
    return operand.as(arrayOf(target.element, Math.floor(operand.size / size)));
  }
  return target.size === operand.size ? operand.as(type) : reinterpreted(type, operand);
}

function castStructure(type: Type, operand: Value): Value {
  const target = strip(type);
  if (target.kind === 'struct' && operand.plain.kind === 'struct') {
    const base = findBase(operand, target);
    if (base !== undefined) return base.as(type);
  }
  return reinterpreted(type, operand);
}

/** What is in memory can be looked at as anything. */
function reinterpreted(type: Type, operand: Value): Value {
  if (operand.address === undefined) return fail('Invalid cast.');
  return new Value(operand.around, type, operand.place);
}

/** A pointer to a function of a class, if that is one of objects. */
export function methodPointer(operand: Value): Value | undefined {
  const { plain } = operand;
  const self = plain.kind === 'function' && plain.parameters[0]?.isArtificial === true ? strip(plain.parameters[0].type) : undefined;
  const container = self?.kind === 'pointer' ? strip(self.to) : undefined;
  if (container?.kind !== 'struct' || operand.address === undefined) return undefined;
  const type: Type = { kind: 'memberPointer', die: undefined, name: undefined, qualifiedName: undefined, size: 16, to: operand.type, container };
  return new Value(operand.around, type, COMPUTED, { bytes: toBytes(operand.address, 16) });
}

/** A pointer to a value. */
export function addressValue(operand: Value): Value {
  if (operand.address === undefined) return fail('Attempt to take address of value not located in memory.');
  return integerValue(operand.around, pointerTo(operand.type), operand.address);
}

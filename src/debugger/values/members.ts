/**
 * Members of structures and classes: by name, in unnamed parts and base classes, static ones, and where virtual bases
 * are.
 */
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { evaluateNumber } from '../../dwarf/expression.js';
import type { BaseClass, Member } from '../../dwarf/typeParts.js';
import { strip, type StructType, type Type } from '../../dwarf/types.js';
import { fail, unlessFailed } from './expressionError.js';
import type { NameLookup } from './nameLookup.js';
import { toInteger } from './scalars.js';
import { staticState, foundValue } from './variableValue.js';
import { COMPUTED, Value } from './value.js';

const DEEPEST = 40;

/** The member of that name, wherever in the value it is; undefined if there is none. */
export function findMember(names: NameLookup, object: Value, name: string, depth = 0): Value | undefined {
  const type = object.plain;
  if (type.kind !== 'struct' || depth > DEEPEST) return undefined;
  const own = type.members.find((member) => member.name === name);
  if (own !== undefined) return memberValue(names, object, type, own);
  for (const member of type.members) {
    if (member.name !== undefined || member.isStatic) continue;
    const inner = findMember(names, memberValue(names, object, type, member), name, depth + 1);
    if (inner !== undefined) return inner;
  }
  for (const base of type.bases) {
    const inner = hasMember(base.type, name, 0) ? findMember(names, baseValue(object, base), name, depth + 1) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function hasMember(type: Type, name: string, depth: number): boolean {
  const plain = strip(type);
  if (plain.kind !== 'struct' || depth > DEEPEST) return false;
  if (plain.members.some((member) => member.name === name || (member.name === undefined && hasMember(member.type, name, depth + 1)))) return true;
  return plain.bases.some((base) => hasMember(base.type, name, depth + 1));
}

/**
 * The members that a value has: of alternatives only the one that its discriminant chooses. All, if that cannot be
 * read.
 */
export function presentMembers(object: Value, type: StructType): readonly Member[] {
  const { members } = type;
  const discriminant = members.find(({ variant }) => variant !== undefined)?.variant?.discriminant;
  if (discriminant === undefined) return members;
  const chosen = unlessFailed(() => toInteger(object.component(discriminant.type, discriminant.offset)), () => undefined);
  if (chosen === undefined) return members;
  const bits = strip(discriminant.type).size * 8;
  const isChosen = ({ variant }: Member): boolean => variant?.value !== undefined && BigInt.asUintN(bits, variant.value) === BigInt.asUintN(bits, chosen);
  const isNamed = members.some(isChosen);
  return members.filter((member) => member.variant === undefined || (isNamed ? isChosen(member) : member.variant.value === undefined));
}

/** A member that is known to be one of the value's type. Throws if it is static and nowhere. */
export function memberValue(names: NameLookup, object: Value, owner: StructType, member: Member): Value {
  if (member.isStatic) return staticMemberValue(names, owner, member);
  if (member.bits === undefined) return object.component(member.type, member.offset);
  // As gdb has it: counted from the unit of its type that it is in, if it is in one, otherwise from its first byte.
  const unit = strip(member.type).size * 8;
  const { offset, size } = member.bits;
  const inUnit = (offset % unit) + size <= unit && (offset - (offset % unit) + unit) / 8 <= object.size ? offset % unit : offset % 8;
  return object.component(member.type, (offset - inUnit) / 8, { offset: inUnit, size });
}

function staticMemberValue(names: NameLookup, owner: StructType, member: Member): Value {
  const found = names.staticMember(owner, member.name ?? '');
  if (found !== undefined) return foundValue(names.around, found);
  const size = strip(member.type).size;
  return new Value(names.around, member.type, COMPUTED, { bytes: new Uint8Array(size), unknown: new Uint8Array(size).fill(0xff) });
}

/** The part of an object that is its base class. */
export function baseValue(object: Value, base: BaseClass): Value {
  return object.component(base.type, baseOffset(object, base));
}

/** Where a base class begins; that of a virtual one is read from the object. */
export function baseOffset(object: Value, base: BaseClass): number {
  if (base.offset !== undefined && !base.isVirtual) return base.offset;
  const { expression } = base;
  const address = object.address ?? fail('Cannot find a virtual base class of a value that is not in memory.');
  const module = object.around.modules.find(({ info }) => info !== undefined && base.type.die?.unit.info === info) ?? object.around.modules[0];
  if (expression === undefined || module === undefined) return base.offset ?? 0;
  const found = unlessCorrupt(() => evaluateNumber(expression, base.type.die?.unit, staticState(object.around, module), [address]), () => undefined);
  return found === undefined ? fail('Cannot find a virtual base class.') : Number(BigInt.asIntN(64, found - address));
}

/** The way from a class to one that it is derived from, directly or not. */
export function findBase(object: Value, wanted: StructType, depth = 0): Value | undefined {
  const type = object.plain;
  if (type.kind !== 'struct' || depth > DEEPEST) return undefined;
  if (isSame(type, wanted)) return object;
  for (const base of type.bases) {
    if (!derivesFrom(base.type, wanted, 0)) continue;
    const found = findBase(baseValue(object, base), wanted, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function derivesFrom(type: Type, wanted: StructType, depth: number): boolean {
  const plain = strip(type);
  if (plain.kind !== 'struct' || depth > DEEPEST) return false;
  return isSame(plain, wanted) || plain.bases.some((base) => derivesFrom(base.type, wanted, depth + 1));
}

function isSame(a: StructType, b: StructType): boolean {
  return a.definition === b.definition || (a.qualifiedName !== undefined && a.qualifiedName === b.qualifiedName);
}

/** What structures and enumerations are made of: members, base classes, methods, enumerators, template arguments. */
import type { Die } from './die.js';
import { AT, OP, TAG } from './dwarfConstants.js';
import { DwarfReader } from './dwarfReader.js';
import type { Type, TypeOf } from './types.js';

export type Accessibility = 'public' | 'protected' | 'private';

export interface Member {
  readonly die: Die | undefined;
  /** Undefined for unnamed structures and unions, whose members are visible from outside. */
  readonly name: string | undefined;
  readonly type: Type;
  /** In bytes from the start of the structure; of a bit field: of the byte where it begins. */
  readonly offset: number;
  /** Of a bit field: its width, and its lowest bit counted from the start of the structure. */
  readonly bits: { readonly size: number; readonly offset: number } | undefined;
  readonly isStatic: boolean;
  readonly isArtificial: boolean;
  readonly accessibility: Accessibility;
  /** The place as an expression on the structure's address, where it is no constant. */
  readonly expression: Uint8Array | undefined;
  /** Undefined if it is always there. */
  readonly variant?: Variant;
}

/** Which alternative of several a member is (Rust's enumerations): that which the discriminant chooses is there. */
interface Variant {
  /** Undefined if there is only one alternative. */
  readonly discriminant: Member | undefined;
  /** What chooses it; undefined: whatever chooses no other one. */
  readonly value: bigint | undefined;
}

export interface BaseClass {
  readonly type: Type;
  readonly isVirtual: boolean;
  readonly accessibility: Accessibility;
  /** In bytes; of a virtual base undefined, and `expression` finds it from the object's address on the stack. */
  readonly offset: number | undefined;
  readonly expression: Uint8Array | undefined;
}

export interface Method {
  readonly die: Die;
  readonly name: string;
  readonly accessibility: Accessibility;
  readonly isVirtual: boolean;
  readonly isStatic: boolean;
  readonly isArtificial: boolean;
}

export interface Enumerator {
  readonly name: string;
  readonly value: bigint;
}

export interface TemplateArgument {
  readonly die: Die;
  readonly name: string | undefined;
  readonly type: Type;
  /** Of a parameter that is a value. */
  readonly value: bigint | undefined;
}

const ACCESS: readonly (Accessibility | undefined)[] = [undefined, 'public', 'protected', 'private'];

export function readMembers(owner: Die, typeOf: TypeOf): Member[] {
  const members: Member[] = [];
  for (const die of owner.children()) {
    if (die.tag === TAG.MEMBER || die.tag === TAG.VARIABLE) members.push(readMember(die, owner, typeOf));
    else if (die.tag === TAG.VARIANT_PART) members.push(...readVariants(die, owner, typeOf));
  }
  return members;
}

function readVariants(part: Die, owner: Die, typeOf: TypeOf): Member[] {
  const chooser = part.reference(AT.DISCR);
  const discriminant = chooser === undefined ? undefined : readMember(chooser, owner, typeOf);
  return part.childrenWithTag(TAG.VARIANT).flatMap((alternative) => {
    const variant: Variant = { discriminant, value: alternative.constantValue(AT.DISCR_VALUE) };
    return alternative.childrenWithTag(TAG.MEMBER).map((die) => ({ ...readMember(die, owner, typeOf), variant }));
  });
}

function readMember(die: Die, owner: Die, typeOf: TypeOf): Member {
  const type = typeOf(die.reference(AT.TYPE));
  const expression = die.block(AT.DATA_MEMBER_LOCATION);
  const constant = expression === undefined ? (die.number(AT.DATA_MEMBER_LOCATION) ?? 0) : constantOffset(expression);
  const bits = readBits(die, constant ?? 0, type);
  return {
    die,
    name: die.string(AT.NAME),
    type,
    offset: bits === undefined ? (constant ?? 0) : Math.floor(bits.offset / 8),
    bits,
    isStatic: die.tag === TAG.VARIABLE || die.flag(AT.EXTERNAL),
    isArtificial: die.flag(AT.ARTIFICIAL),
    accessibility: accessibilityOf(die, owner),
    expression: constant === undefined ? expression : undefined,
  };
}

/**
 * The old way counts from the most significant bit of a storage unit, the new one from the least one of the structure.
 */
function readBits(die: Die, offset: number, type: Type): Member['bits'] {
  const size = die.number(AT.BIT_SIZE);
  if (size === undefined) return undefined;
  const fromStart = die.number(AT.DATA_BIT_OFFSET);
  if (fromStart !== undefined) return { size, offset: fromStart + offset * 8 };
  const fromTop = die.number(AT.BIT_OFFSET);
  if (fromTop === undefined) return { size, offset: offset * 8 };
  const storage = die.number(AT.BYTE_SIZE) ?? type.size;
  // A field that does not fit its storage unit has a negative offset, written as a large number.
  const signed = fromTop >= 2 ** 31 ? fromTop - 2 ** (fromTop >= 2 ** 32 ? 64 : 32) : fromTop;
  return { size, offset: (offset + storage) * 8 - signed - size };
}

/** Old compilers write a constant offset as an expression. */
function constantOffset(expression: Uint8Array): number | undefined {
  const reader = new DwarfReader('expression', expression);
  if (expression.length < 2 || reader.u8() !== OP.PLUS_UCONST) return undefined;
  const offset = reader.uleb();
  return reader.atEnd ? offset : undefined;
}

export function readBases(owner: Die, typeOf: TypeOf): BaseClass[] {
  return owner.childrenWithTag(TAG.INHERITANCE).map((die) => {
    const expression = die.block(AT.DATA_MEMBER_LOCATION);
    const isVirtual = (die.number(AT.VIRTUALITY) ?? 0) !== 0;
    return {
      type: typeOf(die.reference(AT.TYPE)),
      isVirtual,
      accessibility: accessibilityOf(die, owner),
      offset: expression === undefined ? (die.number(AT.DATA_MEMBER_LOCATION) ?? 0) : constantOffset(expression),
      expression,
    };
  });
}

export function readMethods(owner: Die): Method[] {
  return owner.childrenWithTag(TAG.SUBPROGRAM).map((die) => ({
    die,
    name: die.name ?? '',
    accessibility: accessibilityOf(die, owner),
    isVirtual: die.has(AT.VTABLE_ELEM_LOCATION),
    isStatic: !die.has(AT.OBJECT_POINTER) && !die.childrenWithTag(TAG.FORMAL_PARAMETER).some((p) => p.flag(AT.ARTIFICIAL)),
    isArtificial: die.flag(AT.ARTIFICIAL),
  }));
}

function accessibilityOf(die: Die, owner: Die): Accessibility {
  return ACCESS[die.number(AT.ACCESSIBILITY) ?? 0] ?? (owner.tag === TAG.CLASS_TYPE ? 'private' : 'public');
}

export function readEnumerators(owner: Die): Enumerator[] {
  const size = BigInt(Math.min(Math.max(owner.number(AT.BYTE_SIZE) ?? 8, 1), 16) * 8);
  const list = owner.childrenWithTag(TAG.ENUMERATOR).map((die) => ({ name: die.string(AT.NAME) ?? '', value: die.constantValue(AT.CONST_VALUE) ?? 0n }));
  // Negative ones come as signed numbers; then all are. Otherwise data of fixed size is unsigned, as it was read.
  return list.some(({ value }) => value < 0n) ? list.map(({ name, value }) => ({ name, value: BigInt.asIntN(Number(size), value) })) : list;
}

export function readTemplateArguments(owner: Die, typeOf: TypeOf): TemplateArgument[] {
  const found: TemplateArgument[] = [];
  const add = (parent: Die): void => {
    for (const die of parent.children()) {
      if (die.tag === TAG.GNU_TEMPLATE_PARAMETER_PACK && parent === owner) add(die);
      else if (die.tag === TAG.TEMPLATE_TYPE_PARAMETER || die.tag === TAG.TEMPLATE_VALUE_PARAMETER) {
        found.push({ die, name: die.string(AT.NAME), type: typeOf(die.reference(AT.TYPE)), value: die.constantValue(AT.CONST_VALUE) });
      }
    }
  };
  add(owner);
  return found;
}

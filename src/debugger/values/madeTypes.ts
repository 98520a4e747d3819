/**
 * Types that no debug information has: those that the language knows by itself, and those that expressions make of
 * others.
 */
import { ATE } from '../../dwarf/dwarfConstants.js';
import type { Member } from '../../dwarf/typeParts.js';
import { VoidType, strip, type ArrayType, type BaseType, type FunctionType, type PointerType, type QualifiedType, type Qualifier, type ReferenceType, type StructType, type Type } from '../../dwarf/types.js';

export const VOID = new VoidType();

function base(name: string, size: number, encoding: number): BaseType {
  return { kind: 'base', die: undefined, name, qualifiedName: name, size, encoding };
}

export const CHAR = base('char', 1, ATE.SIGNED_CHAR);
export const INT = base('int', 4, ATE.SIGNED);
export const UNSIGNED_INT = base('unsigned int', 4, ATE.UNSIGNED);
export const LONG = base('long', 8, ATE.SIGNED);
export const UNSIGNED_LONG = base('unsigned long', 8, ATE.UNSIGNED);
export const LONG_LONG = base('long long', 8, ATE.SIGNED);
export const UNSIGNED_LONG_LONG = base('unsigned long long', 8, ATE.UNSIGNED);
export const BOOL = base('bool', 1, ATE.BOOLEAN);
export const FLOAT = base('float', 4, ATE.FLOAT);
export const DOUBLE_TYPE = base('double', 8, ATE.FLOAT);
export const LONG_DOUBLE = base('long double', 16, ATE.FLOAT);
const WCHAR = base('wchar_t', 4, ATE.SIGNED);
export const CHAR16 = base('char16_t', 2, ATE.UTF);
export const CHAR32 = base('char32_t', 4, ATE.UTF);

const LANGUAGE_TYPES: readonly BaseType[] = [
  CHAR, INT, UNSIGNED_INT, LONG, UNSIGNED_LONG, LONG_LONG, UNSIGNED_LONG_LONG, FLOAT, DOUBLE_TYPE, LONG_DOUBLE,
  base('signed char', 1, ATE.SIGNED_CHAR), base('unsigned char', 1, ATE.UNSIGNED_CHAR), base('short', 2, ATE.SIGNED), base('unsigned short', 2, ATE.UNSIGNED),
  base('__int128', 16, ATE.SIGNED), base('unsigned __int128', 16, ATE.UNSIGNED), BOOL, WCHAR, CHAR16, CHAR32,
];
const BY_NAME: ReadonlyMap<string, BaseType> = new Map(LANGUAGE_TYPES.map((type) => [type.name ?? '', type]));

/** A type that the language has by itself, by its canonical name. */
export function languageType(name: string): Type | undefined {
  return name === 'void' ? VOID : BY_NAME.get(name);
}

export function baseType(name: string, size: number, encoding: number): BaseType {
  return base(name, size, encoding);
}

export function pointerTo(to: Type): PointerType {
  return { kind: 'pointer', die: undefined, name: undefined, qualifiedName: undefined, size: 8, to };
}

export function referenceTo(to: Type, isRvalue = false): ReferenceType {
  return { kind: 'reference', die: undefined, name: undefined, qualifiedName: undefined, size: 8, to, isRvalue };
}

export function qualified(qualifier: Qualifier, of: Type): QualifiedType {
  return { kind: 'qualified', die: undefined, name: undefined, qualifiedName: undefined, qualifier, of, get size() { return strip(of).size; } };
}

export function arrayOf(element: Type, count: number | undefined, isVector = false): ArrayType {
  const size = (count ?? 0) * strip(element).size;
  return { kind: 'array', die: undefined, name: undefined, qualifiedName: undefined, element, count, dimension: { lower: 0, count }, isVector, size };
}

export function functionReturning(result: Type, parameters: readonly Type[], isVariadic = false, isPrototyped = true): FunctionType {
  const list = parameters.map((type) => ({ type, isArtificial: false }));
  return { kind: 'function', die: undefined, name: undefined, qualifiedName: undefined, size: 1, result, parameters: list, isVariadic, isPrototyped };
}

function alignmentOf(type: Type): number {
  const plain = strip(type);
  if (plain.kind === 'struct') return Math.max(1, ...plain.members.map((member) => alignmentOf(member.type)));
  return plain.kind === 'array' ? alignmentOf(plain.element) : Math.max(1, plain.size);
}

/** A union of registers' views, or a structure, laid out as compilers do it. */
export function structure(keyword: 'struct' | 'union', name: string | undefined, fields: readonly (readonly [string, Type])[]): StructType {
  let offset = 0;
  const members = fields.map(([field, type]): Member => {
    if (keyword === 'struct') offset = Math.ceil(offset / alignmentOf(type)) * alignmentOf(type);
    const member: Member = { die: undefined, name: field, type, offset, bits: undefined, isStatic: false, isArtificial: false, accessibility: 'public', expression: undefined };
    if (keyword === 'struct') offset += strip(type).size;
    return member;
  });
  const size = keyword === 'struct' ? offset : Math.max(0, ...fields.map(([, type]) => strip(type).size));
  const made: Omit<StructType, 'definition'> = {
    kind: 'struct', die: undefined, name, qualifiedName: name, size, keyword, isIncomplete: false, members, bases: [], methods: [], templateArguments: [],
  };
  return Object.defineProperty(made, 'definition', { get: () => made, enumerable: false }) as StructType;
}

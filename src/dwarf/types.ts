/**
 * Types of programs. Most come from the debug information (typeEntries.ts); debuggers make some of their own: a pointer
 * to a variable, an array of what a pointer points to. A reader that walks along types (typedefs of typedefs, elements
 * of elements) limits the steps, as nonsense may be a circle: see `strip`.
 */
import type { Dimension } from './arrayBounds.js';
import type { Die } from './die.js';
import type { BaseClass, Enumerator, Member, Method, TemplateArgument } from './typeParts.js';

export type Type =
  | VoidType | BaseType | PointerType | ReferenceType | QualifiedType | TypedefType | ArrayType | StructType | EnumType | FunctionType
  | MemberPointerType | UnspecifiedType;

export type Qualifier = 'const' | 'volatile' | 'restrict' | 'atomic';

export const POINTER_SIZE = 8;
/** More typedefs and qualifiers on top of each other are a circle. */
const LONGEST_CHAIN = 64;

/** Where to get the type of an entry: keeps one object per entry. */
export type TypeOf = (die: Die | undefined) => Type;

interface AnyType {
  /** Undefined if the debug information does not have it. */
  readonly die: Die | undefined;
  /** Without scopes; undefined if it has none. */
  readonly name: string | undefined;
  /** With scopes, where the language has them. */
  readonly qualifiedName: string | undefined;
  /** In bytes. */
  readonly size: number;
}

export class VoidType {
  readonly kind = 'void';
  readonly name = 'void';
  readonly qualifiedName = 'void';
  readonly size = 1;
  readonly die = undefined;
}

export interface BaseType extends AnyType {
  readonly kind: 'base';
  /** One of ATE. */
  readonly encoding: number;
}

export interface UnspecifiedType extends AnyType {
  readonly kind: 'unspecified';
}

export interface PointerType extends AnyType {
  readonly kind: 'pointer';
  readonly to: Type;
}

export interface ReferenceType extends AnyType {
  readonly kind: 'reference';
  readonly to: Type;
  readonly isRvalue: boolean;
}

export interface QualifiedType extends AnyType {
  readonly kind: 'qualified';
  readonly qualifier: Qualifier;
  readonly of: Type;
}

export interface TypedefType extends AnyType {
  readonly kind: 'typedef';
  readonly of: Type;
}

export interface ArrayType extends AnyType {
  readonly kind: 'array';
  readonly element: Type;
  readonly dimension: Dimension;
  /** Number of elements; undefined if it is open (`[]`) or known only at run time (see `dimension`). */
  readonly count: number | undefined;
  readonly isVector: boolean;
}

export interface StructType extends AnyType {
  readonly kind: 'struct';
  readonly keyword: 'struct' | 'class' | 'union';
  /** Only declared, as far as anybody knows. */
  readonly isIncomplete: boolean;
  /** Itself, or where it is defined if this is only a declaration. */
  readonly definition: StructType;
  /** Data members, static ones included, in order. */
  readonly members: readonly Member[];
  readonly bases: readonly BaseClass[];
  readonly methods: readonly Method[];
  readonly templateArguments: readonly TemplateArgument[];
}

export interface EnumType extends AnyType {
  readonly kind: 'enum';
  readonly isClass: boolean;
  /** What it is stored as, where the compiler says so. */
  readonly underlying: Type | undefined;
  /** In their order; values may repeat. */
  readonly enumerators: readonly Enumerator[];
}

export interface FunctionType extends AnyType {
  readonly kind: 'function';
  readonly result: Type;
  readonly parameters: readonly { readonly type: Type; readonly isArtificial: boolean }[];
  readonly isVariadic: boolean;
  readonly isPrototyped: boolean;
}

export interface MemberPointerType extends AnyType {
  readonly kind: 'memberPointer';
  readonly to: Type;
  readonly container: Type;
}

export type PlainType = Exclude<Type, QualifiedType | TypedefType>;

/** The type without typedefs and qualifiers. A circle is void. */
export function strip(type: Type): PlainType {
  let plain = type;
  for (let i = 0; i < LONGEST_CHAIN; i++) {
    if (plain.kind !== 'qualified' && plain.kind !== 'typedef') return plain;
    plain = plain.of;
  }
  return new VoidType();
}

/** Of a typedef or qualified type: that of what it stands for. */
export function sizeAfter(type: QualifiedType | TypedefType): number {
  return strip(type).size;
}

/** How an object of the C++ standard library is shown, and what its kinds need to look into it. */
import { strip, type StructType, type Type } from '../../../../dwarf/types.js';
import { fail } from '../../expressionError.js';
import { baseValue, findMember } from '../../members.js';
import type { NameLookup } from '../../nameLookup.js';
import { toInteger } from '../../scalars.js';
import { Value } from '../../value.js';
import { shownTypeName } from '../../variableValue.js';
import type { PrintSettings } from '../settings.js';
import { templateArgumentNames } from './typeNames.js';

/** A part of it: with a name, or with a key. */
export interface Part {
  readonly name: string;
  readonly key?: Value;
  readonly value: Value;
}

export type Shape =
  /** Nothing but text. */
  | { readonly kind: 'text'; readonly text: string }
  /** What it stands for: an iterator is what it points to. */
  | { readonly kind: 'value'; readonly value: Value }
  /** In a frame's line, too: the text before and after a value. */
  | { readonly kind: 'around'; readonly before: string; readonly value: Value; readonly after: string }
  | { readonly kind: 'parts'; readonly head: string; readonly layout: 'array' | 'map' | 'members'; parts(): Iterable<Part> };

/** An object whose shape is wanted. */
export interface Looked {
  readonly names: NameLookup;
  readonly value: Value;
  readonly type: StructType;
  readonly settings: PrintSettings;
  /** The shape of another object; undefined if it has none. */
  shapeOf(value: Value): Shape | undefined;
}

/** Undefined or an ExpressionError: the object is not as expected, and shown as the structure that it is. */
export type Kind = (looked: Looked) => Shape | undefined;

/** More than anybody looks at, and less than rubbish has. */
export const MOST = 1n << 32n;

export function member(looked: Pick<Looked, 'names'>, value: Value, ...path: readonly string[]): Value {
  return path.reduce((object, name) => findMember(looked.names, object, name) ?? fail(`There is no member named ${name}.`), value);
}

export function hasMember({ names }: Looked, value: Value, name: string): boolean {
  return findMember(names, value, name) !== undefined;
}

/** Compilers leave out arguments of templates that no code asks for; then its name says what it is. */
export function argument({ names, type }: Looked, index = 0): Type {
  const known = type.templateArguments[index]?.type;
  const name = known === undefined ? templateArgumentNames(type.qualifiedName ?? '')[index] : undefined;
  return known ?? (name === undefined ? undefined : names.typeNamed(name)) ?? fail('The template has no such argument.');
}

/** What is in memory at an address. */
export function at({ value }: Looked, type: Type, address: bigint): Value {
  return new Value(value.around, type, { kind: 'memory', address: BigInt.asUintN(64, address) });
}

export function pointerAt({ value }: Looked, address: bigint): bigint {
  const bytes = value.around.memory(BigInt.asUintN(64, address), 8) ?? fail(`Cannot access memory at address 0x${address.toString(16)}`);
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
}

/** Some values one after the other. */
export function* elementsAt(looked: Looked, type: Type, address: bigint, count: bigint): Generator<Part> {
  const size = BigInt(strip(type).size);
  for (let i = 0n; i < count; i++) yield { name: `[${i}]`, value: at(looked, type, address + i * size) };
}

export function roundUp(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}

export function nameOfType(type: Type): string {
  return shownTypeName(type, false);
}

export function plural(count: bigint): string {
  return `${count} element${count === 1n ? '' : 's'}`;
}

/** The base class whose name begins so, however far down. */
export function baseNamed(value: Value, start: string): Value | undefined {
  const { plain } = value;
  if (plain.kind !== 'struct') return undefined;
  for (const base of plain.bases) {
    const inner = baseValue(value, base);
    const found = (strip(base.type).qualifiedName ?? '').startsWith(start) ? inner : baseNamed(inner, start);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function integer(looked: Looked, value: Value, ...path: readonly string[]): bigint {
  return toInteger(member(looked, value, ...path));
}

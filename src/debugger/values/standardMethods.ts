/**
 * What expressions do with objects of the C++ standard library without calling the program's functions, which often are
 * not there because they were inlined: `*pointer`, `pointer->member`, `vector[3]`, `list.size()`. gdb does the same
 * with the library's "xmethods".
 */
import { BOOL, UNSIGNED_LONG } from './madeTypes.js';
import type { NameLookup } from './nameLookup.js';
import { DEFAULT_SETTINGS } from './print/settings.js';
import type { Part, Shape } from './print/standard/shape.js';
import { standardShape } from './print/standardLibrary.js';
import { contentsOf } from './references.js';
import { integerValue, toInteger } from './scalars.js';
import type { Value } from './value.js';

const COUNTED = /^std::\w+ (?:of length|with) (\d+)/;

function shapeOf(names: NameLookup, value: Value): Shape | undefined {
  return standardShape(names, value, DEFAULT_SETTINGS);
}

/** What `object->` leads to; undefined if it is no pointer and no iterator of the library's. */
export function standardTarget(names: NameLookup, object: Value): Value | undefined {
  const shape = shapeOf(names, object);
  if (shape?.kind === 'value') return shape.value;
  const pointer = pointerOf(shape);
  return pointer === undefined ? undefined : contentsOf(pointer);
}

function pointerOf(shape: Shape | undefined): Value | undefined {
  const [only] = shape?.kind === 'parts' && shape.layout === 'members' && / ?_ptr</.test(shape.head) ? [...shape.parts()] : [];
  return only?.name === 'get()' ? only.value : undefined;
}

export function standardOperator(names: NameLookup, operator: string, [object, index, ...others]: readonly Value[]): Value | undefined {
  if (object === undefined || others.length > 0) return undefined;
  if (operator === '*' && index === undefined) return standardTarget(names, object);
  return operator === '[]' && index !== undefined ? element(shapeOf(names, object), index) : undefined;
}

function element(shape: Shape | undefined, index: Value): Value | undefined {
  if (shape?.kind !== 'parts' || shape.layout !== 'array') return undefined;
  return nth(shape.parts(), toInteger(index));
}

function nth(parts: Iterable<Part>, index: bigint): Value | undefined {
  let i = 0n;
  for (const { value } of parts) if (i++ === index) return value;
  return undefined;
}

/** Methods without arguments that everybody asks for. */
export function standardMethod(names: NameLookup, object: Value, name: string, values: readonly Value[]): Value | undefined {
  if (values.length > 0 || (name !== 'size' && name !== 'empty' && name !== 'get')) return undefined;
  const shape = shapeOf(names, object);
  if (name === 'get') return pointerOf(shape);
  const count = countOf(shape);
  if (count === undefined) return undefined;
  return name === 'size' ? integerValue(names.around, UNSIGNED_LONG, count) : integerValue(names.around, BOOL, count === 0n ? 1n : 0n);
}

function countOf(shape: Shape | undefined): bigint | undefined {
  if (shape?.kind === 'text' && /^empty std::(__cxx11::)?(forward_)?list$/.test(shape.text)) return 0n;
  if (shape?.kind !== 'parts') return undefined;
  const [, written] = COUNTED.exec(shape.head) ?? [];
  if (written !== undefined) return BigInt(written);
  return /^std::(__cxx11::)?list$/.test(shape.head) ? BigInt([...shape.parts()].length) : undefined;
}

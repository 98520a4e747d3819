/** What a variable is good for in memory that is laid out anew: something to leave, or something to be hit. */
import { strip, type Type } from '../../dwarf/types.js';

export interface Form {
  /** An array: what is written through it may go beyond it. */
  readonly isBuffer: boolean;
  /** A pointer, a number that may be an index, or an array of pointers: if it is wrong, so are addresses. */
  readonly isAddress: boolean;
  /** Of what it consists of. */
  readonly alignment: number;
}

const SMALLEST_INDEX = 2;
const LARGEST_ALIGNMENT = 16;

export function formOf(type: Type): Form {
  const own = strip(type);
  const element = elementOf(own);
  const isArray = own.kind === 'array';
  const isNumber = (own.kind === 'base' || own.kind === 'enum') && own.size >= SMALLEST_INDEX && own.size <= 8;
  return { isBuffer: isArray, isAddress: element.kind === 'pointer' || isNumber, alignment: element.kind === 'struct' ? LARGEST_ALIGNMENT : powerOfTwo(element.size) };
}

function elementOf(type: Type): Type {
  return type.kind === 'array' ? elementOf(strip(type.element)) : type;
}

function powerOfTwo(size: number): number {
  let power = 1;
  while (power * 2 <= size && power < LARGEST_ALIGNMENT) power *= 2;
  return power;
}

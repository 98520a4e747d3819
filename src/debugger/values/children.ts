/**
 * Parts of a value as a view of variables unfolds them: base classes, members, elements, what a pointer points to. Made as they are asked
 * for, so that an array of a million elements costs nothing until somebody looks at some. Each has an expression that means the same.
 */
import { strip, type StructType } from '../../dwarf/types.js';
import { unlessFailed } from './expressionError.js';
import type { NameLookup } from './nameLookup.js';
import { baseValue, memberValue, presentMembers } from './members.js';
import { contentsOf, referred } from './references.js';
import { toInteger } from './scalars.js';
import type { Value } from './value.js';

type ChildKind = 'base' | 'member' | 'static' | 'unnamed' | 'element' | 'target';

export interface Child {
  /** `x`, `[3]`, `*p`, `Base`; empty for an unnamed structure or union. */
  readonly name: string;
  readonly kind: ChildKind;
  /** What to evaluate for it. */
  readonly expression: string;
  /** Throws an ExpressionError if it is nowhere. */
  value(): Value;
}

interface Children {
  /** How many have names, and how many have numbers: never both. */
  readonly named: number;
  readonly indexed: number;
  /** Some of them, in order. */
  list(start?: number, count?: number): Child[];
}

const NONE: Children = { named: 0, indexed: 0, list: () => [] };

/** Parts of a value that `expression` means. */
export function childrenOf(names: NameLookup, value: Value, expression: string): Children {
  return unlessFailed(() => partsOf(names, value, expression), () => NONE);
}

function partsOf(names: NameLookup, whole: Value, expression: string): Children {
  const value = referred(whole);
  if (value.isOptimisedOut) return NONE;
  const { plain } = value;
  switch (plain.kind) {
    case 'struct': return named(membersOf(names, value, plain, expression));
    case 'array': return elements(value, plain.count ?? 0, expression);
    case 'pointer': return pointed(names, value, expression);
    default: return NONE;
  }
}

function named(list: readonly Child[]): Children {
  return { named: list.length, indexed: 0, list: (start = 0, count = list.length) => list.slice(start, start + count) };
}

function elements(array: Value, length: number, expression: string): Children {
  const { plain } = array;
  if (plain.kind !== 'array') return NONE;
  const size = strip(plain.element).size;
  const { lower } = plain.dimension;
  const make = (index: number): Child => ({
    name: `[${index + lower}]`, kind: 'element', expression: `${primary(expression)}[${index + lower}]`, value: () => array.component(plain.element, index * size),
  });
  return { named: 0, indexed: length, list: (start = 0, count = length) => Array.from({ length: Math.max(0, Math.min(count, length - start)) }, (_, i) => make(start + i)) };
}

/** Of a pointer to a structure its members; of others what they point to. */
function pointed(names: NameLookup, pointer: Value, expression: string): Children {
  const { plain } = pointer;
  if (plain.kind !== 'pointer') return NONE;
  const target = strip(plain.to);
  if (target.kind === 'function' || target.kind === 'void' || (target.kind === 'struct' && target.isIncomplete)) return NONE;
  if (toInteger(pointer) === 0n) return NONE;
  if (target.kind === 'struct') return named(membersOf(names, contentsOf(pointer), target, expression, '->'));
  return named([{ name: `*${primary(expression)}`, kind: 'target', expression: `*${primary(expression)}`, value: () => contentsOf(pointer) }]);
}

function membersOf(names: NameLookup, object: Value, type: StructType, expression: string, access: '.' | '->' = '.'): Child[] {
  const own = access === '->' ? `(*${primary(expression)})` : expression;
  const bases = type.bases.map((base): Child => {
    const name = strip(base.type).qualifiedName ?? '';
    return { name, kind: 'base', expression: `(${name}&)${primary(own)}`, value: () => baseValue(object, base) };
  });
  const members = presentMembers(object, type).filter((member) => !/^_vptr[.$]/.test(member.name ?? '')).map((member): Child => {
    const value = (): Value => memberValue(names, object, type, member);
    // Members of unnamed ones are found in what is around them.
    if (member.name === undefined) return { name: '', kind: 'unnamed', expression: own, value };
    return { name: member.name, kind: member.isStatic ? 'static' : 'member', expression: `${primary(expression)}${access}${member.name}`, value };
  });
  return [...bases, ...members];
}

/** In parentheses if something behind it would belong to a part of it only. */
function primary(expression: string): string {
  return /^[\w$:]+(?:(?:\.|->)\w+|\[\d+\])*$/.test(expression) || /^\([^()]*\)$/.test(expression) ? expression : `(${expression})`;
}

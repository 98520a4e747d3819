/**
 * A value as a tree: its members, its elements, what it points to. Children are made when a view unfolds the value, and
 * of arrays only those that it lists, so an array of a million elements costs nothing before. Each child has a name to
 * show, and where there is one an expression that means it in the same frame: for watching, copying and assigning.
 */
import { strip, type ArrayType, type StructType } from '../../../dwarf/types.js';
import { unlessFailed } from '../expressionError.js';
import type { Expressions } from '../expressions.js';
import { baseValue, memberValue, presentMembers } from '../members.js';
import type { PrintSettings } from '../print/settings.js';
import { contentsOf, referred } from '../references.js';
import { toInteger } from '../scalars.js';
import type { Value } from '../value.js';
import { type Child, type Children, listed } from './child.js';
import { operand } from './operand.js';
import { standardChildren } from './standardChildren.js';

/** Elements of an array that are listed if no number is asked for. */
const PAGE = 1000;

/**
 * Children of a value that `expression` means (if anything does); undefined if it has none. `raw`: as the compiler made
 * it, also of the C++ library.
 */
export function childrenOf(expressions: Expressions, value: Value, expression: string | undefined, settings: Partial<PrintSettings> = {}): Children | undefined {
  return unlessFailed(() => new Unfolding(expressions, settings).of(value, expression), () => undefined);
}

class Unfolding {
  constructor(
    private readonly expressions: Expressions,
    private readonly settings: Partial<PrintSettings>,
  ) {}

  of(whole: Value, expression: string | undefined): Children | undefined {
    const value = referred(whole);
    if (value.isOptimisedOut) return undefined;
    switch (value.plain.kind) {
      case 'struct': return this.structure(value, value.plain, expression, '.');
      case 'array': return elements(value, value.plain, expression);
      case 'pointer': return this.pointed(value, expression);
      default: return undefined;
    }
  }

  /** Of a pointer to a structure its members; of others what they point to. */
  private pointed(pointer: Value, expression: string | undefined): Children | undefined {
    const { plain } = pointer;
    const to = plain.kind === 'pointer' ? strip(plain.to) : plain;
    if (to.kind === 'void' || to.kind === 'function' || to.kind === 'unspecified' || toInteger(pointer) === 0n) return undefined;
    const target = contentsOf(pointer);
    const { address } = target;
    if (address !== undefined && pointer.around.memory(address, 1) === undefined) return undefined;
    const name = `*${expression === undefined ? '' : operand(expression)}`;
    const children = to.kind === 'struct' ? this.structure(target, to, expression, '->')
      : listed(() => [{ name, kind: 'target', expression: expression === undefined ? undefined : name, value: () => target }], { count: 1 });
    return children && { ...children, target: address };
  }

  private structure(value: Value, type: StructType, expression: string | undefined, access: '.' | '->'): Children | undefined {
    const whole = expression === undefined ? undefined : access === '->' ? `(*${operand(expression)})` : operand(expression);
    const known = this.settings.raw === true ? undefined : standardChildren(this.expressions, value, whole, this.settings);
    if (known !== undefined) return known.count === 0 ? undefined : known;
    const { definition } = type;
    if (definition.members.length + definition.bases.length === 0) return undefined;
    return listed(() => this.members(value, definition, expression, access));
  }

  private members(object: Value, type: StructType, expression: string | undefined, access: '.' | '->'): Child[] {
    const whole = access === '->' && expression !== undefined ? `*${operand(expression)}` : expression;
    const bases = type.bases.map((base): Child => {
      const name = strip(base.type).qualifiedName ?? 'base';
      return { name, kind: 'base', expression: whole === undefined ? undefined : `(${name})(${whole})`, value: () => baseValue(object, base) };
    });
    const members = presentMembers(object, type).flatMap((member): Child[] => {
      const { name, isStatic, accessibility } = member;
      const value = (): Value => memberValue(this.expressions.names, object, type, member);
      // Members of unnamed parts are written as if they were members of the whole.
      if (name === undefined) {
        const inner = strip(member.type);
        return inner.kind === 'struct' ? unlessFailed(() => this.members(value(), inner.definition, expression, access), () => []) : [];
      }
      // What the compiler has put there can not be named: `_vptr.Base`.
      const isNameable = expression !== undefined && /^[\w$]+$/.test(name);
      const meaning = isNameable ? `${operand(expression)}${access}${name}` : undefined;
      return [{ name, kind: isStatic ? 'static' : 'member', ...(accessibility === 'public' ? {} : { visibility: accessibility }), expression: meaning, value }];
    });
    return [...bases, ...members];
  }
}

function elements(array: Value, type: ArrayType, expression: string | undefined): Children | undefined {
  const { element, dimension: { lower } } = type;
  const size = strip(element).size;
  const count = type.count ?? 0;
  if (count === 0 || size === 0) return undefined;
  const child = (index: number): Child => {
    const name = `[${index + lower}]`;
    return { name, kind: 'element', expression: expression === undefined ? undefined : `${operand(expression)}${name}`, value: () => array.component(element, index * size) };
  };
  return {
    isIndexed: true,
    count,
    list: (start = 0, wanted = PAGE) => Array.from({ length: Math.max(0, Math.min(wanted, count - start)) }, (_, i) => child(start + i)),
    find: (name) => {
      const number = /^\[(-?\d{1,12})\]$/.exec(name)?.[1];
      const index = number === undefined ? -1 : Number(number) - lower;
      return index >= 0 && index < count ? child(index) : undefined;
    },
  };
}

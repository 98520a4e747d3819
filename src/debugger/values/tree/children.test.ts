import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StructType, Type } from '../../../dwarf/types.js';
import { Expressions } from '../expressions.js';
import { arrayOf, CHAR, functionReturning, INT, LONG, pointerTo, referenceTo, structure, VOID } from '../madeTypes.js';
import { FakeSurroundings } from '../testing/fakeSurroundings.js';
import { Value } from '../value.js';
import type { Children } from './child.js';
import { childrenOf } from './children.js';

const BASE = 0x1000n;
const POINT = structure('struct', 'point', [['x', INT], ['y', INT]]);
const around = new FakeSurroundings().put(BASE, new Uint8Array(4096).map((_, i) => i));
const expressions = new Expressions(around);

function at(type: Type, address = BASE): Value {
  return new Value(around, type, { kind: 'memory', address });
}

function pointer(to: Type, address: bigint): Value {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, address, true);
  return new Value(around, pointerTo(to), { kind: 'computed' }, { bytes });
}

/** `name = address, or what it means`. */
function listing(children: Children | undefined): string[] | undefined {
  return children?.list().map(({ name, expression, value }) => `${name} ${expression ?? '-'} 0x${value().address?.toString(16)}`);
}

describe('children of values', () => {
  it('are members of a structure', () => {
    expect(listing(childrenOf(expressions, at(POINT), 'p'))).toEqual(['x p.x 0x1000', 'y p.y 0x1004']);
  });

  it('are members of what a pointer points to, with where that is', () => {
    const children = childrenOf(expressions, pointer(POINT, 0x1010n), 'p');
    expect(listing(children)).toEqual(['x p->x 0x1010', 'y p->y 0x1014']);
    expect(children?.target).toBe(0x1010n);
  });

  it('are what a pointer to anything else points to', () => {
    expect(listing(childrenOf(expressions, pointer(INT, 0x1010n), 'a + 1'))).toEqual(['*(a + 1) *(a + 1) 0x1010']);
  });

  it.each([
    ['a null pointer', pointer(POINT, 0n)], ['a pointer to nowhere', pointer(POINT, 0x9999_0000n)], ['a pointer to void', pointer(VOID, BASE)],
    ['a pointer to a function', pointer(functionReturning(INT, []), BASE)], ['a number', at(INT)], ['an array of none', at(arrayOf(INT, 0))],
    ['a structure of nothing', at(structure('struct', 'empty', []))], ['a reference to nowhere', new Value(around, referenceTo(POINT), { kind: 'memory', address: 0x9999_0000n })],
  ])('has none: %s', (_what, value) => {
    expect(childrenOf(expressions, value, 'v')).toBeUndefined();
  });

  it('have expressions that bind tightly enough', () => {
    const meanings = (expression: string): (string | undefined)[] | undefined => childrenOf(expressions, at(POINT), expression)?.list().map((child) => child.expression);
    expect(meanings('a.b[2]')).toEqual(['a.b[2].x', 'a.b[2].y']);
    expect(meanings('*a')).toEqual(['(*a).x', '(*a).y']);
    expect(meanings('(*a)')).toEqual(['(*a).x', '(*a).y']);
  });

  it('have none if nothing means the whole', () => {
    expect(listing(childrenOf(expressions, at(POINT), undefined))).toEqual(['x - 0x1000', 'y - 0x1004']);
  });

  it('of unnamed parts are members of the whole; what the compiler put there has no expression', () => {
    const [first] = POINT.members;
    const inner = structure('union', undefined, [['whole', LONG], ['part', CHAR]]);
    const outer = structure('struct', 's', [['_vptr.s', LONG], ['inside', inner], ['tail', INT]]);
    const members = outer.members.map((member) => (member.name === 'inside' ? { ...member, name: undefined } : member.name === 'tail' ? { ...member, accessibility: 'private' as const } : member));
    const type: StructType = { ...outer, members, definition: undefined as unknown as StructType };
    Object.assign(type, { definition: type });
    const children = childrenOf(expressions, at(type), 's');
    expect(first?.accessibility).toBe('public');
    expect(listing(children)).toEqual(['_vptr.s - 0x1000', 'whole s.whole 0x1008', 'part s.part 0x1008', 'tail s.tail 0x1010']);
    expect(children?.list().map(({ visibility }) => visibility)).toEqual([undefined, undefined, undefined, 'private']);
  });

  it('of arrays come in pages, each child where it is', () => {
    const count = 1000;
    fc.assert(fc.property(fc.nat(1200), fc.nat(1200), (start, wanted) => {
      const children = childrenOf(expressions, at(arrayOf(INT, count)), 'a');
      expect(children).toMatchObject({ isIndexed: true, count });
      const listed = children?.list(start, wanted) ?? [];
      expect(listed).toHaveLength(Math.max(0, Math.min(wanted, count - start)));
      for (const [i, { name, value }] of listed.entries()) {
        expect(name).toBe(`[${start + i}]`);
        expect(value().address).toBe(BASE + BigInt(4 * (start + i)));
        expect(children?.find(name)?.value().address).toBe(value().address);
      }
    }), { numRuns: 20 });
  });

  it('of large arrays are not read before they are looked at', () => {
    const children = childrenOf(expressions, at(arrayOf(INT, 1_000_000_000)), 'a');
    expect(children?.count).toBe(1_000_000_000);
    expect(children?.list()).toHaveLength(1000);
    expect(children?.list(999_999_999, 5).map(({ expression }) => expression)).toEqual(['a[999999999]']);
    for (const name of ['[1000000000]', '[-1]', '[1', 'x', '[1e3]']) expect(children?.find(name)).toBeUndefined();
  });
});

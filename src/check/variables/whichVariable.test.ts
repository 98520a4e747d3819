import { describe, expect, it } from 'vitest';
import { DwarfError } from '../../dwarf/dwarfError.js';
import type { Unit } from '../../dwarf/unit.js';
import { type DataThing, DataThings } from './dataThings.js';
import { type Statement, Statements } from './statements.js';
import { type HeldAddresses, whichVariable } from './whichVariable.js';

const INT = 4;
const UNKNOWN = 'UNKNOWN';

/** Rows of int, one behind the other, and what lies there besides. */
function thing(name: string, begin: number, count: number, more: Partial<DataThing> = {}): DataThing {
  const variable = { name, address: begin, size: count * INT, isAggregate: count > 1, elementSize: INT, isRow: count > 1, declared: undefined, isPlain: true };
  return { begin, end: begin + count * INT, name, isAggregate: count > 1, isAmongNameless: false, section: { low: 0, high: 4096 }, variable, isMovable: true, ...more };
}

/** What the last line of a file says, in a unit whose debug information knows all names but one. */
function statement(...lines: string[]): Statement | undefined {
  const unit = { isC: true, offset: 0, name: 'main.c', get full(): Unit { throw new DwarfError('.debug_info', 0, 'cut off'); } } as unknown as Unit;
  return new Statements(() => lines, (name) => name !== UNKNOWN).in(unit, 'main.c', lines.length);
}

const LEFT = thing('left', 100, 4);
const RIGHT = thing('right', 116, 4);
const ALONE = thing('alone', 132, 1);
const BEHIND = thing('behind', 136, 4);
const APART = thing('apart', 200, 8);
const THINGS = new DataThings([LEFT, RIGHT, ALONE, BEHIND, APART, thing('_end', 232, 0, { variable: undefined, isMovable: false })]);

const HELD: HeldAddresses = new Map([['last', [116]], ['other', [200]]]);

function meant(target: number, text: Statement | undefined): string {
  const found = whichVariable(THINGS, target, () => text, HELD);
  return found.kind === 'thing' ? found.thing.name : found.kind;
}

describe('the end of one and the begin of the next', () => {
  it.each([
    ['p != left + 4;', 'left'], ['p < &left[4];', 'left'], ['p = (int *)((char *)left + 16);', 'left'], ['f(right);', 'right'], ['f(left, right);', 'right'], ['right[2] = left[1];', 'right'], ['right[2] = 3 + left[i];', 'right'], ['right[2] = *(left + i);', 'uncertain'], ['f(right[2], &left[i]);', 'uncertain'],
    ['f(left + 4, right);', 'uncertain'], ['f(somewhere);', 'uncertain'], [`f(right, ${UNKNOWN});`, 'uncertain'], [`p != left + 4 + ${UNKNOWN};`, 'uncertain'],
  ])('%s', (text, name) => expect(meant(116, statement(text))).toBe(name));

  it('is either of them where nothing is said, be it that of a number', () => {
    expect(meant(116, undefined)).toBe('uncertain');
    expect(meant(136, undefined)).toBe('uncertain');
  });
  it('is what a macro says', () => {
    expect(meant(116, statement('#define LAST (left + 4)', 'while (p != LAST) p++;'))).toBe('left');
    expect(meant(116, statement('#define LAST (left + 4)', 'f(right, LAST);'))).toBe('uncertain');
    expect(meant(116, statement('#define AT(row, n) row ## n', 'f(AT(ri, ght));'))).toBe('uncertain');
  });
  it('is what a constant holds', () => {
    const found = statement('f(right, last, other);') as Statement;
    expect(meant(116, { ...found, constants: ['other'] })).toBe('right');
    expect(meant(116, { ...found, constants: ['last', 'other'] })).toBe('uncertain');
  });
  it('may be a mark of the linker', () => {
    expect(meant(232, statement('p != apart + 8;'))).toBe('apart');
    expect(meant(232, statement('p < &_end;'))).toBe('_end');
    expect(meant(232, undefined)).toBe('uncertain');
  });
});

describe('an address that only one can have', () => {
  it.each([[200, 'apart'], [212, 'apart'], [140, 'behind'], [152, 'behind']])('%d', (target, name) => {
    expect(meant(target, undefined)).toBe(name);
    expect(meant(target, statement(`f(${UNKNOWN});`))).toBe(name);
  });
});

describe('what is in front of a variable', () => {
  it.each([
    [112, 'p = right - 1;', 'right'], [112, 'p = &right[-1];', 'right'], [112, 'p = &left[3];', 'left'], [112, 'p = left + (right - p);', 'uncertain'], [132, 'p = behind - 1;', 'behind'],
    [132, 'p = &alone;', 'alone'], [132, 'f(&alone, behind);', 'alone'], [196, 'p = apart - 1;', 'apart'],
  ])('%d %s', (target, text, name) => expect(meant(target, statement(text))).toBe(name));

  it('is not certain where nothing is said', () => expect(meant(112, undefined)).toBe('uncertain'));
});

describe('where there are things without names', () => {
  const row = thing('row', 100, 4, { isAmongNameless: true });
  const constants = new DataThings([row]);

  it.each([
    ['puts("text");', 'nameless'], ['p != row + 4;', 'thing'], ['f("text", row + 4);', 'uncertain'], ['f("text", row);', 'nameless'], ['switch (one) {', 'nameless'], ['f();', 'uncertain'], [`f("text", ${UNKNOWN});`, 'uncertain'],
  ])('behind one: %s', (text, kind) => expect(whichVariable(constants, 116, () => statement(text), HELD).kind).toBe(kind));

  it('may be nameless where there is no name', () => expect(whichVariable(constants, 140, () => undefined, HELD).kind).toBe('nameless'));
});

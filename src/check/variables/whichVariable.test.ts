import { describe, expect, it } from 'vitest';
import type { Unit } from '../../dwarf/unit.js';
import { type DataThing, DataThings } from './dataThings.js';
import { type Statement, Statements } from './statements.js';
import { whichVariable } from './whichVariable.js';

const INT = 4;

/** Rows of int, one behind the other, and what lies there besides. */
function thing(name: string, begin: number, count: number, more: Partial<DataThing> = {}): DataThing {
  const variable = { name, address: begin, size: count * INT, isAggregate: count > 1, elementSize: INT, declared: undefined, isPlain: true };
  return { begin, end: begin + count * INT, name, isAggregate: count > 1, isConstant: false, section: { low: 0, high: 4096 }, variable, isMovable: true, ...more };
}

function statement(...lines: string[]): Statement {
  const unit = { lines: { at: () => ({ file: { path: 'main.c' }, line: lines.length }) } } as unknown as Unit;
  return new Statements(() => lines).at(unit, 0) as Statement;
}

const LEFT = thing('left', 100, 4);
const RIGHT = thing('right', 116, 4);
const ALONE = thing('alone', 132, 1);
const BEHIND = thing('behind', 136, 4);
const APART = thing('apart', 200, 4);
const THINGS = new DataThings([LEFT, RIGHT, ALONE, BEHIND, APART, thing('_end', 216, 0, { variable: undefined, isMovable: false })]);

function meant(target: number, text: Statement | undefined, times = 1): string {
  const found = whichVariable(THINGS, target, text, times);
  return found.kind === 'thing' ? found.thing.name : found.kind === 'nameless' ? 'nameless' : `? ${[...new Set(found.among.map(({ name }) => name))].sort().join(' ')}`;
}

describe('the end of one and the begin of the next', () => {
  it.each([
    ['p != left + 4;', 'left'], ['p < &left[4];', 'left'], ['for (int one : left) f(one);', 'left'], ['f(right);', 'right'], ['f(left, right);', 'right'], ['right[2] = left[1];', '? left right'],
    ['f(left + 4, right);', '? left right'], ['f(somewhere);', '? alone behind left right'],
  ])('%s', (text, name) => expect(meant(116, statement(text))).toBe(name));

  it('is the next where nothing else is said and the one before is no array', () => expect(meant(136, undefined)).toBe('behind'));
  it('is either of them where nothing is said', () => expect(meant(116, undefined)).toBe('? left right'));
  it('is what a macro says', () => expect(meant(116, statement('#define LAST (left + 4)', 'while (p != LAST) p++;'))).toBe('left'));
  it('is not certain if it is taken more often than named', () => expect(meant(116, statement('f(right, LAST);'), 2)).toBe('? left right'));
  it('may be a mark of the linker', () => {
    expect(meant(216, statement('p != apart + 4;'))).toBe('apart');
    expect(meant(216, statement('p < &_end;'))).toBe('_end');
    expect(meant(216, undefined)).toBe('? _end apart');
  });
});

describe('what is in front of a variable', () => {
  it.each([
    [112, 'p = right - 1;', 'right'], [112, 'p = &right[-1];', 'right'], [112, 'p = &left[3];', 'left'], [112, 'p = left + (right - p);', '? left right'], [132, 'p = behind - 1;', 'behind'],
    [132, 'p = &alone;', 'alone'], [132, 'f(&alone, behind);', 'alone'], [196, 'p = apart - 1;', 'apart'],
  ])('%d %s', (target, text, name) => expect(meant(target, statement(text))).toBe(name));

  it('is not certain where nothing is said', () => expect(meant(112, undefined)).toBe('? left right'));
});

describe('constants', () => {
  const row = thing('row', 100, 4, { isConstant: true });
  const constants = new DataThings([row]);

  it.each([
    ['puts("text");', 'nameless'], ['p != row + 4;', 'thing'], ['f("text", row + 4);', 'uncertain'], ['f("text", row);', 'nameless'], ['switch (one) {', 'nameless'], ['f();', 'uncertain'],
  ])('behind one: %s', (text, kind) => expect(whichVariable(constants, 116, statement(text), 1).kind).toBe(kind));

  it('may be nameless where there is no name', () => expect(whichVariable(constants, 140, undefined, 1).kind).toBe('nameless'));
});

describe('statements', () => {
  it('go over several lines', () => expect(meant(116, statement('f(left, ', '  left + 4, ', '  3);'))).toBe('left'));
  it('end where others begin', () => expect([...statement('a = right;', 'b = left;').names.keys()]).toEqual(['b', 'left']));
  it('are without comments and texts', () => expect([...statement('a = "b" /* c */ + \'d\'; // e').names.keys()]).toEqual(['a']));
});

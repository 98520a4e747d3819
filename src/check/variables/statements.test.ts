import { describe, expect, it } from 'vitest';
import { DwarfError } from '../../dwarf/dwarfError.js';
import type { Unit } from '../../dwarf/unit.js';
import { type Statement, Statements } from './statements.js';

const FILES: Record<string, string> = {
  '/src/main.c': '#include "own.h"\n#include "missing.h"\nf(row, LAST);\nf(row, FROM_MISSING);\nf(row, ELSEWHERE);\nprintf("%d", NULL == row);',
  '/src/own.h': '#include "sub/more.h"\n#define LAST (row + COUNT)\n#define HEADER(x) ELSEWHERE(x)\ninline f(HEADER(row));',
  '/src/sub/more.h': '#define COUNT 8',
};

/** Debug information of it is of no use, but f and row are functions. */
const UNIT = { isC: true, offset: 0, name: 'main.c', directory: '/src', get full(): Unit { throw new DwarfError('.debug_info', 0, 'cut off'); } } as unknown as Unit;

function statementAt(line: number, path = '/src/main.c', unit = UNIT): Statement | undefined {
  return new Statements((file) => FILES[file]?.split('\n'), (name) => name === 'f' || name === 'row').in(unit, path, line);
}

describe('a statement', () => {
  it('names what its macros name, from other files too', () => {
    const found = statementAt(3);
    expect([...(found?.names ?? [])]).toEqual(['f', 'row', 'LAST', 'COUNT']);
    expect(found).toMatchObject({ isUnderstood: true, hasMacros: true, constants: [] });
    expect(found?.text).toBe('f ( row , LAST ) ; ( row + COUNT ) 8');
  });
  it('is not understood if a name is not known', () => {
    expect(statementAt(4)?.isUnderstood).toBe(false);
    expect(statementAt(4, '/src/own.h')?.isUnderstood).toBe(false);
  });
  it('is not understood in other languages', () => expect(statementAt(3, '/src/main.c', Object.create(UNIT, { isC: { value: false } }) as Unit)?.isUnderstood).toBe(false));
  it('may have names that C has', () => expect(statementAt(6)).toMatchObject({ isUnderstood: true, hasMacros: false }));
  it('is not there if its file is not, or has no such line', () => {
    expect(statementAt(1, '/src/other.c')).toBeUndefined();
    expect(statementAt(1)).toBeUndefined();
    expect(statementAt(99)).toBeUndefined();
  });
});

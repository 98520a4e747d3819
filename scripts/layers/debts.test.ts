import { describe, expect, it } from 'vitest';
import { acceptedDebts, compareDebts, parseDebts, printDebts } from './debts.js';

const TEXT = '# What it is\na.ts 3\nb.ts\nc.ts -> d.ts\n';
const map = (debts: Readonly<Record<string, number>>) => new Map(Object.entries(debts));
const accepted = (now: Readonly<Record<string, number>>, gone: readonly string[] = []) => Object.fromEntries(acceptedDebts(map(now), parseDebts(TEXT), (path) => gone.includes(path)));

describe('debts', () => {
  it('are read and written', () => {
    expect(parseDebts(TEXT)).toEqual(map({ 'a.ts': 3, 'b.ts': 1, 'c.ts -> d.ts': 1 }));
    expect(printDebts(parseDebts(TEXT), TEXT)).toBe(TEXT);
  });

  it('of two sides are the lower ones', () => {
    expect(parseDebts('<<<<<<< a\na.ts 3\n=======\na.ts 2\n>>>>>>> b\n')).toEqual(map({ 'a.ts': 2 }));
  });

  it('that have grown or shrunk are told apart', () => {
    const { grown, shrunk } = compareDebts(map({ 'a.ts': 2, 'e.ts': 1 }), parseDebts('a.ts 3\nb.ts\n'));
    expect(grown.map(({ path }) => path)).toEqual(['e.ts']);
    expect(shrunk.map(({ path }) => path)).toEqual(['a.ts', 'b.ts']);
  });

  it('become only lower', () => {
    expect(accepted({ 'a.ts': 2, 'b.ts': 5, 'e.ts': 1 })).toEqual({ 'a.ts': 2, 'b.ts': 1 });
  });

  it('go with a file that was moved, and no further', () => {
    expect(accepted({ 'new/a.ts': 2, 'b.ts': 1, 'e.ts': 2 }, ['a.ts'])).toEqual({ 'new/a.ts': 2, 'b.ts': 1 });
    expect(accepted({ 'new/c.ts -> d.ts': 1, 'c.ts -> e.ts': 1 }, ['c.ts -> d.ts'])).toEqual({ 'new/c.ts -> d.ts': 1 });
    expect(accepted({ 'new/a.ts': 4 }, ['a.ts'])).toEqual({ 'new/a.ts': 3 });
  });
});

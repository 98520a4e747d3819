/**
 * Table 3 of the paper: structures of 1,000 nodes, 500 operations, and faults of ten kinds in each of them. The fault
 * is among the statements that are named, and there are at most as many as in the paper. Without a fault nothing is
 * named.
 */
import { describe, expect, it } from 'vitest';
import { compiled, marksOf, SOURCES } from './compiled.js';
import { shaped, textOf } from './shaped.js';

const LONG = process.env['CULPRIT_LONG'] === '1';
/** Statements in the paper's table. */
const PAPER = { circular: 6, ordered: 2, doubly: 5, quad: 1, avl: 4, btree: 6, redblack: 10, leftist: 1, bipartite: 2 } as const;
/** What adds a node: the structure holds when it returns. Others that are called in it may leave it broken. */
const ADDING: Readonly<Record<string, string>> = { avl: 'add', btree: 'add', bipartite: 'join' };
const FAULTS = Array.from({ length: 10 }, (_, i) => i + 1);
/** Of each structure every so many, another one in each: the rest takes minutes. */
const EVERY = 10;

describe.each(Object.entries(PAPER))('%s', (name, most) => {
  const source = `table/${name}.c`;
  const specification = textOf(`${SOURCES}table/${name}.shape`);
  const marks = marksOf(textOf(SOURCES + source));
  const offset = Object.keys(PAPER).indexOf(name);

  it('is sound without a fault, whatever is broken for a time', async () => {
    const { report } = await shaped([compiled(source, ['-O0', '-DFAULT=0'])], specification, { points: [{ types: [], point: { kind: 'exit', function: ADDING[name] ?? 'insert' } }] });
    expect(report).toMatchObject({ verdict: 'sound', statements: [], remarks: [] });
    expect(report.nodes).toBeGreaterThanOrEqual(1000);
    expect(report.points).toBeGreaterThan(500);
  }, 120_000);

  it.each(FAULTS.filter((fault) => LONG || (fault + offset) % EVERY === 0))('has fault %i among its statements', async (fault) => {
    const { list, report } = await shaped([compiled(source, ['-O0', `-DFAULT=${fault}`])], specification);
    const wanted = (marks.get(`fault${fault}`) ?? []).map((line) => `${name}.c:${line}`);
    expect(report.verdict).toBe('broken');
    expect(list.filter((line) => wanted.includes(line))).not.toEqual([]);
    expect(list.length, list.join(' ')).toBeLessThanOrEqual(most);
  }, 120_000);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { called, frame, madeFinding, madeLeak, suppressing } from '../testing/madeFindings.js';
import { DistinctFindings, placeKey } from './distinctFindings.js';

const MAIN = [frame('main', 7)];

function places(found: DistinctFindings): [string, number][] {
  return found.all.map(({ finding, again }) => [finding.firing.rule, again]);
}

describe('findings', () => {
  it('are one for a rule and a line, and the rest is counted', () => {
    const found = new DistinctFindings([]);
    expect(found.add(madeFinding('a'), MAIN)).toBe(true);
    expect(found.add(madeFinding('a', { rip: 0x400004, time: 200 }), MAIN)).toBe(false);
    expect(found.add(madeFinding('b'), MAIN)).toBe(true);
    expect(found.add(madeFinding('a'), [frame('main', 8)])).toBe(true);
    expect(places(found)).toEqual([['a', 1], ['b', 0], ['a', 0]]);
    expect(found.all[0]?.finding.moment.time).toBe(100);
  });

  it('of a call are where it is called, whatever line the function begins at', () => {
    const found = new DistinctFindings([]);
    const entry = madeFinding('a', { occurrence: { kind: 'call', callee: 'f', args: [] } });
    expect(found.add(entry, [frame('f', 1), ...MAIN])).toBe(true);
    expect(found.add(entry, [frame('g', 2), ...MAIN])).toBe(false);
    expect(found.add(entry, [frame('f', 1), frame('main', 8)])).toBe(true);
  });

  it('of a free in a library are where the library is called', () => {
    const found = new DistinctFindings([]);
    const free = madeFinding('a', { occurrence: { kind: 'free', pointer: 1n, by: 'free' } });
    expect(found.add(free, [called('free'), ...MAIN])).toBe(true);
    expect(found.add(free, [called('free'), frame('main', 8)])).toBe(true);
  });

  it('at the end of a process are all kept: their places are not known yet', () => {
    const found = new DistinctFindings(suppressing('*'));
    for (const time of [1, 2]) found.addAtEnd(madeLeak('leak', 10, time));
    expect(places(found)).toEqual([['leak', 0], ['leak', 0]]);
    expect(found.suppressed).toBe(0);
  });

  it('of one instruction are looked at a thousand times, and then counted without their stacks', () => {
    const found = new DistinctFindings([]);
    for (let i = 0; i < 1000; i++) {
      expect(found.isDealtWith(madeFinding('a'))).toBe(false);
      found.add(madeFinding('a'), [frame('main', i + 1)]);
    }
    expect(found.isDealtWith(madeFinding('a'))).toBe(true);
    expect(found.isDealtWith(madeFinding('a', { rip: 1 }))).toBe(false);
    expect(found.isDealtWith(madeFinding('b'))).toBe(false);
    expect(found.all.length).toBe(1000);
    expect(found.all.at(-1)?.again).toBe(1);
  });

  it('come to the same number however they are ordered', () => {
    const line = fc.record({ rule: fc.constantFrom('a', 'b'), line: fc.integer({ min: 1, max: 4 }) });
    fc.assert(fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const found = new DistinctFindings(suppressing('a\nsrc:main.c:2'));
      const told = lines.map((one) => found.add(madeFinding(one.rule), [frame('main', one.line)]));
      const reported = lines.filter((one) => !(one.rule === 'a' && one.line === 2));
      expect(found.suppressed).toBe(lines.length - reported.length);
      expect(told.filter(Boolean).length).toBe(new Set(reported.map((one) => JSON.stringify(one))).size);
      expect(found.all.reduce((sum, { again }) => sum + again + 1, 0)).toBe(reported.length);
    }));
  });
});

describe('what is suppressed', () => {
  it('is counted, and takes the place of nothing', () => {
    const found = new DistinctFindings(suppressing('a\nfun:main'));
    expect(found.isDealtWith(madeFinding('a'))).toBe(false);
    for (let i = 0; i < 3; i++) expect(found.add(madeFinding('a'), MAIN)).toBe(false);
    expect(found.add(madeFinding('a'), [frame('other', 7)])).toBe(true);
    expect([found.suppressed, places(found)]).toEqual([3, [['a', 0]]]);
  });

  it('by its rule, or by who allocated the block, needs no stack', () => {
    const found = new DistinctFindings(suppressing('a\n\nb\nalloc:make'));
    expect(found.isDealtWith(madeFinding('a'))).toBe(true);
    expect(found.isDealtWith(madeFinding('b'))).toBe(false);
    expect(found.isDealtWith(madeFinding('b', { allocatedIn: ['make'] }))).toBe(true);
    expect([found.suppressed, found.all]).toEqual([2, []]);
  });
});

describe('a place', () => {
  it('is the line of the user\'s code, with the function that it calls', () => {
    const inner = frame('inner', 3, { isUsers: false });
    expect(placeKey([inner, called('memset'), ...MAIN])).toBe(placeKey([called('memset'), ...MAIN]));
    expect(placeKey([called('memset'), ...MAIN])).not.toBe(placeKey([called('memcpy'), ...MAIN]));
    expect(placeKey([called('memset'), ...MAIN, frame('outer', 9)])).toBe(placeKey([called('memset'), ...MAIN]));
  });

  it('is an address where there are no lines', () => {
    const at = (address: bigint): string => placeKey([frame('main', 0, { address })]);
    expect(at(1n)).not.toBe(at(2n));
    expect(at(1n)).toBe(at(1n));
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { LocationNotFound } from '../../src/debugger/program/location.js';
import { linkMapOrder } from '../../src/debugger/program/linkMap.js';
import { prologueEnd } from '../../src/debugger/program/prologueEnd.js';
import type { ProgramView } from '../../src/debugger/program/programView.js';
import { locationAt, resolveLocation } from '../../src/debugger/program/resolveLocation.js';
import { instructionsAround } from '../../src/debugger/values/disassembly.js';
import { compile, debug } from './debugged.js';

/** Lines of calls.c. */
const [ADD, TWICE, MAIN] = [6, 12, 23];

describe('places in a program', () => {
  let program: ProgramView;
  let source: string;
  beforeAll(async () => {
    const session = await debug(compile('calls.c', ['-O0', '-g']));
    program = session.program() as ProgramView;
    source = resolveLocation('main', { program })[0]?.path ?? '';
  }, 60_000);

  function lines(text: string): string[] {
    return resolveLocation(text, { program }).map(({ functionName, line }) => `${functionName}:${line}`);
  }

  it('are functions, where their frame is set up', () => {
    expect(lines('main')).toEqual([`main:${MAIN}`]);
    expect(lines('twice')).toEqual([`twice:${TWICE}`]);
    expect(lines('calls.c:add')).toEqual([`add:${ADD}`]);
  });

  it('are lines; one without code means the next that has some, and of a function its first behind the prologue', () => {
    expect(lines(`calls.c:${ADD}`)).toEqual([`add:${ADD}`]);
    expect(lines(`${source}:${TWICE}`)).toEqual([`twice:${TWICE}`]);
    expect(lines('"calls.c":10')).toEqual([`twice:${TWICE}`]);
  });

  it('are addresses, whose line and range are those that they lie in', () => {
    const [main] = resolveLocation('main', { program });
    const address = main?.address ?? 0n;
    expect(lines(`*${address}`)).toEqual([`main:${MAIN}`]);
    const range = main?.module?.file.lineRangeAt(Number(address - main.module.bias));
    expect(range).toMatchObject({ line: MAIN, isStatement: true });
    const bias = main?.module?.bias ?? 0n;
    for (let at = BigInt(range?.start ?? 0); at < BigInt(range?.end ?? 0); at++) expect(locationAt(program, at + bias).line).toBe(MAIN);
    expect(locationAt(program, BigInt(range?.end ?? 0) + bias).line).not.toBe(MAIN);
    expect(resolveLocation('', { program, frame: { pc: address } as never })[0]?.line).toBe(MAIN);
  });

  it.each([
    ['no_such', 'Function "no_such" not defined.'], ['calls.c:999', 'No line 999 in file "calls.c".'], ['other.c:3', 'No source file named other.c.'], ['calls.c:main2', 'Function "main2" not defined in "calls.c".'],
  ])('that are not there are said to be so: %s', (text, message) => {
    expect(() => resolveLocation(text, { program })).toThrow(new LocationNotFound(message));
  });

  it('begin after the prologue, as breakpoints do', () => {
    const entry = program.symbols.named('twice')[0]?.address ?? 0n;
    expect(prologueEnd(program, entry)).toBe(resolveLocation('twice', { program })[0]?.address);
  });

  it('are in modules that the dynamic linker has in its order, the program first', () => {
    const order = linkMapOrder(program);
    expect(order[0]).toBe(program.modules.main);
    const names = order.map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
    expect(names.slice(-2)).toEqual([expect.stringMatching(/^libc/), expect.stringMatching(/^ld-linux/)]);
    expect(new Set(order).size).toBe(order.length);
  });

  it('have instructions before and after, which are the same from wherever one looks', () => {
    const [start, end] = [program.symbols.named('twice')[0]?.address ?? 0n, program.symbols.named('fact')[0]?.address ?? 0n];
    const forward = instructionsAround(program, { address: start, first: 0, count: 60 }, 'att').filter(({ address }) => address < end);
    expect(forward.length).toBeGreaterThan(8);
    expect(forward.some(({ text }) => /^call .*<add>$/.test(text))).toBe(true);
    const back = instructionsAround(program, { address: end, first: -forward.length, count: forward.length }, 'att');
    expect(back).toEqual(forward);
    for (const [i, { address }] of forward.entries()) {
      expect(instructionsAround(program, { address, first: -i, count: forward.length }, 'att')).toEqual(forward);
    }
  });

  it('have nothing where there is no memory', () => {
    const nothing = instructionsAround(program, { address: 2n, first: -5, count: 8 }, 'att');
    expect(nothing).toHaveLength(8);
    expect(nothing.every(({ bytes, text }) => bytes === undefined && text === '(no memory)')).toBe(true);
  });
});

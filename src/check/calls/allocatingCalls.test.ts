import { describe, expect, it } from 'vitest';
import { AllocatingCalls } from './allocatingCalls.js';
import type { OpenCall } from './openCalls.js';

const MAIN = 7;

function call(callee: string, began: number, blocksBefore = 0, tid = MAIN): OpenCall {
  return { callees: [callee], slot: 0x7000, returnsTo: 0x100, tid, began, blocksBefore };
}

function made(functions: readonly string[], ...calls: readonly (readonly [call: OpenCall, ended: number, blocks?: number])[]): AllocatingCalls {
  const allocating = new AllocatingCalls(new Set(functions));
  for (const [one, ended, blocks = one.blocksBefore + 1] of calls) allocating.returned(one, ended, blocks);
  return allocating;
}

describe('a block was allocated by a call', () => {
  it('that had begun and had not returned', () => {
    const allocating = made(['make'], [call('make', 10), 20], [call('make', 30), 40], [call('make', 50), 60]);
    const at = (time: number): string[] => allocating.namesAt({ time, tid: MAIN }, []);
    expect([5, 10, 15, 20, 25, 30, 40, 45, 55, 65].filter((time) => at(time).length > 0)).toEqual([10, 15, 20, 30, 40, 55]);
  });

  it('that has not returned yet', () => {
    const allocating = made(['make']);
    expect(allocating.namesAt({ time: 12, tid: MAIN }, [call('make', 10)])).toEqual(['make']);
    expect(allocating.namesAt({ time: 8, tid: MAIN }, [call('make', 10)])).toEqual([]);
    expect(allocating.namesAt({ time: 12, tid: MAIN }, [call('other', 10), call('make', 10, 0, MAIN + 1)])).toEqual([]);
  });

  it('of the same thread', () => {
    const allocating = made(['make'], [call('make', 10), 20]);
    expect(allocating.namesAt({ time: 15, tid: MAIN + 1 }, [])).toEqual([]);
  });

  it('of several, one in the other', () => {
    const allocating = made(['make', 'outer'], [call('make', 12), 14], [call('make', 15), 17], [call('make', 11), 18], [call('outer', 10), 20]);
    const at = (time: number): string[] => allocating.namesAt({ time, tid: MAIN }, []);
    expect([10, 11, 13, 14.5, 16, 18, 19].map((time) => at(time).join())).toEqual(['outer', 'make,outer', 'make,outer', 'make,outer', 'make,outer', 'make,outer', 'outer']);
  });

  it('that did allocate, of a function that a suppression names', () => {
    const allocating = made(['make'], [call('make', 10, 3), 20, 3], [call('other', 10), 20]);
    expect(allocating.namesAt({ time: 15, tid: MAIN }, [])).toEqual([]);
  });

  it('before the process was forked', () => {
    const parent = made(['make'], [call('make', 10), 20]);
    const child = new AllocatingCalls(new Set(['make']), parent);
    parent.returned(call('make', 30), 40, 1);
    expect([15, 35].map((time) => child.namesAt({ time, tid: MAIN }, []).join())).toEqual(['make', '']);
  });
});

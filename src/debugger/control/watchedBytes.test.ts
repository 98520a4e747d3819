import { describe, expect, it } from 'vitest';
import { guestAddr } from '../../base/types.js';
import { at } from '../../replay/log/position.js';
import { type Hit, memoryRange } from '../../replay/timeline/conditions.js';
import { behind } from './standing.js';
import { scriptedExecution } from './testing/scriptedExecution.js';
import { around, isSameBytes, watchedBytes } from './watchedBytes.js';

const RANGES = [memoryRange(guestAddr(1), 2)];
const SCRIPT = { endTime: 10, happenings: [], since: [{ position: at(0), memory: [1, 2, 3] }, { position: at(6, 0), memory: [1, 2, 9] }] };

function hit(time: number, done: number, by: 'program' | 'kernel' | undefined): Hit {
  const access = by === undefined ? {} : { access: { address: guestAddr(1), bytes: 1, write: true, by } };
  const kind = by === undefined ? 'syscall' : 'memory';
  return { kind, position: at(time, done), conditions: [0], task: 1, rip: guestAddr(0), ...access };
}

describe('watched bytes', () => {
  it('are seen before and after an access, which the run ends behind', async () => {
    for (const [direction, end] of [['forward', at(6, 0)], ['backward', at(5)]] as const) {
      const execution = scriptedExecution(SCRIPT, at(5));
      const seen = await around({ execution, direction, standing: 'behind instructions' }, hit(5, Infinity, 'program'), (state) => watchedBytes(state, 1, RANGES));
      expect(seen).toEqual([[Uint8Array.of(2, 3)], [Uint8Array.of(2, 9)]]);
      expect(execution.position).toEqual(end);
    }
  });

  it('are the same if all are; what is not there is the same as itself', () => {
    expect(isSameBytes([Uint8Array.of(1, 2)], [Uint8Array.of(1, 2)])).toBe(true);
    expect(isSameBytes([Uint8Array.of(1, 2)], [Uint8Array.of(1, 3)])).toBe(false);
    expect(isSameBytes([Uint8Array.of(1)], [null])).toBe(false);
    expect(isSameBytes([null], [null])).toBe(true);
    expect(isSameBytes([], [null])).toBe(false);
  });
});

describe('where one stands behind a hit', () => {
  it('is behind the instruction, or behind what the kernel does then', () => {
    expect(behind(hit(5, Infinity, 'program'), 'behind instructions')).toEqual(at(6, 0));
    expect(behind(hit(5, Infinity, 'program'), 'behind events')).toEqual(at(6));
    expect(behind(hit(5, Infinity, undefined), 'behind instructions')).toEqual(at(6, 0));
  });

  it('is behind what the kernel writes: in a system call, which is made before, or between instructions', () => {
    expect(behind(hit(5, Infinity, 'kernel'), 'behind instructions')).toEqual(at(6, 1));
    expect(behind(hit(5, 2, 'kernel'), 'behind instructions')).toEqual(at(5, 3));
    expect(behind(hit(5, 2, 'kernel'), 'behind events')).toEqual(at(5, 3));
  });
});

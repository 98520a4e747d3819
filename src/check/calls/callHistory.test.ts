import { describe, expect, it } from 'vitest';
import type { MachineEvent } from '../../rules/evaluate/machine.js';
import { CallHistory } from './callHistory.js';

describe('calls of the past', () => {
  it('are found from the last to the first, if a rule asks about them', () => {
    const history = new CallHistory(new Set(['call f', 'call g']));
    for (const [time, callee] of [[1n, 'f'], [2n, 'g'], [3n, 'h'], [4n, 'f']] as const) history.note({ kind: 'call', callee, args: [time], time });
    const times = (callees: readonly string[]): bigint[] => {
      const seen: MachineEvent[] = [];
      history.find({ kind: 'call', callees }, (event) => seen.push(event) < 0);
      return seen.map(({ time }) => time);
    };
    expect(times(['f'])).toEqual([4n, 1n]);
    expect(times(['g', 'f'])).toEqual([4n, 2n, 1n]);
    expect(times(['h'])).toEqual([]);
    expect(history.find({ kind: 'call', callees: ['f'] }, ({ time }) => time === 4n)).toBe(true);
    expect(history.find({ kind: 'ret', callees: ['f'] }, () => true)).toBe(false);
  });
});

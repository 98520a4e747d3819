import { describe, expect, it } from 'vitest';
import { hitCondition } from '../../dap/hitCondition.js';
import { partsOf } from './logPoints.js';

describe('log points', () => {
  it('have expressions in braces', () => {
    expect(partsOf('i = {i}, a = { (int[2]){1, 2}[i] }!')).toEqual([
      { kind: 'text', text: 'i = ' }, { kind: 'expression', expression: 'i' }, { kind: 'text', text: ', a = ' },
      { kind: 'expression', expression: '(int[2]){1, 2}[i]' }, { kind: 'text', text: '!' },
    ]);
  });

  it('take braces that do not match, or have a backslash, as they are', () => {
    expect(partsOf('{x} \\{y\\} {')).toEqual([{ kind: 'expression', expression: 'x' }, { kind: 'text', text: ' {y} {' }]);
    expect(partsOf('')).toEqual([]);
  });
});

describe('hit conditions', () => {
  const stops = (text: string): number[] => [1, 2, 3, 4, 5, 6].filter(hitCondition(text).stopsAt);

  it.each([
    ['3', [3, 4, 5, 6]], ['>= 3', [3, 4, 5, 6]], ['> 3', [4, 5, 6]], ['==3', [3]], ['= 3', [3]], ['< 3', [1, 2]], ['<=3', [1, 2, 3]], ['% 3', [3, 6]], ['%0', []],
  ])('%s', (text, expected) => {
    expect(stops(text)).toEqual(expected);
  });

  it.each(['x', '', '3 4', '-1', '=> 3'])('refuse %j', (text) => {
    expect(() => hitCondition(text)).toThrow('not a hit condition');
  });
});

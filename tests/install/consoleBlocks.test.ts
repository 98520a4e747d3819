import { describe, expect, it } from 'vitest';
import { examplesOf, firstDifference } from './consoleBlocks.js';

describe('examples of a document', () => {
  it('are commands, what is typed, and output; and files', () => {
    const { blocks, files } = examplesOf('Text\n```console\n$ one\nfirst\n(culprit) typed\nsecond\n$ two\n```\n```ts\n// a.ts\nlet a;\n```\n```\nother\n```\n');
    expect(blocks).toEqual([[{ command: 'one', typed: ['typed'], output: ['first', 'second'] }, { command: 'two', typed: [], output: [] }]]);
    expect([...files]).toEqual([['a.ts', '// a.ts\nlet a;\n']]);
  });

  it('are compared without long numbers and addresses, and lines may be left out where it says so', () => {
    expect(firstDifference(['time 1,234: 0x55551234 of 3'], ['time 98,765: 0x7fff0000 of 3'])).toBeUndefined();
    expect(firstDifference(['a', '...', 'd'], ['a', 'b', 'c', 'd'])).toBeUndefined();
    expect(firstDifference(['...'], ['a'])).toBeUndefined();
    expect(firstDifference([], [])).toBeUndefined();
    for (const printed of [[], ['a'], ['a', 'd', 'e'], ['b', 'a', 'd'], ['time 1', 'd']]) expect(firstDifference(['a', '...', 'd'], printed)).toBeDefined();
    expect(firstDifference(['of 3'], ['of 4'])).toContain('expected "of 3"');
    expect(firstDifference(['a'], ['a', 'b'])).toContain('more than expected');
  });
});

import { describe, expect, it } from 'vitest';
import type { InputResult } from './inputResult.js';
import { readState, resultLine, stateHeader } from './stateLines.js';
import { CLEAN, corrupts, hangs } from './testing/answers.js';

const RESULTS: InputResult[] = [{ hash: 'a', answers: [corrupts(1)] }, { hash: 'b', answers: [CLEAN, hangs()] }, { hash: 'c', answers: [], lost: 'out of memory' }];
const TEXT = stateHeader('s') + RESULTS.map(resultLine).join('');

describe('the state of a triage', () => {
  it('is read as it was written', () => {
    expect(JSON.parse(JSON.stringify([...(readState(TEXT, 's') ?? [])]))).toEqual(JSON.parse(JSON.stringify(RESULTS.map((result) => [result.hash, result]))));
  });

  it('cut off anywhere has the results that were whole, and never others', () => {
    for (let length = 0; length <= TEXT.length; length++) {
      const cut = TEXT.slice(0, length);
      const wholeLines = cut.split('\n').length - 1;
      expect(readState(cut, 's')?.size, `${length}`).toBe(Math.max(0, wholeLines - 1));
    }
  });

  it('counts nothing twice: the first result of an input stays', () => {
    const again = TEXT + resultLine({ hash: 'a', answers: [CLEAN] });
    expect(readState(again, 's')?.get('a')?.answers[0]?.verdict).toBe('corruption');
    expect(readState(again, 's')?.size).toBe(3);
  });

  it('goes on after a line that was cut off, and leaves out what is no result', () => {
    const damaged = `${stateHeader('s')}{"hash":"a","answ\n${resultLine(RESULTS[1] as InputResult)}{"hash":"d","answers":[{"verdict":"guilty"}]}\n[]\nnull\n{"hash":1}\n`;
    expect([...(readState(damaged, 's')?.keys() ?? [])]).toEqual(['b']);
  });

  it('of another command is none', () => {
    expect(readState(TEXT, 't')).toBeUndefined();
    expect(readState('something else\n', 's')).toBeUndefined();
  });
});

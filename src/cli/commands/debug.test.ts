import { describe, expect, it } from 'vitest';
import { parseDebugArguments } from './debug.js';

describe('the command line of culprit debug', () => {
  it('has options before a program, and what follows is the program\'s', () => {
    expect(parseDebugArguments(['-batch', '--ex=bt', './a.out', '-ex', 'x'])).toEqual({
      words: ['./a.out', '-ex', 'x'], options: { actions: [{ command: 'bt' }], batch: true, quiet: false },
    });
    expect(parseDebugArguments(['--', 'bug.culprit'])).toMatchObject({ words: ['bug.culprit'] });
  });

  it('has options before and after a recording', () => {
    expect(parseDebugArguments(['-q', 'bug.culprit', '-batch', '-ex', 'bt', '-x', 'file'])).toEqual({
      words: ['bug.culprit'], options: { actions: [{ command: 'bt' }, { file: 'file' }], batch: true, quiet: true },
    });
    expect(parseDebugArguments(['bug.culprit', 'more']).words).toEqual(['bug.culprit', 'more']);
  });

  it('says what is wrong', () => {
    expect(() => parseDebugArguments([])).toThrow('nothing to debug');
    expect(() => parseDebugArguments(['-zap', 'a.culprit'])).toThrow("unknown option '-zap'");
    expect(() => parseDebugArguments(['a.culprit', '-ex'])).toThrow('-ex needs an argument');
  });
});

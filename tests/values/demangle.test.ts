import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { demangle } from '../../src/debugger/values/demangle/demangle.js';

/** libstdc++ has nearly all of the grammar in its symbols. */
describe('demangle', () => {
  it('writes names of libstdc++ as c++filt does', () => {
    const library = execFileSync('g++', ['-print-file-name=libstdc++.so.6'], { encoding: 'utf8' }).trim();
    const symbols = execFileSync('nm', ['-D', library], { encoding: 'utf8', maxBuffer: 1 << 26 }).split('\n');
    const names = [...new Set(symbols.map((line) => /(_Z[^@]*)/.exec(line)?.[1] ?? '').filter((name) => name !== ''))];
    expect(names.length).toBeGreaterThan(3000);
    const theirs = execFileSync('c++filt', ['-i'], { input: names.join('\n'), encoding: 'utf8', maxBuffer: 1 << 26 }).split('\n');
    expect(names.map((name) => demangle(name))).toEqual(theirs.slice(0, names.length));
  });

  it.each([
    ['_ZN7Derived4lookEi', 'Derived::look(int)'],
    ['_ZTV7Derived', 'vtable for Derived'],
    ['_Z5twiceIiET_S0_', 'twice<int>(int)'],
    ['_Z1fv.constprop.0', 'f() [clone .constprop.0]'],
    ['_ZZ1fvE1x', 'f()::x'],
    ['main', 'main'],
    ['_Znonsense', '_Znonsense'],
    ['_Z', '_Z'],
    ['_ZN', '_ZN'],
    ['_Z1fT_', '_Z1fT_'],
  ])('%s', (name, text) => {
    expect(demangle(name, true)).toBe(text);
  });

  it('gives up on nonsense soon', () => {
    expect(demangle(`_Z1f${'P'.repeat(100_000)}i`)).toContain('_Z1f');
    expect(demangle(`_Z${'N'.repeat(10_000)}`)).toContain('_Z');
  });
});

import { describe, expect, it } from 'vitest';
import { type FolderEntry, inputsIn } from './fuzzerFolder.js';
import { distinctInputs, fuzzersWord } from './triageInput.js';

const SHA1 = '0123456789abcdef0123456789abcdef01234567';
const entries = (...names: string[]): FolderEntry[] => names.map((name) => ({ name: name.replace(/\/$/, ''), isFolder: name.endsWith('/') }));

describe('folders of fuzzers', () => {
  it('of AFL have inputs in three folders, and statistics beside them', () => {
    expect(inputsIn(entries('crashes/', 'hangs/', 'queue/', 'crashes.2024-01-01-10:00:00/', '.synced/', 'fuzzer_stats', 'plot_data', 'fuzz_bitmap'))).toEqual({
      files: [], folders: ['crashes', 'crashes.2024-01-01-10:00:00', 'hangs', 'queue'], leftOut: ['fuzzer_stats', 'plot_data', 'fuzz_bitmap'],
    });
    expect(inputsIn(entries('id:000000,sig:11,src:000000', 'README.txt', '.state/')).files).toEqual(['id:000000,sig:11,src:000000']);
    expect(inputsIn(entries('README.txt')).files).toEqual([]);
    expect(inputsIn(entries('default/', 'second/')).folders).toEqual(['default', 'second']);
  });

  it('of libFuzzer may be the directory that it was started in', () => {
    expect(inputsIn(entries(`crash-${SHA1}`, `timeout-${SHA1}`, `oom-${SHA1}`, SHA1, `minimized-from-${SHA1}`, 'fuzz_target', 'fuzz.c', 'src/'))).toEqual({
      files: [SHA1, `crash-${SHA1}`, `minimized-from-${SHA1}`, `oom-${SHA1}`, `timeout-${SHA1}`], folders: [], leftOut: ['fuzz_target', 'fuzz.c'],
    });
  });

  it('of anybody else are taken as they are, without what is hidden', () => {
    expect(inputsIn(entries('a.png', 'README.txt', '.git/', 'more/'))).toEqual({ files: ['README.txt', 'a.png'], folders: ['more'], leftOut: [] });
  });
});

describe('inputs', () => {
  it('with equal contents are one, under the first name', () => {
    const file = (name: string, hash: string): { name: string; size: number; hash: string } => ({ name, size: 1, hash });
    expect(distinctInputs([file('q/b', 'x'), file('c', 'y'), file('a', 'x'), file('a', 'x')])).toEqual([
      { name: 'a', size: 1, hash: 'x', said: 'input', copies: ['q/b'] }, { name: 'c', size: 1, hash: 'y', said: 'input', copies: [] },
    ]);
  });

  it('are what the fuzzer calls them', () => {
    expect(['out/crashes/id:000001,sig:06,src:1', 'id_000001_sig_11', 'out/hangs/id:0', 'queue/id:000000,orig:x', `crash-${SHA1}`, `timeout-${SHA1}`, `oom-${SHA1}`, `leak-${SHA1}`, 'x/y.png'].map(fuzzersWord)).toEqual([
      'crash', 'crash', 'hang', 'queue', 'crash', 'hang', 'outOfMemory', 'leak', 'input',
    ]);
  });
});

/** The ladder that sources are found by, and how changed ones are noticed. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { PathReport, ReportedFile, Step } from '../../src/paths/model/path.js';
import { codeBase, textOf } from './harness.js';

const fact = (file: ReportedFile): ReadonlyMap<string, ReportedFile> => new Map([[file.name, file]]);
const reportOn = (file: string, ...steps: Step[]): PathReport => ({ message: 'm', paths: [{ role: 'flow', segments: [{ file, steps }] }] });
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('the ladder', () => {
  it.each([
    ['the path itself', '/a/b/c.c', { '/a/b/c.c': 'x' }, 'path', '/a/b/c.c'],
    ['relative to the directory', 'b/c.c', { '/work/b/c.c': 'x', '/reports/b/c.c': 'y' }, 'path', '/work/b/c.c'],
    ['relative to the report', 'b/c.c', { '/reports/b/c.c': 'y' }, 'path', '/reports/b/c.c'],
    ['a root before other ends', '/build/p/b/c.c', { '/root/b/c.c': 'x', '/work/c.c': 'y' }, 'root', '/root/b/c.c'],
    ['the longest end', '/build/p/b/c.c', { '/work/b/c.c': 'x', '/work/c.c': 'y' }, 'suffix', '/work/b/c.c'],
    ['the path of another system', 'C:\\p\\b\\c.c', { '/work/b/c.c': 'x' }, 'suffix', '/work/b/c.c'],
    ['without what leads upward', '../../src/lib/c.c', { '/root/lib/c.c': 'x' }, 'root', '/root/lib/c.c'],
  ])('%s', (_, name, sources, rung, path) => {
    expect(codeBase(sources as unknown as Record<string, string>, { roots: ['/root'] }).find(name)).toMatchObject({ source: { rung, path }, changed: undefined });
  });

  it('what is embedded, if nothing is there', () => {
    const files = fact({ name: 'c.c', text: 'one\r\ntwo' });
    expect(codeBase({}, { files }).find('c.c')).toMatchObject({ source: { rung: 'embedded', lines: ['one', 'two'] } });
  });

  it.each(['', 'a\0b.c', 'https://example.org/a.c', 'nowhere.c'])('finds nothing for %j', (name) => {
    expect(codeBase({ '/work/a.c': 'x' }).find(name)).toBeUndefined();
  });
});

describe('files that changed', () => {
  it('are known by their digest: one that fits is taken', () => {
    const files = fact({ name: 'c.c', hashes: { 'sha-256': sha256('right') } });
    expect(codeBase({ '/work/c.c': 'wrong', '/reports/c.c': 'right' }, { files }).find('c.c')).toMatchObject({ source: { path: '/reports/c.c' }, changed: undefined });
    expect(codeBase({ '/work/c.c': 'wrong' }, { files }).find('c.c')).toMatchObject({ source: { path: '/work/c.c' }, changed: 'its digest is not the one in the report' });
    expect(codeBase({ '/work/c.c': 'wrong' }, { files: fact({ name: 'c.c', hashes: { 'sha-256': sha256('right') }, text: 'right' }) }).find('c.c')).toMatchObject({ source: { rung: 'embedded' }, changed: undefined });
  });

  it('are known by texts of lines that do not fit, as the tool has seen them', () => {
    const sources = { '/work/c.c': 'int a;\nint b;\n' };
    const changed = (step: Step): string[] => textOf(reportOn('c.c', step), codeBase(sources)).lines.filter((line) => line.startsWith('# changed'));
    expect(changed({ line: 2, snippet: ' int  b; ' })).toEqual([]);
    expect(changed({ line: 2, snippet: 'b' })).toEqual([]);
    expect(changed({ line: 2, snippet: 'int c;' })).toEqual(['# changed since the report: line 2 is not what the report shows']);
    expect(changed({ line: 7 })).toEqual(['# changed since the report: it has 2 lines, and the report speaks of line 7']);
  });

  it('steps that are not found are named, each', () => {
    const { lines, tally } = textOf({ message: 'm', paths: [{ role: 'flow', segments: [{ file: 'c.c', steps: [{ line: 1 }, { line: 9, why: 'there' }, { why: 'somewhere' }] }, { file: 'gone.c', function: 'f', steps: [{ line: 3 }] }, { steps: [{ module: 'libc.so' }] }] }] }, codeBase({ '/work/c.c': 'int a;' }));
    expect(lines.slice(2)).toEqual(['c.c:-', '# changed since the report: it has 1 lines, and the report speaks of line 9', '1\tint a;', '# not found: line 9, there: c.c has only 1 lines', '# not found: somewhere: the report names no line', 'gone.c:f', '# not found: line 3: gone.c is not found', '-:-', '# not found: libc.so: the report names no file']);
    expect(tally).toEqual({ shown: 1, missing: 4 });
  });
});

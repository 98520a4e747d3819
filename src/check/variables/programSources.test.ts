import { expect, it } from 'vitest';
import type { DebugFiles } from '../../debugger/program/debugFiles.js';
import { ProgramSources } from './programSources.js';

const WRITTEN: Record<string, number | undefined> = { '/program': 100, '/older.c': 50, '/same.c': 100, '/newer.c': 101 };

function linesOf(path: string, program = '/program', modified: DebugFiles['modified'] = (name) => WRITTEN[name]): readonly string[] | undefined {
  return new ProgramSources({ read: (name) => (name.endsWith('.c') ? Buffer.from('one\ntwo') : undefined), modified }).of(program)(path);
}

it('has sources that are as old as the program', () => {
  expect(linesOf('/older.c')).toEqual(['one', 'two']);
  expect(linesOf('/same.c')).toEqual(['one', 'two']);
});

it('has none that have changed since, or may have', () => {
  expect(linesOf('/newer.c')).toBeUndefined();
  expect(linesOf('/unknown.c')).toBeUndefined();
  expect(linesOf('/older.c', '/unknown')).toBeUndefined();
  expect(linesOf('/older.c', '/program', () => undefined)).toBeUndefined();
});

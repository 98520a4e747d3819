/** `culprit shape check`: a specification in words, without a program that says what its types are. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { culprit } from '../cli/culprit.js';

const folder = mkdtempSync(join(tmpdir(), 'culprit-shape-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('knows fields by their names alone', () => {
  writeFileSync(join(folder, 'list.shape'), 'item X; item Y;\nX.next == Y => Y.prev == X;\n');
  const { status, stdout, stderr } = culprit(['shape', 'check', 'list.shape'], { cwd: folder });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('[c1] For every item X and every item Y: if X.next is Y, then Y.prev is X.\nFor example:\n');
});

it('says what is wrong, where', () => {
  writeFileSync(join(folder, 'wrong.shape'), 'item X;\nX.next == ;\n');
  const { status, stdout, stderr } = culprit(['shape', 'check', 'wrong.shape'], { cwd: folder });
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^(culprit: )?wrong\.shape:2:11: /);
});

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { placeSource } from './placeSource.js';

const folder = mkdtempSync(join(tmpdir(), 'culprit-sources-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('writes a source once: who reads it is not disturbed by others who want it', () => {
  const path = join(folder, 'loops.c');
  placeSource(path, 'int main;\n');
  const { ino, ctimeNs } = statSync(path, { bigint: true });
  placeSource(path, 'int main;\n');
  expect(statSync(path, { bigint: true })).toMatchObject({ ino, ctimeNs });
  expect(readFileSync(path, 'utf8')).toBe('int main;\n');
  expect(readdirSync(folder)).toEqual(['loops.c']);
});

import { describe, expect, it } from 'vitest';
import { parseSource } from './syntax.js';
import { unusedExports } from './unusedExports.js';

function unused(files: Readonly<Record<string, string>>): string[] {
  const sources = Object.entries(files).map(([path, text]) => parseSource(path, text));
  return unusedExports(sources, ['src/index.ts']).map(({ path, name, usedBy }) => `${path} ${name} ${usedBy}`);
}

describe('exports', () => {
  it('that no other file imports are found, whatever they are', () => {
    const text = 'export const a = 1, { b, c: [d] } = e; export function f() {} export class G {} export interface H {} export type I = 1; const j = 1; export { j as k };';
    expect(unused({ 'src/x.ts': text }).map((line) => line.split(' ')[1])).toEqual(['a', 'b', 'd', 'f', 'G', 'H', 'I', 'k']);
  });

  it.each([
    ['imported', "import { a } from './x.js';"],
    ['imported under another name', "import { a as b } from './x.js';"],
    ['imported with everything', "import * as x from './x.js';"],
    ['imported at run time', "const { a } = await import('./x.js');"],
    ['imported as a type', "let b: import('./x.js').a;"],
    ['named by what the build makes of the file', "run('dist/x.js');"],
  ])('are used when they are %s', (_, text) => expect(unused({ 'src/x.ts': 'export const a = 1;', 'src/y.ts': text })).toEqual([]));

  it('of a public entry are used, and what it hands on', () => {
    expect(unused({ 'src/index.ts': "export const a = 1; export { b as c } from './x.js'; export * from './y.js';", 'src/x.ts': 'export const b = 1;', 'src/y.ts': 'export const d = 1;' })).toEqual([]);
  });

  it('that are handed on count where they are used', () => {
    const files = { 'src/x.ts': 'export const a = 1; export const b = 1;', 'src/y.ts': "export { a, b } from './x.js';" };
    expect(unused({ ...files, 'src/z.ts': "import { a } from './y.js';" })).toEqual(['src/x.ts b none']);
  });

  it('that only tests use are found, unless the file uses them, too', () => {
    expect(unused({ 'src/x.ts': 'export const a = 1; export const b = 1; use(b);', 'src/x.test.ts': "import { a, b } from './x.js';" })).toEqual(['src/x.ts a tests']);
  });
});

/** The mechanisms of the bugs in the paper's Table 2: chains lead to the line at fault, in as few steps. */
import { expect, test } from 'vitest';
import { joinChains, stepsOf, treeText } from '../../src/flow/join.js';
import { shownLinks, traced } from './traced.js';

test('a shallow copy that is freed twice: both pointers in one tree', async () => {
  const { at, atEnd, debug } = await traced('doubleFree.c');
  const second = await at('again', 'block');
  // The first free of it: where the address was noted.
  await debug.goToEnd();
  const first = await atEnd('freed[1]');
  const tree = joinChains([second, first]);
  expect(tree.children.map(({ chains }) => chains)).toEqual([[0], [1]]);
  const lines = (links: readonly { readonly text: string | undefined }[]): string[] => links.map(({ text }) => (text ?? '').replace(/\s*\/\/.*$/, '').trim());
  expect(lines(tree.children[0]?.links ?? [])).toEqual(['memFree(attr->php);']);
  expect(lines(tree.children[1]?.links ?? [])).toEqual(['freed[freedCount++] = block;', 'memFree(attr->php);', '*newattrs = *attrs;']);
  expect(lines(tree.links)).toEqual(['av->php = parsePhp();', 'return php;', 'char *php = memAlloc(8);', 'return p;', 'void *p = malloc(size);']);
  expect(stepsOf(tree)).toBeLessThanOrEqual(16);
  const text = treeText(tree, ['the pointer now', 'the pointer then']);
  expect(text[0]).toBe('the pointer now:');
  expect(text).toContain('the pointer now and the pointer then, from here on the same:');
});

test('a null pointer from a directory that cannot be read', async () => {
  const { debug, atEnd } = await traced('noDirectory.c');
  await debug.goToEnd();
  const inLibc = await atEnd('$rdi');
  expect(inLibc.links.map(({ line, functionName }) => `${functionName}:${line}`)).toEqual(['getContents:18', 'getContents:18', 'getContents:15', 'saveDirectory:9']);
  expect(shownLinks(inLibc).at(-1)).toBe('() <- constant | return NULL;');
  expect(inLibc.steps).toBeLessThanOrEqual(4);
});

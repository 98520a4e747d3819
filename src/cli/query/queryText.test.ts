import { expect, it } from 'vitest';
import { completions } from './queryCompletion.js';
import { compileText } from './queryText.js';

it.each([
  ['1 + 1', 2],
  ['{ a: 1 }.a', 1],
  ['await Promise.resolve(3)', 3],
  ['const one = 1; one + 1', 2],
  ['one + 2', 3],
  ["let text = 'a;b'; text.split(';').length", 2],
  ['const { length } = text', undefined],
  ['length', 3],
  ['async function f(n) { return n * 2 }', undefined],
  ['await f(21)', 42],
  ['for (const n of [1, 2]) globalThis.last = n', undefined],
  ['last', 2],
  ['', undefined],
])('%s', async (text, value) => {
  expect(await compileText(text)()).toEqual(value);
});

it('says what is no JavaScript', () => {
  expect(() => compileText('1 +')).toThrow(/^not JavaScript: /);
});

it('completes names, members, and what follows a question', () => {
  Object.assign(globalThis, { completedThing: { apple: 1, apricot: () => 1, pear: 2 } });
  expect(completions('await completedTh').candidates).toEqual(['completedThing']);
  expect(completions('completedThing.ap').candidates).toEqual(['apple', 'apricot(']);
  expect(completions("execution.breakpoints('foo').get").candidates).toEqual(['getAfter(', 'getAt(', 'getBefore(']);
  expect(completions('execution.getAt(3).readV')).toEqual({ candidates: ['readVar('], replaced: 'readV' });
});

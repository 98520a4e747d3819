/** Whatever stands in a rule file, the answer is rules or problems with places, never an exception. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadRules } from './load.js';

const WORDS = ['define', 'exists', 'forall', 'event', 'in', 'suchthat', 'Trace', 'H', 'P', 'S', 'detect', '[a]', '<', '>', ';', ':', ',', '.', '_', '(', ')', '&&', '||', '!', '==', '=', '+', '-', '->', 'deref r', 'free r by f', 'call f(x)', 'use v', 'exit', 'VPC(', 'malloc', 'write', 'call', 'FindLast(', 'Bid(', 'Freed(', 'r', 'r1', 'NULL', '0x10', '7', '"text {r}"', 'message', 'severity', 'error', 'frame(', '?f', '#include "b"', 'functions', '\n', '// c\n', '/* c */'];
const SOUND = `define Allocated(r) = exists event(., malloc, ., bid) in Trace suchthat (bid == Bid(r))
define Freed(r, r1) = exists event(., free, r1, bid) in Trace suchthat (bid == Bid(r))
[double.free] detect <Trace; free r>: Allocated(r) && Freed(r, r1) :VPC(r), VPC(r1) message "{r} and {Size(r)}" severity error
[leak] detect <H; P; exit>: exists bid in H suchthat (!(exists q -> (bid, .) in P)) || Value(Begin(bid), 4) & 1 == 0
`;

function load(text: string): void {
  const { problems } = loadRules(['a.bug'], (path) => (path === 'a.bug' ? text : undefined));
  const lines = text.split('\n');
  for (const { place } of problems) {
    expect(place.line).toBeLessThanOrEqual(lines.length);
    expect(place.column).toBeGreaterThan(0);
    expect(place.column).toBeLessThanOrEqual((lines[place.line - 1]?.length ?? 0) + 1);
  }
}

it('any words', () => {
  fc.assert(fc.property(fc.array(fc.constantFrom(...WORDS), { maxLength: 40 }), (words) => load(words.join(' '))), { numRuns: 500 });
});

it('any characters', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => load(text)), { numRuns: 300 });
});

it('rules with something missing or something more', () => {
  const tokens = SOUND.split(/(?<=\W)|(?=\W)/);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(tokens.length - 1), fc.constantFrom('', ...WORDS)), { minLength: 1, maxLength: 3 }), (changes) => {
      const changed = [...tokens];
      for (const [at, word] of changes) changed[at] = word;
      load(changed.join(''));
    }),
    { numRuns: 700 },
  );
});

it('what is too deep or grows too large', () => {
  const messages = (text: string) => [...new Set(loadRules(['a.bug'], () => text).problems.map(({ message }) => message))];
  expect(messages(`[a] detect <exit>: ${'('.repeat(5000)}`)).toEqual(['this is nested too deeply']);
  expect(messages(`[a] detect <exit>: ${'!'.repeat(5000)}true`)).toEqual(['this is nested too deeply']);
  const doubling = Array.from({ length: 30 }, (_, i) => `define D${i + 1}(r) = D${i}(r) && D${i}(r)`).join('\n');
  expect(messages(`define D0(r) = r == NULL\n${doubling}\n[a] detect <free r>: D30(r)`)).toEqual(['this becomes too large with all definitions in place']);
});

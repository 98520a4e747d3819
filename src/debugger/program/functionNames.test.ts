import { expect, it } from 'vitest';
import { withoutParameters } from './functionNames.js';

it('leaves parameters out of names', () => {
  expect(withoutParameters('A::f(int) const')).toBe('A::f');
  expect(withoutParameters('A::operator()(int, void (*)(int))')).toBe('A::operator()');
  expect(withoutParameters('main::{lambda(int)#1}::operator()(int) const')).toBe('main::{lambda(int)#1}::operator()');
  expect(withoutParameters('std::terminate()')).toBe('std::terminate');
  expect(withoutParameters('plain')).toBe('plain');
});

import { expect, test } from 'vitest';
import { helper, lit, select } from './dsl.js';
import { buildHelpers } from './helperTesting.js';

const { call } = buildHelpers([
  helper('divide', { a: 'i32', b: 'i32' }, ['i32', 'i32'], (f, { a, b }) => f.ret(a.divU(b), a.remU(b))),
  helper('gcd', { a: 'i32', b: 'i32' }, ['i32'], (f, { a, b }) => {
    const quotient = f.local('i32');
    const rest = f.local('i32');
    f.while_(b.ne(0), () => {
      f.callInto([quotient, rest], 'divide', a, b);
      a.set(b);
      b.set(rest);
    });
    f.ret(a);
  }),
  helper('sign', { x: 'i64' }, ['i32'], (f, { x }) => {
    f.if_(x.eqz(), () => f.ret(lit('i32', 0)));
    f.ret(select(x.ltS(0), lit('i32', -1), 1));
  }),
  helper('twice', { x: 'i32' }, ['i32'], (f, { x }) => {
    const before = f.let_(x);
    const now = x.add(0);
    x.set(100);
    // A bound value keeps what it was; an expression is evaluated where it is used.
    f.ret(before.add(now));
  }),
  helper('power', { x: 'f64' }, ['f64'], (f, { x }) => f.ret(f.call('f64', 'square', x).mul(x))),
  helper('square', { x: 'f64' }, ['f64'], (f, { x }) => f.ret(x.mul(x))),
]);

test('several results, loops, variables', () => {
  expect(call['divide']!(17, 5)).toEqual([3, 2]);
  expect(call['gcd']!(84, 36)).toBe(12);
});

test('early return and select', () => {
  expect([-5n, 0n, 7n].map((x) => call['sign']!(x))).toEqual([-1, 0, 1]);
});

test('an expression is a recipe, let_ makes it a value', () => {
  expect(call['twice']!(1)).toBe(101);
});

test('calls in expressions, in any order of definition', () => {
  expect(call['power']!(3)).toBe(27);
});

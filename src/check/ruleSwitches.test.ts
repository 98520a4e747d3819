import { expect, it } from 'vitest';
import { UserError } from '../base/errors.js';
import { parseSwitch, RuleSwitches } from './ruleSwitches.js';

const NAMES = ['heap.null', 'heap.overflow', 'libc.null'];

function switches(...texts: string[]): RuleSwitches {
  return new RuleSwitches(NAMES, new Set(['heap.null']), texts.map(parseSwitch));
}

const on = (rules: RuleSwitches, time: number): string[] => NAMES.filter((name) => rules.isOn(name, time));

it('at times, in any order of questions', () => {
  const rules = switches('2,000=-heap.*', '1000=+all,-libc.*');
  expect(on(rules, 3000)).toEqual([]);
  expect(on(rules, 1000)).toEqual(['heap.null', 'heap.overflow']);
  expect(on(rules, 999)).toEqual(['heap.null']);
});

it('when functions are called', () => {
  const rules = switches('begin=+libc.null', 'end=-libc.null', '50=-heap.null');
  expect([...rules.functions]).toEqual(['begin', 'end']);
  rules.called('begin', 10);
  expect(on(rules, 10)).toEqual(['heap.null', 'libc.null']);
  rules.called('begin', 15);
  rules.called('end', 60);
  expect(on(rules, 9)).toEqual(['heap.null']);
  expect(on(rules, 55)).toEqual(['libc.null']);
  expect(on(rules, 60)).toEqual([]);
});

it.each(['x', '=+a', 'f=', 'f=a', 'f=+a,b', 'f=+a b'])('%j is no switch', (text) => {
  expect(() => parseSwitch(text)).toThrow(UserError);
});

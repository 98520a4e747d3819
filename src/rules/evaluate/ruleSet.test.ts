import { expect, it } from 'vitest';
import { UserError } from '../../base/errors.js';
import { compileRuleFiles } from '../testing/ruleFiles.js';
import { TableMachine } from '../testing/tableMachine.js';
import { RuleSet } from './ruleSet.js';

const TEXT = `define Freed(r, r1) = exists event(., free, r1, bid) in Trace suchthat (bid == Bid(r))
[heap.dangling] detect <Trace; deref r>: Freed(r, .)
[heap.null] detect <deref_r r>: r == NULL
[leak.a] detect <H; exit>: exists bid in H
[every.write] detect <deref_w r, n>: n == 3 default off
[libc.f] detect <call f(x)>: x == NULL
`;

function rules(): RuleSet {
  return new RuleSet(compileRuleFiles(['a.bug'], () => TEXT));
}

function names(set: RuleSet): string {
  return set.enabled().map(({ rule }) => rule.name).join(' ');
}

it.each([
  ['', 'heap.dangling heap.null leak.a libc.f'],
  ['heap.*', 'heap.dangling heap.null'],
  ['-heap.*', 'leak.a libc.f'],
  ['all,-*.a', 'heap.dangling heap.null every.write libc.f'],
  ['+every.write', 'heap.dangling heap.null leak.a every.write libc.f'],
  ['none', ''],
  ['libc.f, heap.null', 'heap.null libc.f'],
])('selects %s', (selection, expected) => {
  const set = rules();
  set.select(selection);
  expect(names(set)).toBe(expected);
});

it('says which rule was meant', () => {
  expect(() => rules().select('heap.nul')).toThrow(new UserError('there is no rule heap.nul; did you mean heap.null?'));
});

it('needs only what is on', () => {
  const set = rules();
  expect(set.needs('read')).toEqual({ always: false, checks: new Set(['freed', 'null']) });
  expect(set.needs('write')).toEqual({ always: false, checks: new Set(['freed']) });
  expect(set.trackers()).toEqual([{ kind: 'calls', functions: ['f'] }, { kind: 'heapBlocks' }]);
  set.switch('every.write', true);
  expect(set.needs('write').always).toBe(true);
  set.select('heap.null');
  expect(set.trackers()).toEqual([]);
  expect(set.isOn('heap.dangling')).toBe(false);
});

it('asks the rules whose checks failed', () => {
  const set = rules();
  const machine = new TableMachine({ blocks: [{ bid: 1n, kind: 'heap', begin: 0x1000n, size: 4n, allocatedAt: 1n, freedAt: 2n }] });
  const fired = (...failed: ('freed' | 'null')[]) => set.fire(machine, { kind: 'read', pointer: 0x1000n, size: 1 }, new Set(failed)).map(({ rule }) => rule);
  expect(fired('freed')).toEqual(['heap.dangling']);
  expect(fired('null')).toEqual([]);
  expect(set.fire(machine, { kind: 'call', callee: 'f', args: [0n] }, new Set()).map(({ rule }) => rule)).toEqual(['libc.f']);
  expect(set.fireAll(machine, { kind: 'exit', status: 0n })).toEqual([]);
});

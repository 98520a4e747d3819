import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.js';
import { checkRules } from './checker.js';
import { loadRules, loadRulesOrThrow } from './load.js';
import { parseRules } from './parser.js';

const FIGURE_9 = `define Allocated(r) = exists event(., malloc, ., bid) in Trace suchthat (bid == Bid(r))
define Freed(r, r1) = exists event(., free, r1, bid) in Trace suchthat (bid == Bid(r))
[double.free] detect <Trace; free r>: Allocated(r) && Freed(r, r1) :VPC(r), VPC(r1)
`;

function check(text: string, functions?: ReadonlyMap<string, readonly string[]>) {
  const { file, problems } = parseRules(text, 'a.bug');
  expect(problems).toEqual([]);
  return checkRules(file.items, functions === undefined ? {} : { functions });
}

/** Checks one condition at `deref r, n` with Figure 9's definitions and says what is wrong. */
function problems(condition: string, states = 'H; F; S; P; G; Trace; '): string[] {
  const { problems: found } = check(`${FIGURE_9}[x] detect <${states}deref r, n>: ${condition}`);
  return found.map(({ message, hint }) => (hint === undefined ? message : `${message} (${hint})`));
}

describe('names and bindings', () => {
  it('inlines definitions; r1 is bound by the event, bid is new in each', () => {
    const { rules } = check(FIGURE_9);
    expect(rules[0]?.variables).toEqual([
      { name: 'r', sort: 'pointer', visible: true },
      { name: 'bid', sort: 'block', visible: false },
      { name: 'r1', sort: 'pointer', visible: true },
      { name: 'bid', sort: 'block', visible: false },
    ]);
    const freed = rules[0]?.condition.kind === 'and' ? rules[0].condition.parts[1] : undefined;
    expect(freed).toMatchObject({ kind: 'event', last: false, pattern: { event: 'free', time: { kind: 'any' }, fields: { pointer: { kind: 'bind', slot: 2 }, bid: { kind: 'bind', slot: 3 } } } });
    expect(rules[0]?.lines).toBe(3);
  });

  it('takes a bound variable as something to compare with, a wildcard as anything', () => {
    const { rules } = check(`${FIGURE_9}[x] detect <Trace; deref r>: Freed(r, r) && !Freed(r, .)`);
    expect(rules[1]?.condition).toMatchObject({ parts: [{ pattern: { fields: { pointer: { kind: 'equal' } } } }, { part: { pattern: { fields: { bid: { kind: 'bind' } } } } }] });
  });

  it.each([
    ['r2 == r', "nothing gives r2 a value here (did you mean r?)"],
    ['Freed(r, other) || other == r', 'nothing gives other a value here (variables get their values from the detection point or from a pattern before: event(…), FindLast(…), r -> (bid, i))'],
    ['(Freed(r, r1) || r == NULL) && r1 == r', "r1 has a value in only one of the alternatives (use it within the alternative that binds it, or bind it on both sides of '||')"],
    ['!Freed(r, freeing) && freeing == r', 'nothing gives freeing a value here (variables get their values from the detection point or from a pattern before: event(…), FindLast(…), r -> (bid, i))'],
    ['Alocated(r)', 'unknown name Alocated (did you mean Allocated?)'],
    ['Freed(r)', 'Freed takes 2 arguments, found 1 (it is defined in a.bug:2)'],
    ['Begin(r, r) == r', 'Begin takes 1 argument, found 2 (Begin: the first byte of the block)'],
    ['Allocated == r', 'Allocated needs arguments (write Allocated(…))'],
    ['exists event(., malloc, ., ., .) in Trace', 'malloc events have 2 fields after their kind, found 3 (event(time, malloc, size, bid))'],
    ['forall bid in H', "'forall' needs 'suchthat' (forall bid in H suchthat (condition))"],
  ])('%s', (condition, message) => {
    expect(problems(condition)).toEqual([message]);
  });

  it.each([
    'Freed(r, r1) && r1 != r',
    '(Freed(r, r1) || FindLast(., write, r1)) && r1 == r',
    'exists bid in H suchthat (FindLast(k, call, ts, .) && Time(bid) > k)',
    'exists event(k, write, a, a) in Trace suchthat (k < Now())',
    'exists bid in H suchthat (!(exists q -> (bid, .) in P))',
    'FindLast(., call, ?f, p) && p == r && f == "main"',
    'Idx(r) + n > Size(r) && r % 8 == 0 && (Value(r, 8) & 1) == 1',
    'Bid(r) & 0x1 == 1',
  ])('accepts %s', (condition) => {
    expect(problems(condition)).toEqual([]);
  });
});

describe('sorts', () => {
  it.each([
    ['r == 0', 'a pointer cannot be compared with a number (the null pointer is written NULL)'],
    ['Bid(r) == r', 'a block id cannot be compared with a pointer (Bid(r) is the block of r)'],
    ['Bid(r) < Bid(r)', 'a block id can only be compared with == and !='],
    ['r + r == r', 'a pointer + a pointer has no meaning (two pointers can be subtracted, not added)'],
    ['Size(n) == 1', 'found a number, expected a pointer or a block id'],
    ['Time(r) == n', 'a time cannot be compared with a number'],
    ['r in H', 'found a pointer, expected a block id (Bid(r) is the block of r)'],
    ['r', 'found a pointer, expected a condition (compare it with something)'],
    ['Size(r)', 'Size(…) is a number, expected a condition (compare it with something)'],
    ['n + 1', 'found a number, expected a condition (compare it with something)'],
    ['(r == NULL) == (r == NULL)', 'found the condition r == NULL where a value is expected (comparisons give true or false and cannot be computed with)'],
  ])('%s', (condition, message) => {
    expect(problems(condition)[0]).toBe(message);
  });
});

describe('rules', () => {
  it('have to name the state they use', () => {
    expect(problems('exists bid in H', '')).toEqual(['x uses H (a.bug:4) but does not name it (write detect <H; deref r, n>)']);
    expect(problems('Allocated(r)', '')).toEqual(['x uses Trace (a.bug:1) but does not name it (write detect <Trace; deref r, n>)']);
  });

  it('are defined once, and so are definitions', () => {
    const found = check('[a] detect <exit>: true\n[a] detect <exit>: true\ndefine Self(r) = Self(r)\ndefine Size(r) = true').problems;
    expect(found.map(({ message }) => message)).toEqual(['Size is built in', 'a is already defined in a.bug:1', 'Self is defined by itself']);
  });

  it('say in messages and chains only what the condition binds', () => {
    const found = check('[a] detect <exit>: true : VPC(q) message "{z}"').problems;
    expect(found.map(({ message }) => message)).toEqual(['nothing gives q a value here', 'nothing gives z a value here']);
    expect(check(`${FIGURE_9}[a] detect <Trace; free r>: r == NULL || Freed(r, r1) : VPC(r1)`).problems).toEqual([]);
  });

  it('have the same variables at all of their points', () => {
    expect(check('[a] detect <deref r | free q>: true').problems.map(({ message }) => message)).toEqual(["detection points joined by '|' must have the same variables: found q, expected r"]);
  });

  it('take the functions that the user names', () => {
    const text = 'functions ts = ts\n[a] detect <Trace; ret ts v>: FindLast(., call, ts, .)';
    const named = (rules: readonly { points: readonly { callees?: readonly string[] }[] }[]) => rules[0]?.points[0]?.callees;
    expect(named(check(text).rules)).toEqual(['ts']);
    const { rules } = check(text, new Map([['ts', ['handle', 'serve']]]));
    expect(named(rules)).toEqual(['handle', 'serve']);
    expect(rules[0]?.condition).toMatchObject({ pattern: { fields: { callee: { kind: 'names', names: ['handle', 'serve'] } } } });
  });
});

describe('files', () => {
  const files: Record<string, string> = {
    'rules/main.bug': '#include "lib/defs.bug"\n#include "lib/defs.bug"\n[a] detect <Trace; free r>: Allocated(r)',
    'rules/lib/defs.bug': '#include "../main.bug"\ndefine Allocated(r) = exists event(., malloc, ., bid) in Trace suchthat (bid == Bid(r))',
    'bad.bug': '#include "none.bug"\n[a] detect <free r>: r = NULL\n',
  };

  it('are included once', () => {
    const { rules, problems: found } = loadRules(['rules/main.bug'], (path) => files[path]);
    expect(found).toEqual([]);
    expect(rules.map(({ name }) => name)).toEqual(['a']);
  });

  it('do not disturb each other: Figure 9 can be used beside a library that defines the same, and replaces its rule', () => {
    const library = `${FIGURE_9}[other] detect <Trace; deref r>: Allocated(r)`;
    const own = `define Allocated(r) = IsHeap(r)\n[double.free] detect <free r>: Allocated(r)`;
    const { rules, problems: found } = loadRules(['library.bug', 'own.bug'], (path) => (path === 'own.bug' ? own : library));
    expect(found).toEqual([]);
    expect(rules.map(({ name, place }) => `${name} ${place.file}`)).toEqual(['double.free own.bug', 'other library.bug']);
  });

  it('are reported as compilers do', () => {
    const load = () => loadRulesOrThrow(['bad.bug'], (path) => files[path]);
    expect(load).toThrow(UserError);
    expect(load).toThrow(`bad.bug:2:24: found '=', expected '=='
   2 | [a] detect <free r>: r = NULL
     |                        ^
      hint: equality is written ==
bad.bug:1:1: cannot read none.bug
   1 | #include "none.bug"
     | ^
      hint: paths of includes begin at the folder of the including file`);
  });
});

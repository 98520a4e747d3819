import { describe, expect, it } from 'vitest';
import type { Expression, RuleItem } from './ast.js';
import { parseRules } from './parser.js';
import { printExpression } from './printer.js';

/** Figure 9, to the letter. */
const FIGURE_9 = `define Allocated(r) = exists event(., malloc, ., bid) in Trace suchthat (bid == Bid(r))
define Freed(r, r1) = exists event(., free, r1, bid) in Trace suchthat (bid == Bid(r))
[double.free] detect <Trace; free r>: Allocated(r) && Freed(r, r1) :VPC(r), VPC(r1)
`;

function parsed(text: string) {
  const { file, problems } = parseRules(text, 'a.bug');
  expect(problems).toEqual([]);
  return file.items;
}

function condition(text: string): Expression {
  return (parsed(`[r] detect <deref r>: ${text}`)[0] as RuleItem).condition;
}

/** The first problem as file:line:column: message. */
function problem(text: string): string {
  const { problems } = parseRules(text, 'a.bug');
  const [first] = problems;
  if (first === undefined) return 'none';
  return `${first.place.line}:${first.place.column}: ${first.message}${first.hint === undefined ? '' : ` (${first.hint})`}`;
}

describe('rule files', () => {
  it('reads Figure 9 verbatim', () => {
    const items = parsed(FIGURE_9);
    expect(items.map((item) => item.kind)).toEqual(['define', 'define', 'rule']);
    const rule = items[2] as RuleItem;
    expect(rule).toMatchObject({ name: 'double.free', states: ['Trace'], points: [{ kind: 'free', variables: [{ name: 'r' }] }] });
    expect(rule.locators.map(({ value }) => printExpression(value))).toEqual(['r', 'r1']);
  });

  it('reads every detection point', () => {
    const points = ['deref_r r', 'deref_w r', 'deref r, n', 'free r by f', 'call memcpy(d, s, n)', 'call "operator delete"(p)', 'call . ', 'ret main v', 'ret _ v', 'use v', 'use branch v', 'exit', 'exit v'];
    for (const point of points) expect(parseRules(`[r] detect <H; Trace; ${point}>: true`, 'a').problems, point).toEqual([]);
    const [rule] = parsed('[copy] detect <call memcpy(d, s, n) | call memmove(d, s, n)>: n > 0');
    expect((rule as RuleItem).points.map((point) => point.callee)).toEqual(['memcpy', 'memmove']);
  });

  it('reads clauses, comments, includes and sets of functions', () => {
    const items = parsed(`# a comment
#include "base.bug"   // another
functions Copies = memcpy, "operator new[]"
/* over
   lines */
[a-b.c2] detect <exit>: true
  message "{{x}} {1 + 2}" " and more" severity warning help "why" default off
`);
    expect(items).toMatchObject([
      { kind: 'include', path: 'base.bug' },
      { kind: 'functions', members: ['memcpy', 'operator new[]'] },
      { kind: 'rule', name: 'a-b.c2', severity: 'warning', help: 'why', enabled: false },
    ]);
    expect((items[2] as RuleItem).message?.parts).toEqual(['{x} ', expect.objectContaining({ kind: 'binary' }), ' and more']);
  });

  it.each([
    ['a || b && c', 'a || b && c'],
    ['(a || b) && c', '(a || b) && c'],
    ['bid & 0x1 == 1', 'bid & 0x1 == 1'],
    ['bid & (0x1 == 1)', 'bid & (0x1 == 1)'],
    ['a - (b - c) - d == 0', 'a - (b - c) - d == 0'],
    ['!Old(_) && Bid(r) in H', '!Old(.) && Bid(r) in H'],
    ['!(exists b in H suchthat x == b || y == b)', '!(exists b in H suchthat (x == b || y == b))'],
    ['FindLast(-, write, r, -1)', 'FindLast(., write, r, -1)'],
    ['exists r1 -> (bid, _) in P', 'exists r1 -> (bid, .) in P'],
    ['FindLast(k, call, ts, _) && k < 3', 'FindLast(k, call, ts, .) && k < 3'],
    ['exists frame(?f, s, _) in S suchthat s == r', 'exists frame(?f, s, .) in S suchthat (s == r)'],
  ])('reads %s', (text, again) => {
    expect(printExpression(condition(text))).toBe(again);
  });

  it('lets suchthat reach as far as it can', () => {
    expect(condition('exists b in H suchthat (b == b) && x == 1')).toMatchObject({ kind: 'quantified', condition: { kind: 'binary', operator: '&&' } });
  });
});

describe('mistakes', () => {
  it.each([
    ['defin A = true', "1:1: found 'defin', expected 'define', 'functions', '#include' or a rule: [name] detect … (did you mean define?)"],
    ['[a] detect <dref r>: true', "1:13: found 'dref', expected a detection point (deref_r, deref_w, deref, free, call, ret, use, exit) (did you mean deref?)"],
    ['[a] detect <deref r> true', "1:22: found 'true', expected ':' (the condition follows a colon)"],
    ['[a] detect <deref r>: r = NULL', "1:25: found '=', expected '==' (equality is written ==)"],
    ['[a] detect <deref r>: r < r < r', "1:29: found '<', expected '&&', '||' or the end of the condition (comparisons do not chain: write a < b && b < c)"],
    ['[a] detect <deref r>:\n  (r == NULL', '2:13: found the end of the file, expected \')\' (a parenthesis is still open)'],
    ['[a] detect <deref r>: r == _', "1:28: found '_', expected a value (a wildcard stands only where something is matched: in event(…), FindLast(…) and arguments of a definition)"],
    ['[a] detect <deref r>: FindLast(_, mallok, r)', "1:35: found 'mallok', expected a kind of event (write, branch, malloc, free, call, ret) (did you mean malloc?)"],
    ['[a] detect <deref r>: r ≠ NULL', '1:25: found "≠", which no rule contains (write !=)'],
    ['[a] detect <deref r>: exists bid in Trace', "1:37: found 'Trace', expected one of H, F, S, G"],
    ['[a] detect <deref r>: true : r', "1:30: found 'r', expected VPC(…) (after the second colon come the chains to follow: VPC(r), VPC(r1))"],
    ['[a] detect <deref r>: true severity bad', "1:37: found 'bad', expected error or warning or note"],
    ['[a] detect <deref r>: true message "x', '1:36: this string has no end (close it with " on the same line)'],
    ['[a] detect <deref r>: true message "{r"', "1:28: this message has '{' without '}' (a brace by itself is written {{)"],
    ['/* x', '1:1: this comment has no end (close it with */)'],
    ['[a] detect <deref r>: true # no', "1:28: found '#' inside a line (comments within a line begin with //)"],
    ['[a] detect <deref NULL>: true', '1:19: NULL is a word of the language (choose another name for the variable)'],
    ['[a] detect <deref r>: H == H', "1:23: found 'H', expected a condition or a value (H is a part of the state: quantify over it (exists … in H) or test it (Bid(r) in H))"],
  ])('%s', (text, message) => {
    expect(problem(text)).toBe(message);
  });

  it('shows all of them', () => {
    const { problems, file } = parseRules('define A(r = true\n[a] detect <oops r>: true\n[b] detect <deref r>: true\ndefine 3 = 4\n', 'a.bug');
    expect(problems.map(({ place }) => place.line)).toEqual([1, 2, 4]);
    expect(file.items).toHaveLength(1);
  });
});

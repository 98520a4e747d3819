import { describe, expect, it } from 'vitest';
import { propagationChain } from './chain.js';
import { initialState, type State } from './state.js';
import { step, type Outcome } from './step.js';
import { integer, printExpression, printProgram, type Expression, type Program, type CalculusValue } from './syntax.js';

const name = (text: string): Expression => ({ kind: 'variable', name: text });
const NULL: Expression = { kind: 'value', value: { kind: 'null' } };
const symbol = (text: string): Expression => ({ kind: 'value', value: { kind: 'symbol', name: text } });
const malloc = (n: number): Expression => ({ kind: 'malloc', operand: integer(n) });
const free = (operand: Expression): Expression => ({ kind: 'free', operand });
const read = (operand: Expression): Expression => ({ kind: 'deref', operand });
const write = (left: Expression, right: Expression): Expression => ({ kind: 'assign', left, right });
const plus = (left: Expression, n: number): Expression => ({ kind: 'addPointer', left, right: integer(n) });
const bind = (bound: string, to: Expression, body: Expression): Expression => ({ kind: 'let', name: bound, bound: to, body });
const salloc = (bound: string, size: number, body: Expression): Expression => ({ kind: 'salloc', name: bound, size, body });
const seq = (...parts: Expression[]): Expression => parts.reduceRight((right, left) => ({ kind: 'sequence', left, right }));
const call = (callee: string, right: Expression): Expression => ({ kind: 'call', left: symbol(callee), right });

function program(main: Expression, more: Partial<Program> = {}): Program {
  return { globals: [], functions: [], main, ...more };
}

/** Runs to the end: the last state, what came of it, and the rules on the way. */
function run(whole: Program): { outcome: Outcome; state: State; rules: string[] } {
  let state = initialState(whole);
  const rules: string[] = [];
  for (;;) {
    const outcome = step(state);
    if (outcome.kind !== 'step') return { outcome, state, rules };
    rules.push(outcome.rule);
    state = outcome.state;
  }
}

function outcome(main: Expression, more: Partial<Program> = {}): string {
  const { outcome: last } = run(program(main, more));
  return last.kind === 'value' ? text(last.value) : last.kind === 'stuck' ? last.reason : last.kind === 'error' ? last.rule : '';
}

function text(value: CalculusValue): string {
  return printExpression({ kind: 'value', value });
}

describe('reductions', () => {
  it('compute', () => {
    expect(outcome(bind('p', malloc(2), seq(write(plus(name('p'), 1), integer(5)), { kind: 'add', left: read(plus(name('p'), 1)), right: integer(2) })))).toBe('7');
    expect(outcome(salloc('x', 1, seq(write(name('x'), integer(3)), read(name('x')))))).toBe('3');
    expect(outcome({ kind: 'if0', guard: NULL, zero: integer(1), other: integer(2) })).toBe('1');
    expect(outcome(read(name('g')), { globals: [{ name: 'g', value: { kind: 'integer', n: 9 } }] })).toBe('9');
    expect(outcome(free(NULL))).toBe('0');
  });

  it('call and return: the argument is a block of the new frame, which is freed with it', () => {
    const functions = [{ name: 'f', parameter: 'x', body: { kind: 'return', from: 'f', operand: { kind: 'add', left: read(name('x')), right: integer(1) } } as const }];
    const { outcome: last, state, rules } = run(program(call('f', integer(4)), { functions }));
    expect(last).toEqual({ kind: 'value', value: { kind: 'integer', n: 5 } });
    expect(rules).toEqual(['CALL', 'LET-SALLOC', 'ASSIGN', 'SEQ', 'READ', 'INT-OP', 'RETURN', 'RETURN']);
    expect([...state.freed.values()].map(({ tag }) => tag)).toEqual(['s']);
    const kinds: string[] = [];
    for (let at = state.trace; at !== undefined; at = at.before) kinds.unshift(at.event.kind);
    expect(kinds).toEqual(['call', 'call', 'write', 'ret', 'ret']);
  });
});

describe('errors', () => {
  it.each([
    ['BUG-DOUBLE-FREE', bind('p', malloc(1), seq(free(name('p')), free(name('p'))))],
    ['BUG-UNMATCHED-FREE', bind('p', malloc(2), free(plus(name('p'), 1)))],
    ['BUG-UNMATCHED-FREE', salloc('x', 1, free(name('x')))],
    ['BUG-UNMATCHED-FREE', bind('p', malloc(2), seq(free(name('p')), free(plus(name('p'), 1))))],
    ['BUG-DANG-PTR-DEREF', bind('p', malloc(1), seq(free(name('p')), read(name('p'))))],
    ['BUG-DANG-PTR-DEREF2', bind('p', malloc(1), seq(free(name('p')), write(name('p'), integer(1))))],
    ['BUG-NULL-PTR-DEREF', read(NULL)],
    ['BUG-NULL-PTR-DEREF2', write(NULL, integer(1))],
    ['BUG-OVERFLOW', bind('p', malloc(1), read(plus(name('p'), 1)))],
    ['BUG-OVERFLOW2', bind('p', malloc(1), write(plus(name('p'), -1), integer(0)))],
    ['BUG-OVERFLOW', bind('p', malloc(0), read(name('p')))],
    ['BUG-UNINITIALIZED', bind('p', malloc(2), seq(write(name('p'), integer(1)), read(plus(name('p'), 1))))],
    ['BUG-UNINITIALIZED', salloc('x', 1, read(name('x')))],
    ['access outside of a local variable', salloc('x', 1, write(plus(name('x'), 1), integer(1)))],
    ['access through something that is no pointer', read(integer(5))],
    ['call of something that is no function', call('nothing', integer(1))],
  ])('%s', (expected, main) => {
    expect(outcome(main)).toBe(expected);
  });

  it('Figure 11: the null pointer that was stored in a heap block', () => {
    const main = salloc('w', 1, salloc('p', 1, seq(write(name('p'), malloc(1)), write(read(name('p')), NULL), write(name('w'), read(read(read(name('p'))))))));
    const { outcome: last, state } = run(program(main));
    expect(last).toEqual({ kind: 'error', rule: 'BUG-NULL-PTR-DEREF' });
    // It was read from *p, where a constant had been written.
    expect(propagationChain(state)).toEqual([{ time: expect.any(Number) as number, place: { bid: 3, index: 0 } }]);
  });
});

it('chains lead from the freeing pointer back over its copies', () => {
  const main = salloc('p', 1, salloc('q', 1, seq(write(name('p'), malloc(1)), write(name('q'), read(name('p'))), free(read(name('p'))), free(read(name('q'))))));
  const { outcome: last, state } = run(program(main));
  expect(last).toEqual({ kind: 'error', rule: 'BUG-DOUBLE-FREE' });
  expect(propagationChain(state).map(({ place }) => place.bid)).toEqual([2, 1]);
});

it('programs are shown as the paper writes them', () => {
  const functions = [{ name: 'f', parameter: 'x', body: { kind: 'return', from: 'f', operand: read(name('x')) } as const }];
  expect(printProgram(program(bind('p', malloc(1), seq(write(name('p'), integer(1)), call('f', name('p')))), { functions, globals: [{ name: 'g', value: { kind: 'null' } }] }))).toBe(
    'var g = NULL in\nfun f(x) = ret f (*x) in\nmain let p = malloc 1 in (p := 1); f p',
  );
});

/**
 * Theorem 3.3 and Lemma 3.2 of the paper on random programs: the detectors are those of the shipped rules, through the
 * same evaluator that is used for real programs.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CalculusMachine, occurrenceOf } from '../../src/rules/testing/calculus/calculusMachine.js';
import { DETECTORS, type ErrorRule } from '../../src/rules/testing/calculus/errors.js';
import { decompose } from '../../src/rules/testing/calculus/redex.js';
import { initialState, isInside, isWellFormed, liveBlock, target, type State } from '../../src/rules/testing/calculus/state.js';
import { step, type Outcome, type Rule } from '../../src/rules/testing/calculus/step.js';
import { printProgram, valueOf, type Program } from '../../src/rules/testing/calculus/syntax.js';
import type { CompiledRule } from '../../src/rules/evaluate/compileRule.js';
import { RuleSet } from '../../src/rules/evaluate/ruleSet.js';
import type { Check } from '../../src/rules/analysis/precondition.js';
import { compileRuleFiles } from '../../src/rules/testing/ruleFiles.js';
import { randomProgram } from './randomPrograms.js';
import { readRuleFile, shippedRules } from './shippedRules.js';

const RUNS = process.env['CULPRIT_LONG'] === '1' ? 40_000 : 400;
const MOST_STEPS = 600;
/** The same programs each time: what is counted below does not depend on chance. */
const SEED = 20130620;

const SAMPLE = fc.sample(randomProgram, { numRuns: 400, seed: SEED });
const FIGURE_2 = [...shippedRules('heap.bug').values()];
const LEAKS = shippedRules('leaks.bug');
const STACK = shippedRules('stack.bug');

/** Runs a program and shows each state with what comes of it. */
function watch(program: Program, visit: (state: State, outcome: Outcome) => void): void {
  let state = initialState(program);
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const outcome = step(state);
    visit(state, outcome);
    if (outcome.kind !== 'step') return;
    state = outcome.state;
  }
}

function firing(rules: Iterable<CompiledRule>, state: State): string[] {
  const occurrence = occurrenceOf(state);
  if (occurrence === undefined) return [];
  const machine = new CalculusMachine(state);
  return [...rules].filter((rule) => rule.evaluate(machine, occurrence) !== undefined).map(({ rule }) => rule.name);
}

/** A pointer into the middle of a freed block is two mistakes at once. */
function expectedAt(state: State, rule: ErrorRule): string[] {
  const redex = decompose(state.expression)!.redex;
  const at = redex.kind === 'free' ? target(state, valueOf(redex.operand)!) : undefined;
  const alsoFreed = rule === 'BUG-UNMATCHED-FREE' && at !== undefined && state.freed.get(at.bid)?.tag === 'h';
  return alsoFreed ? [DETECTORS[rule], 'double.free'] : [DETECTORS[rule]];
}

/** Whether the rules fired as they should; stuck states are none of theirs. */
function isAsExpected(rules: Iterable<CompiledRule>, state: State, outcome: Outcome): boolean {
  if (outcome.kind === 'stuck' || outcome.kind === 'value') return true;
  const expected = outcome.kind === 'error' ? expectedAt(state, outcome.rule) : [];
  return firing(rules, state).join() === expected.join();
}

function forRandomPrograms(visit: (state: State, outcome: Outcome, program: Program) => void): void {
  fc.assert(
    fc.property(randomProgram, (program) => watch(program, (state, outcome) => visit(state, outcome, program))),
    { numRuns: RUNS, seed: SEED },
  );
}

describe('the six rules of Figure 2', () => {
  it('fire exactly where the machine steps to Error, and on no legal step', () => {
    const errors = new Map<ErrorRule, number>();
    const rules = new Map<Rule, number>();
    forRandomPrograms((state, outcome, program) => {
      if (outcome.kind === 'stuck' || outcome.kind === 'value') return;
      const fired = firing(FIGURE_2, state);
      const context = () => `${outcome.rule} at time ${state.time} of\n${printProgram(program)}`;
      if (outcome.kind === 'error') {
        errors.set(outcome.rule, (errors.get(outcome.rule) ?? 0) + 1);
        expect(fired, context()).toEqual(expectedAt(state, outcome.rule));
      } else {
        rules.set(outcome.rule, (rules.get(outcome.rule) ?? 0) + 1);
        if (fired.length > 0) expect(fired, context()).toEqual([]);
      }
    });
    // Nothing of this is worth anything if the programs do not get there.
    const least = Math.min(...(Object.keys(DETECTORS) as ErrorRule[]).map((rule) => errors.get(rule) ?? 0));
    expect(least, JSON.stringify([...errors])).toBeGreaterThan(RUNS / 200);
    expect([...rules.keys()].sort()).toEqual(['ASSIGN', 'CALL', 'FREE', 'FREE-NULL', 'IF-F', 'IF-T', 'INT-OP', 'LET', 'LET-SALLOC', 'MALLOC', 'PTR-ARITH', 'READ', 'RETURN', 'SEQ']);
  });

  it('keep states well formed (Lemma 3.2), and locals caught that the figure has no error for', () => {
    const stuck = new Map<string, number>();
    forRandomPrograms((state, outcome) => {
      if (outcome.kind === 'step' && !isWellFormed(outcome.state)) expect.fail('not well formed');
      if (outcome.kind !== 'stuck') return;
      stuck.set(outcome.reason, (stuck.get(outcome.reason) ?? 0) + 1);
      if (outcome.reason === 'access to a local of a function that has returned') expect(firing(STACK.values(), state)).toEqual(['use.after.return']);
      if (outcome.reason === 'access outside of a local variable') {
        const globals = firing(shippedGlobals, state);
        expect([...firing(STACK.values(), state), ...globals]).toEqual([globals.length > 0 ? 'global.buffer.overflow' : 'stack.buffer.overflow']);
      }
    });
    expect(stuck.get('access to a local of a function that has returned')).toBeGreaterThan(0);
    expect(stuck.get('access outside of a local variable')).toBeGreaterThan(0);
  });

  it('as the figure prints it, the rule for uninitialised reads also fires on legal writes', () => {
    const verbatim = compileRuleFiles(['figure2.bug'], () => '[uninitialized.read] detect <Trace; deref r>: !FindLast(_, write, r, _)');
    let legal = 0;
    forRandomPrograms((state, outcome) => {
      if (outcome.kind === 'error' && outcome.rule === 'BUG-UNINITIALIZED') expect(firing(verbatim, state)).toEqual(['uninitialized.read']);
      if (outcome.kind === 'step' && outcome.rule === 'ASSIGN' && firing(verbatim, state).length > 0) legal++;
    });
    expect(legal).toBeGreaterThan(RUNS);
  });
});

/** A wrong rule has to be noticed, or the theorem above says nothing. */
it.each([
  ['r >= End(r)', 'r > End(r)'],
  ['r < Begin(r) || ', ''],
  [' || r != Begin(r)', ''],
  ['r != NULL && ', ''],
  ['Allocated(r) && !Freed(r, .) && OutOfBounds(r)', 'Allocated(r) && OutOfBounds(r)'],
  ['r - NULL < 4096', 'r - NULL < 0'],
  ['&& !FindLast(., write, r, .)', '&& !FindLast(., malloc, ., .)'],
])('with %s as %s the theorem fails', (right, wrong) => {
  const source = (path: string) => readRuleFile(path)!.replaceAll(right, wrong);
  const rules = compileRuleFiles(['rules/heap.bug'], source);
  let noticed = false;
  for (const program of SAMPLE) {
    watch(program, (state, outcome) => {
      noticed ||= !isAsExpected(rules, state, outcome);
    });
    if (noticed) break;
  }
  expect(noticed).toBe(true);
});

const shippedGlobals = [...shippedRules('globals.bug').values()];

/** The checks that compiled code makes, from H, F and the contents: what the engine knows without any rule. */
function failedChecks(state: State): Set<Check> {
  const redex = decompose(state.expression)!.redex;
  const pointer = redex.kind === 'assign' ? redex.left : redex.kind === 'deref' || redex.kind === 'free' ? redex.operand : undefined;
  const value = pointer && valueOf(pointer);
  const failed = new Set<Check>();
  if (value === undefined) return failed;
  if (value.kind === 'null') return failed.add('null');
  const at = target(state, value);
  if (at === undefined) return failed;
  const freed = state.freed.get(at.bid);
  const block = freed?.block ?? liveBlock(state, at.bid)!;
  if (redex.kind === 'free') {
    if (!state.heap.has(at.bid) && freed?.tag !== 'h') failed.add('notABlock');
    if (at.index !== 0) failed.add('notBlockBegin');
  } else if (!isInside(block, at.index)) failed.add('outOfBounds');
  else if (redex.kind === 'deref' && block.contents[at.index] === undefined) failed.add('uninitialized');
  return freed === undefined ? failed : failed.add('freed');
}

it('asking rules only where their checks fail finds the same, and on legal steps asks none', () => {
  const set = new RuleSet(FIGURE_2);
  set.select('all');
  forRandomPrograms((state, outcome) => {
    const occurrence = occurrenceOf(state);
    if (occurrence === undefined || outcome.kind === 'stuck') return;
    const failed = failedChecks(state);
    const fired = set.fire(new CalculusMachine(state), occurrence, failed).map(({ rule }) => rule);
    expect(fired).toEqual(outcome.kind === 'error' ? expectedAt(state, outcome.rule) : []);
    const { always, checks } = set.needs(occurrence.kind);
    const asked = always || [...failed].some((check) => checks.has(check));
    expect(asked, outcome.kind).toBe(outcome.kind === 'error');
  });
});

describe('the leak rules of Figure 6', () => {
  it('list what the heap holds, and what nothing points to, at the end of main', () => {
    let lost = 0;
    forRandomPrograms((state, outcome) => {
      const redex = decompose(state.expression)?.redex;
      if (outcome.kind !== 'step' || redex?.kind !== 'return' || redex.from !== 'main') return;
      const machine = new CalculusMachine(state);
      const leaked = (name: string) => LEAKS.get(name)!.evaluateAll(machine, { kind: 'exit', status: 0n }).map(({ variables }) => Number(variables.find((one) => one.name === 'bid')!.value));
      expect(leaked('possible.leak')).toEqual([...state.heap.keys()]);
      const all = [...leaked('definite.leak'), ...leaked('indirect.leak')];
      const unreachable = [...state.heap.keys()].filter((bid) => !machine.isReachable(BigInt(bid)));
      expect(all.sort((a, b) => a - b)).toEqual(unreachable);
      lost += all.length;
    });
    expect(lost).toBeGreaterThan(RUNS / 20);
  });
});

it('the trace that rules see ends before the detection point: neither a call nor a return finds itself', () => {
  const source = `
    [called.again] detect <Trace; call . v>: FindLast(k, call, ?f, v) && f == Callee()
    [first.of.its.kind] detect <Trace; call . v>: !(exists event(., call, ?f, .) in Trace suchthat (f == Callee()))
    [returned.again] detect <Trace; ret . v>: exists event(., ret, ?f, v) in Trace suchthat (f == Callee())
    [is.open] detect <Trace; ret . v>: FindLast(k, call, ?f, .) && f == Callee()
    [is.now] detect <Trace; call . v | ret . v>: (exists event(k, call, ., .) in Trace suchthat (k >= Now())) || (exists event(k, ret, ., .) in Trace suchthat (k >= Now()))`;
  const rules = compileRuleFiles(['past.bug'], () => source);
  const counts = new Map<string, number>();
  for (const program of SAMPLE) {
    // What has happened, written down beside the machine's own trace.
    const past = [{ kind: 'call', callee: 'main', value: 0n }];
    watch(program, (state, outcome) => {
      const occurrence = occurrenceOf(state);
      if (outcome.kind !== 'step' || (occurrence?.kind !== 'call' && occurrence?.kind !== 'ret')) return;
      const { kind, callee } = occurrence;
      const value = occurrence.kind === 'call' ? occurrence.args[0]! : occurrence.value;
      const same = past.filter((one) => one.callee === callee);
      const expected = kind === 'call'
        ? [...(same.some((one) => one.kind === 'call' && one.value === value) ? ['called.again'] : []), ...(same.some((one) => one.kind === 'call') ? [] : ['first.of.its.kind'])]
        : [...(same.some((one) => one.kind === 'ret' && one.value === value) ? ['returned.again'] : []), ...(past.findLast((one) => one.kind === 'call')?.callee === callee ? ['is.open'] : [])];
      expect(firing(rules, state), printProgram(program)).toEqual(expected);
      for (const name of expected) counts.set(name, (counts.get(name) ?? 0) + 1);
      past.push({ kind, callee, value });
    });
  }
  for (const name of ['called.again', 'first.of.its.kind', 'returned.again', 'is.open']) expect(counts.get(name), name).toBeGreaterThan(10);
});

/** The calls that a thread's line has: what "step into" can be told to go into. */
import type { Debugger } from './debugger.js';
import { type CodeRange, StepFacts } from './stepFacts.js';
import { locationAt } from '../program/resolveLocation.js';
import { isSameFrame, type VisibleFrame } from '../program/visibleFrame.js';
import { type FlowStep, flowOf } from '../../x86/flow.js';

interface StepTarget {
  readonly label: string;
  /** Where the call returns. */
  readonly returnAddress: bigint;
}

/** In the order of the code. Functions without lines are none: a step never ends in them. */
export function stepTargets(debug: Debugger, thread: number, frame: VisibleFrame): StepTarget[] {
  const program = debug.program(thread);
  if (program === undefined) return [];
  const facts = new StepFacts(program, 0);
  if (!isSameFrame(frame.stackId, facts.stackId)) return [];
  const seen = new Map<string, number>();
  return callsOf(facts).flatMap((call) => {
    const name = nameOf(facts, call);
    if (name === undefined) return [];
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return [{ label: count === 1 ? name : `${name} (call ${count})`, returnAddress: BigInt(call.address + call.length) }];
  });
}

/** Those that are still to come, if the line is no loop. */
function callsOf(facts: StepFacts): FlowStep[] {
  const { view, pc } = facts;
  return lineRanges(facts).flatMap(({ start, end }) => {
    const from = pc > start && pc < end ? pc : start;
    const code = view.memory(from, Number(end - from));
    return code === undefined ? [] : flowOf(code, Number(from)).filter(({ kind }) => kind === 'call' || kind === 'indirectCall');
  });
}

/** The line may have several pieces of its function. */
function lineRanges(facts: StepFacts): CodeRange[] {
  const { line, view, pc } = facts;
  const symbol = view.symbols.at(pc)?.symbol;
  if (line === undefined || symbol === undefined) return line === undefined ? [] : [line];
  const ranges: CodeRange[] = [];
  const end = symbol.address + BigInt(symbol.size);
  for (let row = facts.lineOf(symbol.address); row !== undefined && row.start < end; row = facts.lineOf(row.end)) {
    if (row.line === line.line && row.path === line.path) ranges.push(row);
  }
  return ranges;
}

function nameOf(facts: StepFacts, { target }: FlowStep): string | undefined {
  if (target === undefined) return 'through a pointer';
  const { view } = facts;
  const called = view.linkage.isStub(BigInt(target)) ? view.linkage.targetOf(BigInt(target)) : BigInt(target);
  return called === undefined || facts.lineOf(called) === undefined ? undefined : locationAt(view, called).functionName;
}

/** Conditions, watched expressions and returned values by `values`: the Evaluator that front ends hand to the debugger. */
import type { Scope } from '../../dwarf/scope.js';
import { typeName } from '../../dwarf/typeNames.js';
import type { MemoryRange } from '../../replay/timeline/conditions.js';
import type { ProgramView } from '../program/programView.js';
import type { VisibleFrame } from '../program/visibleFrame.js';
import { resultValue } from '../values/calls.js';
import { Expressions } from '../values/expressions.js';
import { unlessFailed } from '../values/expressionError.js';
import { ValueHistory } from '../values/history.js';
import { isTrue, natureOf, toInteger } from '../values/scalars.js';
import type { CallResult } from '../values/surroundings.js';
import type { Value } from '../values/value.js';
import type { Evaluated, Evaluator } from './evaluator.js';
import { FrameSurroundings } from './frameSurroundings.js';

/** Below the stack pointer, leaf functions may have variables. */
const RED_ZONE = 128;

export class ExpressionEvaluator implements Evaluator {
  constructor(private readonly history: ValueHistory = new ValueHistory()) {}

  evaluate(expression: string, program: ProgramView, frame: VisibleFrame | undefined): Evaluated {
    const around = new FrameSurroundings(program, frame);
    const reads: MemoryRange[] = [];
    around.onRead = (range) => reads.push(range);
    const expressions = new Expressions(around, this.history);
    const value = expressions.evaluate(expression);
    const bytes = value.plain.kind === 'void' ? new Uint8Array(0) : unlessFailed(() => value.bytes, () => undefined);
    around.onRead = undefined;
    const isOnStack = (): boolean => reads.some((range) => isInStack(program, range));
    const isSameWithoutFrame = (): boolean => unlessFailed(() => sameIn(expression, program, value, this.history), () => false);
    return {
      bytes, reads,
      get text() { return expressions.text(value); },
      get isTrue() { return isTrue(value); },
      get number() { return unlessFailed(() => toInteger(value), () => undefined); },
      location: locationOf(value),
      get usesFrame() { return isOnStack() && !isSameWithoutFrame(); },
      get atAddress() { return value.address === undefined ? undefined : `* (${expressions.typeName(value.type)} *) 0x${value.address.toString(16)}`; },
    };
  }

  returned(scope: Scope, program: ProgramView): { readonly text: string; readonly type: string } | undefined {
    const die = scope.function.returnType;
    if (die === undefined) return undefined;
    const type = die.unit.info.types.of(die);
    const around = new FrameSurroundings(program, undefined);
    const expressions = new Expressions(around, this.history);
    return unlessFailed(() => {
      const value = resultValue(around, type, resultIn(program));
      return natureOf(value.plain) === 'void' ? undefined : { text: expressions.text(value), type: typeName(type) };
    }, () => undefined);
  }
}

function resultIn(program: ProgramView): CallResult {
  const register = (name: string): bigint => program.register(name) ?? 0n;
  return { rax: register('rax'), rdx: register('rdx'), xmm0: register('xmm0'), xmm1: register('xmm1'), st0: register('st0'), st1: register('st1') };
}

function locationOf(value: Value): MemoryRange | undefined {
  return value.address === undefined ? undefined : { start: Number(value.address), end: Number(value.address) + value.size };
}

/** Whether the expression is the same lvalue to somebody who stands nowhere. */
function sameIn(expression: string, program: ProgramView, value: Value, history: ValueHistory): boolean {
  const other = new Expressions(new FrameSurroundings(program, undefined), history).evaluate(expression);
  return other.address === value.address;
}

function isInStack(program: ProgramView, { start }: MemoryRange): boolean {
  const pointer = Number(program.register('rsp') ?? 0n);
  const stack = program.state.mappings(program.thread.id).find((m) => pointer >= m.start && pointer < m.end);
  return stack !== undefined && start >= pointer - RED_ZONE && start < stack.end;
}

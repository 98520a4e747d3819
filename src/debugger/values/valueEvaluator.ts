/** Expressions for the control of execution: conditions, what to watch, what functions return. */
import { guestAddr } from '../../base/types.js';
import type { Scope } from '../../dwarf/scope.js';
import { strip } from '../../dwarf/types.js';
import { type MemoryRange, memoryRange } from '../../replay/timeline/conditions.js';
import type { Evaluated, FrameEvaluator } from './frameEvaluator.js';
import { Backtrace } from '../program/backtrace.js';
import type { ProgramView } from '../program/programView.js';
import type { VisibleFrame } from '../program/visibleFrame.js';
import { decayed } from './arithmetic.js';
import { resultValue } from './calls.js';
import { unlessFailed } from './expressionError.js';
import { Expressions } from './expressions.js';
import { ValueHistory } from './history.js';
import { pointerTo } from './madeTypes.js';
import { ProgramSurroundings } from './programSurroundings.js';
import { DEFAULT_SETTINGS, type PrintSettings } from './print/settings.js';
import { isIntegral, isTrue, natureOf, toInteger } from './scalars.js';
import { ScopeLookup } from './scopeLookup.js';
import { registerType } from './registers.js';
import { parseExpression } from './syntax/parser.js';
import type { Value } from './value.js';

export class ValueEvaluator implements FrameEvaluator {
  /** What `returned` told last: for a caller that remembers it in the history. */
  lastReturned: Value | undefined;

  constructor(
    readonly history: ValueHistory = new ValueHistory(),
    private readonly settings: () => PrintSettings | undefined = () => undefined,
  ) {}

  evaluate(expression: string, program: ProgramView, frame: VisibleFrame | undefined): Evaluated {
    const expressions = this.expressions(program, frame);
    const usesFrame = (): boolean => frame !== undefined && mentionsFrame(parseExpression(expression, expressions.names), expressions);
    const { value, reads } = reading(program, () => expressions.evaluate(expression).kept());
    return described(value, expressions, reads, usesFrame);
  }

  returned(scope: Scope, program: ProgramView): { readonly text: string; readonly type: string } | undefined {
    const expressions = this.expressions(program, new Backtrace(program).innermost);
    const info = scope.die.unit.info;
    const type = info.types.of(scope.function.returnType);
    if (natureOf(strip(type)) === 'void') return undefined;
    const value = unlessFailed(() => resultValue(expressions.around, type, {
      rax: program.register('rax') ?? 0n, rdx: program.register('rdx') ?? 0n, xmm0: program.register('xmm0') ?? 0n, xmm1: program.register('xmm1') ?? 0n,
      st0: program.register('st0') ?? 0n, st1: program.register('st1') ?? 0n,
    }), () => undefined);
    if (value === undefined) return undefined;
    this.lastReturned = value.kept();
    return { text: expressions.text(value), type: expressions.typeName(type) };
  }

  private expressions(program: ProgramView, frame: VisibleFrame | undefined): Expressions {
    return new Expressions(new ProgramSurroundings(program, frame), this.history, this.settings() ?? DEFAULT_SETTINGS);
  }
}

/** What is read on the way to a value, in the order of addresses. */
function reading(program: ProgramView, action: () => Value): { readonly value: Value; readonly reads: readonly MemoryRange[] } {
  const reads: MemoryRange[] = [];
  const before = program.onRead;
  program.onRead = (range) => void reads.push(range);
  try {
    return { value: action(), reads };
  } finally {
    program.onRead = before;
  }
}

/**
 * Each part when a caller wants it: conditions of breakpoints are evaluated very often, and only their truth matters.
 */
function described(value: Value, expressions: Expressions, reads: readonly MemoryRange[], usesFrame: () => boolean): Evaluated {
  const { address } = value;
  return {
    get text() { return unlessFailed(() => expressions.text(value), (error) => `<error: ${error.message}>`); },
    get bytes() { return value.isOptimisedOut ? undefined : unlessFailed(() => value.bytes, () => undefined); },
    get isTrue() { return unlessFailed(() => isTrue(value), () => false); },
    get number() { return numberOf(value); },
    location: address === undefined ? undefined : memoryRange(guestAddr(Number(address)), value.size),
    reads,
    get usesFrame() { return usesFrame(); },
    get atAddress() { return address === undefined ? undefined : `* (${expressions.typeName(pointerTo(value.type))}) 0x${address.toString(16)}`; },
  };
}

function numberOf(value: Value): bigint | undefined {
  return unlessFailed(() => {
    const plain = decayed(value);
    return isIntegral(plain.plain) || plain.plain.kind === 'pointer' ? toInteger(plain) : undefined;
  }, () => undefined);
}

/** Whether one of its names is a variable that lives with the frame, or a register. */
function mentionsFrame(tree: unknown, expressions: Expressions): boolean {
  const { frame } = expressions.around;
  const lookup = frame === undefined ? undefined : new ScopeLookup(frame);
  const visit = (node: unknown): boolean => {
    if (typeof node !== 'object' || node === null) return false;
    if (Array.isArray(node)) return node.some(visit);
    const { kind, name } = node as { readonly kind?: unknown; readonly name?: unknown };
    if (kind === 'name' && typeof name === 'string') {
      const variable = lookup?.variable(name);
      return variable !== undefined && !variable.isStatic;
    }
    if (kind === 'dollar' && typeof name === 'string') return registerType(name) !== undefined;
    // Types are no part of what is computed, and may be circles.
    return Object.entries(node).some(([key, part]) => key !== 'type' && visit(part));
  };
  return visit(tree);
}

/** Evaluation contexts of Figure 8: the expression to be reduced next, and what is around it. */
import { assert } from '../../../base/assert.js';
import { valueOf, type Expression } from './syntax.js';

interface Decomposed {
  readonly redex: Expression;
  /** E[·]. */
  readonly plug: (reduced: Expression) => Expression;
}

/** Undefined for a value, which is the end. */
export function decompose(expression: Expression): Decomposed | undefined {
  if (expression.kind === 'value') return undefined;
  const hole = holeOf(expression);
  if (hole === undefined) return { redex: expression, plug: (reduced) => reduced };
  const inner = decompose(hole.expression);
  assert(inner !== undefined, 'a hole holds no value');
  return { redex: inner.redex, plug: (reduced) => hole.put(inner.plug(reduced)) };
}

interface Hole {
  readonly expression: Expression;
  readonly put: (filled: Expression) => Expression;
}

/** The part that has to become a value first; undefined if the expression itself is a redex. */
function holeOf(expression: Expression): Hole | undefined {
  switch (expression.kind) {
    case 'let':
      return valueOf(expression.bound) === undefined ? { expression: expression.bound, put: (bound) => ({ ...expression, bound }) } : undefined;
    case 'if0':
      return valueOf(expression.guard) === undefined ? { expression: expression.guard, put: (guard) => ({ ...expression, guard }) } : undefined;
    case 'return':
    case 'malloc':
    case 'free':
    case 'deref':
      return valueOf(expression.operand) === undefined ? { expression: expression.operand, put: (operand) => ({ ...expression, operand }) } : undefined;
    case 'sequence':
      // v; e is a redex of ours, [SEQ]: the figure evaluates e in its place and has no rule for what comes then.
      return valueOf(expression.left) === undefined ? { expression: expression.left, put: (left) => ({ ...expression, left }) } : undefined;
    case 'call':
    case 'assign':
    case 'addPointer':
    case 'add':
      if (valueOf(expression.left) === undefined) return { expression: expression.left, put: (left) => ({ ...expression, left }) };
      return valueOf(expression.right) === undefined ? { expression: expression.right, put: (right) => ({ ...expression, right }) } : undefined;
    default:
      return undefined;
  }
}

/** Conditions of breakpoints. */
import { UserError } from '../../base/errors.js';
import type { ProgramView } from '../program/programView.js';
import type { VisibleFrame } from '../program/visibleFrame.js';
import type { FrameEvaluator } from '../values/frameEvaluator.js';

/** As gdb: a condition that cannot be evaluated stops, so that the user notices. */
export function holds(condition: string | undefined, evaluator: FrameEvaluator, view: ProgramView, frame: () => VisibleFrame | undefined): boolean {
  if (condition === undefined) return true;
  try {
    return evaluator.evaluate(condition, view, frame()).isTrue;
  } catch (error) {
    if (error instanceof UserError) return true;
    throw error;
  }
}

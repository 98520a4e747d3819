/** Conditions of breakpoints. */
import { UserError } from '../../base/errors.js';
import type { ProgramView } from '../program/programView.js';
import type { VisibleFrame } from '../program/visibleFrame.js';
import type { Evaluator } from './evaluator.js';

/** As gdb: a condition that cannot be evaluated stops, so that the user notices. */
export function holds(condition: string | undefined, evaluator: Evaluator, view: ProgramView, frame: () => VisibleFrame | undefined): boolean {
  if (condition === undefined) return true;
  try {
    return evaluator.evaluate(condition, view, frame()).isTrue;
  } catch (error) {
    if (error instanceof UserError) return true;
    throw error;
  }
}

/**
 * The error rules of Figure 8: which of them applies to a redex. The premise of [BUG-UNMATCHED-FREE] is printed as a
 * conjunction (bid ∉ H ∧ (bid, h) ∉ F ∧ r ≠ Begin(r)); the text says "r does not point to the begin of a legally
 * allocated heap block", and the rule of Figure 2 is a disjunction, so the last `∧` is taken for `∨`. A pointer into
 * the middle of a freed block is then both an unmatched and a double free to Figure 2, and unmatched here.
 */
import { isInside, target, type State } from './state.js';
import type { Expression, CalculusValue } from './syntax.js';
import { valueOf } from './syntax.js';

export type ErrorRule =
  | 'BUG-UNMATCHED-FREE' | 'BUG-DOUBLE-FREE'
  | 'BUG-DANG-PTR-DEREF' | 'BUG-DANG-PTR-DEREF2'
  | 'BUG-NULL-PTR-DEREF' | 'BUG-NULL-PTR-DEREF2'
  | 'BUG-OVERFLOW' | 'BUG-OVERFLOW2'
  | 'BUG-UNINITIALIZED';

/** The shipped rule (rules/heap.bug) that is to detect it. */
export const DETECTORS: Readonly<Record<ErrorRule, string>> = {
  'BUG-UNMATCHED-FREE': 'unmatched.free',
  'BUG-DOUBLE-FREE': 'double.free',
  'BUG-DANG-PTR-DEREF': 'dangling.pointer.deref',
  'BUG-DANG-PTR-DEREF2': 'dangling.pointer.deref',
  'BUG-NULL-PTR-DEREF': 'null.pointer.deref',
  'BUG-NULL-PTR-DEREF2': 'null.pointer.deref',
  'BUG-OVERFLOW': 'heap.buffer.overflow',
  'BUG-OVERFLOW2': 'heap.buffer.overflow',
  'BUG-UNINITIALIZED': 'uninitialized.read',
};

export function errorOf(state: State, redex: Expression): ErrorRule | undefined {
  switch (redex.kind) {
    case 'free':
      return freeError(state, valueOf(redex.operand)!);
    case 'deref':
      return accessError(state, valueOf(redex.operand)!, true);
    case 'assign':
      return accessError(state, valueOf(redex.left)!, false);
    default:
      return undefined;
  }
}

function freeError(state: State, value: CalculusValue): ErrorRule | undefined {
  const at = target(state, value);
  if (at === undefined) return undefined;
  const freed = state.freed.get(at.bid)?.tag === 'h';
  if ((!state.heap.has(at.bid) && !freed) || at.index !== 0) return 'BUG-UNMATCHED-FREE';
  return freed ? 'BUG-DOUBLE-FREE' : undefined;
}

function accessError(state: State, value: CalculusValue, reading: boolean): ErrorRule | undefined {
  if (value.kind === 'null') return reading ? 'BUG-NULL-PTR-DEREF' : 'BUG-NULL-PTR-DEREF2';
  const at = target(state, value);
  if (at === undefined) return undefined;
  if (state.freed.get(at.bid)?.tag === 'h') return reading ? 'BUG-DANG-PTR-DEREF' : 'BUG-DANG-PTR-DEREF2';
  const onHeap = state.heap.get(at.bid);
  if (onHeap !== undefined && !isInside(onHeap, at.index)) return reading ? 'BUG-OVERFLOW' : 'BUG-OVERFLOW2';
  const block = onHeap ?? state.stack.find((frame) => frame.has(at.bid))?.get(at.bid);
  return reading && block !== undefined && isInside(block, at.index) && block.contents[at.index] === undefined ? 'BUG-UNINITIALIZED' : undefined;
}

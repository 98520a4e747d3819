/** What a constraint says where it does not hold, with values of the graph of now. */
import type { NodeId } from '../model.js';
import type { Inconsistency } from './checks.js';
import type { Evaluator } from './evaluator.js';
import { isMissing } from './values.js';

/** The constraint's own message, or its text. */
export function messageOf({ constraint, nodes, index }: Inconsistency, evaluator: Evaluator): string {
  const { message, messageParts, text, universal } = constraint;
  if (message === undefined) return `${text} does not hold`;
  const binding: NodeId[] = nodes.slice(0, universal);
  return messageParts.map((part) => (typeof part === 'string' ? part : shown(evaluator.value(part, binding, index)))).join('');
}

function shown(value: ReturnType<Evaluator['value']>): string {
  return isMissing(value) ? '(nothing)' : String(value);
}

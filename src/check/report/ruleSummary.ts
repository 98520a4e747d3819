/** A rule in one line, for lists and for tools that show what can be found. */
import { printTerm } from '../../rules/analysis/printCore.js';
import type { CheckedRule } from '../../rules/language/core.js';

/** What it says when it fires, with what is filled in then in braces. */
export function messageOf({ message, variables }: CheckedRule): string {
  return message.map((part) => (typeof part === 'string' ? part : `{${printTerm(part, variables)}}`)).join('');
}

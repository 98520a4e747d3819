/**
 * Messages of rules with their values filled in: addresses in hexadecimal, numbers and times as they are, what has no
 * value as `<unknown>`.
 */
import { hex } from '../../base/types.js';
import type { Sort } from '../language/builtins.js';
import type { CheckedRule } from '../language/core.js';
import type { Frame, RuleValue } from './frame.js';
import { compileTerm } from './terms.js';

export function compileMessage(rule: CheckedRule): (frame: Frame) => string {
  const parts = rule.message.map((part): ((frame: Frame) => string) => {
    if (typeof part === 'string') return () => part;
    const code = compileTerm(part);
    return (frame) => formatValue(code(frame), part.sort);
  });
  return (frame) => parts.map((part) => part(frame)).join('');
}

function formatValue(value: RuleValue | undefined, sort: Sort): string {
  if (value === undefined) return '<unknown>';
  if (typeof value === 'string') return value;
  switch (sort) {
    case 'pointer':
      return value === 0n ? 'NULL' : hex(value);
    case 'value':
      // Small values are numbers, large ones addresses: the program's types are not known here.
      return value < 0x10000n ? String(value) : hex(value);
    case 'block':
      return `block ${value}`;
    default:
      return String(value);
  }
}

/**
 * Conditions on how often a breakpoint has been hit, as editors write them: `5` (from the 5th time on), `== 5`, `> 5`,
 * `% 5`.
 */
import { UserError } from '../base/errors.js';

interface HitCondition {
  /** Whether to stop at the n-th time, which is 1 at first. */
  readonly stopsAt: (n: number) => boolean;
}

const PATTERN = /^\s*(>=|>|===?|=|<=|<|%)?\s*(\d{1,15})\s*$/;

export function hitCondition(text: string): HitCondition {
  const match = PATTERN.exec(text);
  if (match === null) throw new UserError(`not a hit condition: "${text.slice(0, 40)}"; write a number, or one after >, >=, ==, <, <= or %`);
  const limit = Number(match[2]);
  switch (match[1]) {
    case '>': return { stopsAt: (n) => n > limit };
    case '<': return { stopsAt: (n) => n < limit };
    case '<=': return { stopsAt: (n) => n <= limit };
    case '=': case '==': case '===': return { stopsAt: (n) => n === limit };
    case '%': return { stopsAt: (n) => limit > 0 && n % limit === 0 };
    default: return { stopsAt: (n) => n >= limit };
  }
}

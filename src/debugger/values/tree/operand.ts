/** Expressions as parts of longer ones. */

/** In parentheses, unless it binds tightly enough by itself for something before or behind it. */
export function operand(expression: string): string {
  return /^[\w$:]+(?:(?:\.|->)\w+|\[-?\d+\])*$/.test(expression) || /^\([^()]*\)$/.test(expression) ? expression : `(${expression})`;
}

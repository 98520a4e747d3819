import { expect } from 'vitest';

/** These lines are there, in this order. */
export function expectLines(text: string, ...expected: readonly (string | RegExp)[]): void {
  let from = 0;
  const lines = text.split('\n');
  for (const wanted of expected) {
    const found = lines.findIndex((line, i) => i >= from && (typeof wanted === 'string' ? line.includes(wanted) : wanted.test(line)));
    if (found < 0) expect.fail(`not there, or not in this order: ${wanted}\n${text}`);
    from = found + 1;
  }
}

/** `1 2 5-7`, as commands about breakpoints and displays take them. */
import { UserError } from '../base/errors.js';

export function numberList(text: string): number[] {
  return text.split(/[\s,]+/).filter((word) => word !== '').flatMap((word) => {
    const range = /^(\d+)-(\d+)$/.exec(word);
    if (range === null) return [oneNumber(word)];
    const [first, last] = [Number(range[1]), Number(range[2])];
    if (last < first) throw new UserError('inverted range');
    return Array.from({ length: Math.min(last - first + 1, 100_000) }, (_, i) => first + i);
  });
}

export function oneNumber(word: string): number {
  if (/^-\d+$/.test(word)) throw new UserError('negative value');
  if (!/^\d+$/.test(word)) throw new UserError(`Bad breakpoint argument: '${word}'`);
  return Number(word);
}

/** How comments and documents are written: lines of at most 120 columns, and words that name an actor. */
import type { Document } from './tree.js';
import type { Source } from './syntax.js';

const MOST_COLUMNS = 120;
const VAGUE = /\b(?:nobody|somebody|whoever)\b/gi;

export interface Prose {
  /** Lines that are too long. */
  readonly wide: readonly number[];
  /** Lines with words that name no actor, one entry per word. */
  readonly vague: readonly number[];
}

export function proseOfSource(source: Source): Prose {
  const lines = source.text.split('\n');
  const wide = new Set<number>();
  const vague: number[] = [];
  for (const { start, end } of source.comments) {
    const first = source.lineAt(start);
    source.text.slice(start, end).split('\n').forEach((part, i) => {
      const number = first + i;
      const column = i === 0 ? start - (source.text.lastIndexOf('\n', start - 1) + 1) : 0;
      if (columns(lines[number - 1]!.slice(0, column) + part) > MOST_COLUMNS) wide.add(number);
      for (const _ of part.matchAll(VAGUE)) vague.push(number);
    });
  }
  return { wide: [...wide], vague };
}

/** Code blocks and tables are as wide as what they show. */
export function proseOfDocument({ text }: Document): Prose {
  const wide: number[] = [];
  const vague: number[] = [];
  let isCode = false;
  text.split('\n').forEach((line, i) => {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    if (isCode || /^ {4}/.test(line)) return;
    if (columns(line) > MOST_COLUMNS && !line.startsWith('|')) wide.push(i + 1);
    for (const _ of line.matchAll(VAGUE)) vague.push(i + 1);
  });
  return { wide, vague };
}

function columns(line: string): number {
  return [...line].length;
}

/**
 * Log points: breakpoints that say something and go on. It is said while the search passes by, so millions of them cost
 * no stops. A search backward passes in pieces and may have passed more than it comes to: what it said is kept until it
 * ends, and put in order.
 */
import { UserError } from '../../base/errors.js';
import type { Passing } from './breakpoints.js';
import type { FrameEvaluator } from '../values/frameEvaluator.js';
import { comparePositions, type Position } from '../../replay/log/position.js';

interface Said {
  readonly position: Position;
  readonly text: string;
}

/** Of one run backward; more is not shown. */
const MOST_KEPT = 100_000;

export class LogPoints {
  private kept: Said[] = [];

  constructor(
    private readonly evaluator: () => FrameEvaluator,
    private readonly say: (text: string) => void,
  ) {}

  /** What a breakpoint does that says `message`: expressions are in braces. */
  of(message: string): (passing: Passing) => void {
    const parts = partsOf(message);
    return (passing) => {
      const text = parts.map((part) => (part.kind === 'text' ? part.text : this.valueOf(part.expression, passing))).join('');
      if (passing.direction === 'forward') this.say(text);
      else if (this.kept.length < MOST_KEPT) this.kept.push({ position: passing.hit.position, text });
    };
  }

  /** A run has ended there. */
  flush(position: Position): void {
    const passed = this.kept.filter((said) => comparePositions(said.position, position) >= 0);
    this.kept = [];
    for (const { text } of passed.sort((a, b) => comparePositions(b.position, a.position))) this.say(text);
  }

  private valueOf(expression: string, { view, frame }: Passing): string {
    try {
      return this.evaluator().evaluate(expression, view, frame).text;
    } catch (error) {
      if (error instanceof UserError) return `<${error.message}>`;
      throw error;
    }
  }
}

type Part = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'expression'; readonly expression: string };

/** `x is {x}`; `\{` is a brace. Braces within an expression have to match. */
export function partsOf(message: string): Part[] {
  const parts: Part[] = [];
  let text = '';
  for (let i = 0; i < message.length; i++) {
    const end = message[i] === '{' ? endOfBraces(message, i) : undefined;
    if (message[i] === '\\' && /[{}\\]/.test(message[i + 1] ?? '')) text += message[++i];
    else if (end === undefined) text += message[i];
    else {
      if (text !== '') parts.push({ kind: 'text', text });
      parts.push({ kind: 'expression', expression: message.slice(i + 1, end).trim() });
      text = '';
      i = end;
    }
  }
  return text === '' ? parts : [...parts, { kind: 'text', text }];
}

function endOfBraces(message: string, start: number): number | undefined {
  let depth = 0;
  for (let i = start; i < message.length; i++) {
    if (message[i] === '{') depth++;
    else if (message[i] === '}' && --depth === 0) return i;
  }
  return undefined;
}

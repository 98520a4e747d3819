/**
 * Mistakes in rule files. They are collected, not thrown one by one: a file with three mistakes shows all three.
 * The text has the shape that editors and users of compilers know: file:line:column, what is wrong, the line, a caret,
 * a hint.
 */
import { UserError } from '../../base/errors.js';

/** Where something stands in a rule file; lines and columns count from 1. */
export interface RulePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface RuleProblem {
  readonly place: RulePlace;
  readonly message: string;
  readonly hint?: string;
}

/** Thrown inside the parser only, to give up on one rule and go on with the next. */
export class RuleSyntaxError extends UserError {
  override name = 'RuleSyntaxError';
  constructor(readonly problem: RuleProblem) {
    super(headline(problem));
  }
}

function headline({ place, message }: RuleProblem): string {
  return `${place.file}:${place.line}:${place.column}: ${message}`;
}

/** With the line itself and a caret where `sourceOf` knows the file's text. */
export function formatProblem(problem: RuleProblem, sourceOf: (file: string) => string | undefined): string {
  const { place, hint } = problem;
  const lines = [headline(problem)];
  const line = sourceOf(place.file)?.split(/\r?\n/)[place.line - 1];
  if (line !== undefined) {
    const number = String(place.line).padStart(4);
    const indent = line.slice(0, place.column - 1).replace(/[^\t]/g, ' ');
    lines.push(`${number} | ${line}`, `${' '.repeat(number.length)} | ${indent}^`);
  }
  if (hint !== undefined) lines.push(`      hint: ${hint}`);
  return lines.join('\n');
}

/** The candidate that was probably meant: the same letters in another case, or at most two of them different. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.min(3, Math.ceil(name.length / 2) + 1);
  for (const candidate of candidates) {
    const distance = candidate.toLowerCase() === name.toLowerCase() ? 0 : editDistance(candidate, name);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, substitution));
    }
    row = next;
  }
  return row[b.length]!;
}

/** A definition that is wrong is wrong at each of its uses, and a file that is included twice is read twice. */
export function uniqueProblems(problems: readonly RuleProblem[]): RuleProblem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

/** Relevant conditions in words, below the listing of a slice, and as JSON. */
import { visible } from '../base/visible.js';
import { statementName } from '../debugger/program/statements.js';
import type { RelevantCondition, RelevantResult } from './relevant.js';

const EFFECTS = { changed: 'then another value', missing: 'then not reached so' } as const;
const plural = (value: number, word: string): string => `${value.toLocaleString('en')} ${word}${value === 1 ? '' : 's'}`;

export function relevantLines({ conditions, tried, refused, untried }: RelevantResult, textOf: (path: string, line: number) => string | undefined): string[] {
  const others = [...(refused === 0 ? [] : [`${plural(refused, 'condition')} could not be altered`]), ...(untried === 0 ? [] : [`${plural(untried, 'decision')} not tried`])];
  const title = `Relevant: ${plural(conditions.length, 'decision')} of ${tried.toLocaleString('en')} that were tried the other way${others.length === 0 ? '' : ` (${others.join(', ')})`}`;
  const names = conditions.map((one) => `${placeOf(one)}#${one.alteration.which}${one.alteration.to === undefined ? '' : ` to ${one.alteration.to}`}`);
  const width = Math.max(0, ...names.map((name) => name.length));
  const rows = conditions.map(({ effect, path, line }, i) => `  ${(names[i] as string).padEnd(width)}  ${EFFECTS[effect].padEnd(EFFECTS.missing.length)}  ${path === undefined ? '' : (textOf(path, line)?.trim() ?? '')}`.trimEnd());
  return ['', title, ...rows].map(visible);
}

export function relevantJson({ conditions, tried, refused, untried }: RelevantResult): unknown {
  const one = ({ path, line, part, alteration, functionName, arrival, effect }: RelevantCondition): unknown => ({ file: path, line, part, instance: alteration.which, to: alteration.to?.toString(), function: functionName, time: arrival.time, effect });
  return { conditions: conditions.map(one), tried, refused, untried };
}

function placeOf({ path, line, part, alteration }: RelevantCondition): string {
  return path === undefined ? alteration.place : statementName({ path, line, part });
}

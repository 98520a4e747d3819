/** Judgements as a table: what was found, by kind and by way of compiling. */
import type { Found, Judgement } from './judge.js';

const COLUMNS = ['first', 'among', 'missed'] as const;

function counted(all: readonly Judgement[], hasEffect: boolean, found: Found): number {
  return all.filter((one) => one.hasEffect === hasEffect && one.found === found).length;
}

function row(name: string, all: readonly Judgement[]): string {
  const cells = [true, false].flatMap((hasEffect) => COLUMNS.map((found) => counted(all, hasEffect, found)));
  return name.padEnd(24) + [all.length, ...cells].map((cell) => String(cell).padStart(8)).join('');
}

export function tally(all: readonly Judgement[]): string {
  const grouped = (by: (one: Judgement) => string): string[] => [...new Set(all.map(by))].sort().map((name) => row(name, all.filter((one) => by(one) === name)));
  return [
    `${' '.repeat(24)}${'with an effect'.padStart(28)}${'without'.padStart(24)}`,
    ' '.repeat(24) + ['all', ...COLUMNS, ...COLUMNS].map((cell) => cell.padStart(8)).join(''),
    ...grouped(({ kind }) => kind), '',
    ...grouped(({ way }) => way), '',
    row('all', all), '',
    ...all.filter(({ found }) => found !== 'first').map(({ seed, kind, name, way, found, hasEffect, reason }) => `${found}${hasEffect ? '' : ' (no effect)'} seed ${seed}, ${kind}: ${name}, ${way}: ${reason}`),
  ].join('\n');
}

/** Of the programs whose bug can be seen. */
export function shareFound(all: readonly Judgement[]): number {
  const seen = all.filter(({ hasEffect }) => hasEffect);
  return seen.length === 0 ? 1 : seen.filter(({ found }) => found === 'first').length / seen.length;
}

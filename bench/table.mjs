/** Figures as a table for people, and the numbers that the project's bounds are about. */
import { WAYS } from './measure.mjs';
import { OWN_BOUNDS, SECONDS_BOUNDS } from './workloads.mjs';

/** Bounds on culprit / valgrind: the mean of the ten, and any one of them. */
export const BOUNDS = { mean: 1.0, worst: 2.0 };

const geometricMean = (values) => Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

export function summary(rows) {
  const counted = rows.filter(({ name }) => !(name in OWN_BOUNDS || name in SECONDS_BOUNDS));
  if (counted.length === 0) return {};
  const worst = counted.reduce((a, b) => (b.toValgrind > a.toValgrind ? b : a));
  return {
    toValgrind: geometricMean(counted.map((row) => row.toValgrind)),
    toNative: geometricMean(counted.map((row) => row.toNative)),
    firstToValgrind: geometricMean(counted.map((row) => row.firstToValgrind)),
    secondToValgrind: geometricMean(counted.map((row) => row.secondToValgrind)),
    worst: { name: worst.name, toValgrind: worst.toValgrind },
  };
}

const HEADINGS = ['program', 'native s', 'valgrind s', 'culprit s', '/valgrind', '/native', 'first s', 'first/valgrind', 'second/valgrind', 'native MB', 'valgrind MB', 'culprit MB'];

function cells({ name, seconds, first, megabytes, toValgrind, toNative, firstToValgrind, secondToValgrind }) {
  const ratios = [toValgrind.toFixed(2), toNative.toFixed(1), first.toFixed(2), firstToValgrind.toFixed(2), secondToValgrind.toFixed(2)];
  return [name, ...WAYS.map((way) => seconds[way].toFixed(2)), ...ratios, ...WAYS.map((way) => megabytes[way].toFixed(0))];
}

function verdict(value, bound) {
  return `${value.toFixed(2)} (bound ${bound.toFixed(1)}: ${value <= bound ? 'kept' : 'BROKEN'})`;
}

export function table(rows, runs) {
  const lines = [HEADINGS, ...rows.map(cells)];
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const text = lines.map((line) => line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '));
  text.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '));
  const { toValgrind, toNative, firstToValgrind, secondToValgrind, worst } = summary(rows);
  text.push('', `user+sys seconds and peak memory, median of ${runs} run${runs === 1 ? '' : 's'} after culprit's first two, which are measured apart`);
  if (worst !== undefined) {
    text.push(`geometric mean: ${verdict(toValgrind, BOUNDS.mean)} × valgrind --tool=none, ${toNative.toFixed(1)} × native`);
    text.push(`first runs:     ${firstToValgrind.toFixed(2)} × valgrind: nothing is known of the program's code yet`);
    text.push(`second runs:    ${secondToValgrind.toFixed(2)} × valgrind: V8 has not compiled yet what is known`);
    text.push(`worst:          ${verdict(worst.toValgrind, BOUNDS.worst)} × valgrind, ${worst.name}`);
  }
  for (const { name, toValgrind: ratio, seconds } of rows) {
    if (name in OWN_BOUNDS) text.push(`${`${name}:`.padEnd(16)}${verdict(ratio, OWN_BOUNDS[name])} × valgrind`);
    if (name in SECONDS_BOUNDS) text.push(`${`${name}:`.padEnd(16)}${verdict(seconds.culprit, SECONDS_BOUNDS[name])} seconds`);
  }
  return `${text.join('\n')}\n`;
}

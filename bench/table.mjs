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
    worst: { name: worst.name, toValgrind: worst.toValgrind },
  };
}

const HEADINGS = ['program', 'native s', 'valgrind s', 'culprit s', '/valgrind', '/native', 'native MB', 'valgrind MB', 'culprit MB'];

function cells({ name, seconds, megabytes, toValgrind, toNative }) {
  return [name, ...WAYS.map((way) => seconds[way].toFixed(2)), toValgrind.toFixed(2), toNative.toFixed(1), ...WAYS.map((way) => megabytes[way].toFixed(0))];
}

function verdict(value, bound) {
  return `${value.toFixed(2)} (bound ${bound.toFixed(1)}: ${value <= bound ? 'kept' : 'BROKEN'})`;
}

export function table(rows, runs) {
  const lines = [HEADINGS, ...rows.map(cells)];
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const text = lines.map((line) => line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '));
  text.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '));
  const { toValgrind, toNative, worst } = summary(rows);
  text.push('', `user+sys seconds and peak memory, median of ${runs} run${runs === 1 ? '' : 's'}`);
  if (worst !== undefined) {
    text.push(`geometric mean: ${verdict(toValgrind, BOUNDS.mean)} × valgrind --tool=none, ${toNative.toFixed(1)} × native`);
    text.push(`worst:          ${verdict(worst.toValgrind, BOUNDS.worst)} × valgrind, ${worst.name}`);
  }
  for (const { name, toValgrind: ratio, seconds } of rows) {
    if (name in OWN_BOUNDS) text.push(`${`${name}:`.padEnd(16)}${verdict(ratio, OWN_BOUNDS[name])} × valgrind`);
    if (name in SECONDS_BOUNDS) text.push(`${`${name}:`.padEnd(16)}${verdict(seconds.culprit, SECONDS_BOUNDS[name])} seconds`);
  }
  return `${text.join('\n')}\n`;
}

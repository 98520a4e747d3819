/**
 * Prints, for each rule, how many of the buggy cases valgrind and the sanitizers find at the right line, and of how many
 * clean ones they complain: node tests/check/tableOfOracles.mjs
 */
import { readFileSync } from 'node:fs';

const ORACLES = ['valgrind', 'sanitizers'];
const opinions = Object.values(JSON.parse(readFileSync(new URL('oracles.json', import.meta.url), 'utf8')));
const rules = [...new Set(opinions.map(({ rule }) => rule))];

function count(cases, oracle) {
  return cases.filter(({ seenBy }) => seenBy.includes(oracle)).length;
}

function row(name, cases) {
  const buggy = cases.filter((one) => one.buggy);
  const clean = cases.filter((one) => !one.buggy);
  const cells = ORACLES.flatMap((oracle) => [`${count(buggy, oracle)}`, `${buggy.length - count(buggy, oracle)}`, `${count(clean, oracle)}`]);
  const neither = buggy.filter(({ seenBy }) => seenBy.length === 0).length;
  return [name, `${buggy.length}`, `${clean.length}`, ...cells, `${neither}`];
}

const table = [
  ['rule', 'buggy', 'clean', ...ORACLES.flatMap((oracle) => [`${oracle} found`, 'missed', 'false']), 'found by neither'],
  ...rules.map((rule) => row(rule, opinions.filter((one) => one.rule === rule))),
  row('all', opinions),
];
const widths = table[0].map((_, i) => Math.max(...table.map((cells) => cells[i].length)));
for (const cells of table) process.stdout.write(`${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ')}\n`);

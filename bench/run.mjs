/**
 * npm run bench [-- --short | --quick] [--only NAME[,NAME]] [--runs N] [--json]
 *
 * Measures Culprit against a native run and against valgrind --tool=none, in one go: user and system time
 * together, median of three runs or more, and checks that all three print the same. Needs gcc, valgrind
 * and the programs in workloads.mjs.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BenchError, measure, runBench } from './measure.mjs';
import { summary, table } from './table.mjs';
import { WORKLOAD_NAMES, compileMeter, prepare } from './workloads.mjs';

const DEFAULT_RUNS = 3;

function options() {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean' }, short: { type: 'boolean' }, only: { type: 'string' }, json: { type: 'boolean' }, runs: { type: 'string' } },
  });
  const names = values.only === undefined ? WORKLOAD_NAMES : values.only.split(',');
  const unknown = names.find((name) => !WORKLOAD_NAMES.includes(name));
  if (unknown !== undefined) throw new BenchError(`no such benchmark: ${unknown}; there are ${WORKLOAD_NAMES.join(', ')}`);
  const runs = values.runs === undefined ? (values.quick ? 1 : DEFAULT_RUNS) : Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1) throw new BenchError(`--runs ${values.runs}: a number of runs is needed`);
  return { size: values.quick ? 'quick' : values.short ? 'short' : 'long', json: values.json ?? false, names, runs };
}

function checkTools() {
  const missing = ['gcc', 'valgrind', 'bc', 'sqlite3', 'bzip2', 'python3'].filter((tool) => spawnSync('which', [tool]).status !== 0);
  if (missing.length > 0) throw new BenchError(`missing: apt-get install ${missing.join(' ')}`);
  const built = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist', 'culprit.cjs');
  if (!existsSync(built)) throw new BenchError('not built yet: npm run build');
}

function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

function main() {
  const { size, json, names, runs } = options();
  checkTools();
  const load = loadavg()[0];
  if (load > 0.5) process.stderr.write(`warning: load is ${load.toFixed(1)} on ${availableParallelism()} processors; other work on the machine disturbs these figures\n`);
  const directory = mkdtempSync(join(tmpdir(), 'culprit-bench-'));
  try {
    const meter = compileMeter(directory);
    const rows = names.map((name) => measure(meter, directory, prepare(name, directory, size), runs, progress));
    progress('');
    process.stdout.write(json ? `${JSON.stringify({ runs, size, load, rows, summary: summary(rows) })}\n` : table(rows, runs));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

runBench(main);

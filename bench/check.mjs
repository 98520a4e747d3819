/**
 * npm run bench:check [-- --quick] [--only NAME[,NAME]] [--runs N]
 *
 * What checking memory costs: `culprit check` with the rules that are on by default against `culprit run` and against
 * valgrind's memcheck, with the short inputs of run.mjs; with the rules about frees alone against `culprit run`, with
 * its long ones; and how long a report takes whose chain leads back over a thousand million instructions (lateBug.c).
 * Measured in turns, user and system time together, medians; the first two runs of each of our ways are not counted,
 * because they find out about the program's code.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BenchError, CHECK, median, runOnce, runBench } from './measure.mjs';
import { OWN_BOUNDS, SECONDS_BOUNDS, WORKLOAD_NAMES, compile, compileMeter, prepare } from './workloads.mjs';

/** Against each other, with inputs of a size. */
const COMPARISONS = [{ size: 'short', ways: ['memcheck', 'culprit', 'check'] }, { size: 'long', ways: ['culprit', 'checkFrees'] }];
/** What is known of code is complete after so many runs, with what V8 has made of it. */
const UNCOUNTED = 2;
/** On check / memcheck, and on frees alone / plain run. */
const BOUNDS = { toMemcheck: 1.0, freesToPlain: 1.2, toPlain: 5.5 };
const DEFAULT_RUNS = 3;
/** Millions of instructions between a block's end and its use. */
const LATE = 1000;
const REPORTED = 99;

const geometricMean = (values) => Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

/** Seconds of each way. */
function compare(meter, directory, workload, ways, runs) {
  const samples = Object.fromEntries(ways.map((way) => [way, []]));
  for (const way of ways) if (way !== 'memcheck') for (let run = 0; run < UNCOUNTED; run++) runOnce(meter, directory, workload, way);
  for (let run = 0; run < runs; run++) for (const way of ways) samples[way].push(runOnce(meter, directory, workload, way));
  const [{ output }] = samples[ways[0]];
  for (const way of ways) if (!samples[way].every((sample) => sample.output.equals(output))) throw new BenchError(`${workload.name}: the output under ${way} is another one`);
  return ways.map((way) => median(samples[way].map((sample) => sample.seconds)));
}

function measure(meter, directory, name, sizes, runs) {
  const [[memcheck, plain, check], [longPlain, frees]] = COMPARISONS.map(({ ways }, i) => {
    const own = join(directory, sizes[i]);
    mkdirSync(own, { recursive: true });
    return compare(meter, own, prepare(name, own, sizes[i]), ways, runs);
  });
  return { name, seconds: [memcheck, plain, check, longPlain, frees], toMemcheck: check / memcheck, toPlain: check / plain, freesToPlain: frees / longPlain };
}

/** Seconds that the report of a late bug takes: those of the run with it, without those of the run that has none. */
function measureChain(directory, quick) {
  const program = compile(directory, 'lateBug', '-g', '-O1');
  const millions = String(quick ? LATE / 4 : LATE);
  const seconds = (args, status) => {
    const began = process.hrtime.bigint();
    const done = spawnSync(process.execPath, [...CHECK, program, millions, ...args], { encoding: 'utf8', cwd: directory, env: { ...process.env, CULPRIT_CODE_CACHE: join(directory, 'code') } });
    if (done.status !== status) throw new BenchError(`lateBug: the status is ${done.status}\n${done.stdout}${done.stderr}`);
    return { seconds: Number(process.hrtime.bigint() - began) / 1e9, text: done.stdout + done.stderr };
  };
  seconds([], 0);
  const clean = seconds([], 0);
  const buggy = seconds(['bug'], REPORTED);
  if (!buggy.text.includes('returned by malloc')) throw new BenchError(`lateBug: the chain does not lead to malloc\n${buggy.text}`);
  return { millions, report: buggy.seconds - clean.seconds, run: clean.seconds };
}

function main() {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' }, runs: { type: 'string' } } });
  const counted = WORKLOAD_NAMES.filter((name) => !(name in OWN_BOUNDS || name in SECONDS_BOUNDS));
  const names = values.only?.split(',') ?? counted;
  const unknown = names.find((name) => !WORKLOAD_NAMES.includes(name));
  if (unknown !== undefined) throw new BenchError(`no such benchmark: ${unknown}; there are ${counted.join(', ')}`);
  const runs = Number(values.runs ?? (values.quick ? 1 : DEFAULT_RUNS));
  if (loadavg()[0] > 0.5) process.stderr.write(`warning: load is ${loadavg()[0].toFixed(1)}; other work on the machine disturbs these figures\n`);
  const directory = mkdtempSync(join(tmpdir(), 'culprit-bench-'));
  try {
    const meter = compileMeter(directory);
    const sizes = COMPARISONS.map(({ size }) => (values.quick ? 'quick' : size));
    console.log(`program       memcheck s   plain s   check s  ${sizes[1]} plain s  frees s   check/memcheck   check/plain   frees/plain`);
    const rows = names.map((name) => {
      const row = measure(meter, directory, name, sizes, runs);
      const cells = [...row.seconds.map((seconds, i) => seconds.toFixed(2).padStart(i === 3 ? 14 : 10)), row.toMemcheck.toFixed(2).padStart(16), row.toPlain.toFixed(2).padStart(13), row.freesToPlain.toFixed(2).padStart(13)];
      console.log(`${name.padEnd(13)}${cells.join('')}`);
      return row;
    });
    for (const [which, bound] of Object.entries(BOUNDS)) {
      const mean = geometricMean(rows.map((row) => row[which]));
      console.log(`geometric mean of ${which}: ${mean.toFixed(2)} (bound ${bound}: ${mean <= bound ? 'kept' : 'BROKEN'})`);
    }
    const { millions, report, run } = measureChain(directory, values.quick ?? false);
    console.log(`the report of a use after free ${millions} million instructions later, with its chain: ${report.toFixed(1)} s (the run itself: ${run.toFixed(1)} s)`);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

runBench(main);

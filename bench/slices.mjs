/**
 * npm run bench:slices [-- --only NAME[,NAME]] [--long]
 *
 * The first and the second slice at the end of a run, against the plain replay of the same run in the same process, in
 * seconds of the processor; and peak memory. Bounds: the first 20 x the replay, the second half of the first, memory
 * 1,200 MB. `--long`: also a run of 10^9 instructions, for which the last of them holds.
 *
 * Then alterations (probeLoop.c, alterationOnce.mjs): a rollback to the end of a run, in milliseconds (bound: 100);
 * what is left of a run after an alteration, against the same without it (1.05 x); and a probe of 50 candidates,
 * against the plain replay (60 x on a run of 10^7).
 *
 * Beside them the slicer of "A State Alteration and Inspection-based Interactive Debugger" (Wang and others, Tables IV
 * and V): 3.51 ms and 13.65 KB for each 1,000 instructions, which it spends while the program runs, and 3 to 72 s for a
 * slice. `x traced`: how many times less our first slice takes, all in all, than its tracing alone; `x sliced`: than
 * its tracing, preparation and one slice.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeRecords, writeSql, writeText } from './inputs.mjs';
import { BenchError, runBench } from './measure.mjs';
import { compile } from './workloads.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const culprit = join(here, '..', 'bin', 'culprit');
const BOUNDS = { first: 20, aim: 5, second: 0.5, megabytes: 1200 };
const PAPER = { milliseconds: 3.51, kilobytes: 13.65 };
/** Its programs: instructions, and seconds to trace, to prepare, and for a slice on average (Tables III and IV). */
const PAPER_PROGRAMS = [
  [10_278_947, 5.83 + 2.88 + 3.28 + 37.19], [2_125_726, 9.45 + 4.62 + 0.24 + 31.14], [1_846_427, 5.58 + 2.63 + 0.2 + 14.44],
  [3_909_749, 8.28 + 4.93 + 0.53 + 20.44], [4_654_490, 7.23 + 3.33 + 0.06 + 6.69],
];
/** Milliseconds for 1,000 instructions to have a first slice: what ours is compared with. */
const PAPER_FIRST = PAPER_PROGRAMS.reduce((sum, [instructions, seconds]) => sum + (seconds * 1e6) / instructions, 0) / PAPER_PROGRAMS.length;
/** V8 takes pages of 64 KB for the memory of guests from this. */
const FLAGS = ['--wasm-max-mem-pages=65536'];

/** Name to what is run, and what the slice is of. */
const RUNS = {
  'loop 10^6': loop(8),
  'loop 10^7': loop(85),
  'loop 10^8': loop(850),
  'gzip 10^7': { bytes: 64, of: 'write', command: (file) => (writeText(file('gzip.txt'), 30_000), ['/usr/bin/gzip', '-9', '-c', file('gzip.txt')]) },
  'gzip 10^8': { bytes: 64, of: 'write', command: (file) => (writeText(file('gzip.txt'), 200_000), ['/usr/bin/gzip', '-9', '-c', file('gzip.txt')]) },
  'sort 10^7': { bytes: 64, of: 'write', command: (file) => (writeRecords(file('sort.txt'), 6000), ['/usr/bin/sort', '--parallel=1', file('sort.txt')]) },
  'sqlite3 10^7': { bytes: 64, of: 'write', command: (file) => (writeSql(file('script.sql'), 500), ['/usr/bin/sqlite3', '-init', '/dev/null', ':memory:', `.read ${file('script.sql')}`]) },
};
const LONG = { 'loop 10^9': loop(8500) };

/** Rounds of probeLoop.c. */
const ALTERED = { 'alter 10^7': 8_600, 'alter 10^8': 91_000 };
const LONG_ALTERED = { 'alter 10^9': 919_000 };
const ALTERATION_BOUNDS = { rollback: 100, altered: 1.05, probe: 60 };
const CANDIDATES = 50;
/** Rounds: longer runs are not probed, and shorter ones take too little time to compare. */
const MOST_PROBED = 100_000;
const LEAST_COMPARED = 50_000;
const CONDITION = /noise\[0\] != 1/;

function loop(rounds) {
  return { bytes: 4, of: 'result', command: (_, directory) => [compile(directory, 'sliceLoop', '-O0', '-g'), String(rounds)] };
}

runBench(() => {
  const { values: { only, long } } = parseArgs({ options: { only: { type: 'string' }, long: { type: 'boolean' } } });
  const all = Object.entries({ ...RUNS, ...(long ? LONG : {}) }).filter(([name]) => only === undefined || only.split(',').some((one) => name.startsWith(one)));
  const row = (cells) => console.log(cells.map((cell, i) => (i === 0 ? String(cell).padEnd(13) : String(cell).padStart(10))).join(''));
  row(['', 'million', 'replay s', 'first s', 'x replay', 'second s', 'of first', 'members', 'MB', 'us/1000', 'x traced', 'x sliced']);
  for (const [name, { bytes, of, command }] of all) {
    const directory = mkdtempSync(join(tmpdir(), 'slices-'));
    try {
      const file = join(directory, 'run.culprit');
      execFileSync(process.execPath, [culprit, 'record', '-o', file, ...command((base) => join(directory, base), directory)], { stdio: 'ignore' });
      const done = spawnSync(process.execPath, [...FLAGS, join(here, 'sliceOnce.mjs'), file, of, String(bytes)], { encoding: 'utf8' });
      if (done.status !== 0) throw new BenchError(`${name}: ${done.stderr}`);
      const { instructions, plain, first, second, members, megabytes } = JSON.parse(done.stdout);
      const each = (first / instructions) * 1e9;
      row([
        name, (instructions / 1e6).toFixed(2), plain.toFixed(2), first.toFixed(2), (first / plain).toFixed(1), second.toFixed(2), (second / first).toFixed(2),
        members, megabytes.toFixed(0), each.toFixed(0), ((PAPER.milliseconds * 1000) / each).toFixed(0),
        ((PAPER_FIRST * 1000) / each).toFixed(0),
      ]);
      if ((!(name in LONG) && (first / plain > BOUNDS.first || second / first > BOUNDS.second)) || megabytes > BOUNDS.megabytes) process.exitCode = 1;
    } finally {
      rmSync(directory, { recursive: true });
    }
  }
  alterations(Object.entries({ ...ALTERED, ...(long ? LONG_ALTERED : {}) }).filter(([name]) => only === undefined || only.split(',').some((one) => name.startsWith(one))), row);
  console.log(`bounds: first ${BOUNDS.first} x replay (aim ${BOUNDS.aim}), second ${BOUNDS.second} of the first, ${BOUNDS.megabytes} MB; paper: ${PAPER.milliseconds} ms and ${PAPER.kilobytes} KB for 1,000 instructions, 3 to 72 s a slice`);
});

function alterations(all, row) {
  if (all.length === 0) return;
  row(['', 'million', 'replay s', 'rollback ms', 'after s', 'altered s', 'x', 'probe s', 'x replay', 'tried', 'gone']);
  const line = readFileSync(join(here, 'probeLoop.c'), 'utf8').split('\n').findIndex((text) => CONDITION.test(text)) + 1;
  for (const [name, rounds] of all) {
    const directory = mkdtempSync(join(tmpdir(), 'slices-'));
    try {
      const file = join(directory, 'run.culprit');
      // It ends by a signal.
      spawnSync(process.execPath, [culprit, 'record', '-o', file, compile(directory, 'probeLoop', '-O0', '-g'), String(rounds)], { stdio: 'ignore' });
      const done = spawnSync(process.execPath, [...FLAGS, join(here, 'alterationOnce.mjs'), file, String(rounds > MOST_PROBED ? 0 : CANDIDATES), String(line)], { encoding: 'utf8' });
      if (done.status !== 0) throw new BenchError(`${name}: ${done.stderr}`);
      const { instructions, plain, rollback, without, withIt, probed, tried, gone } = JSON.parse(done.stdout);
      row([
        name, (instructions / 1e6).toFixed(2), plain.toFixed(2), rollback.toFixed(1), without.toFixed(2), withIt.toFixed(2), (withIt / without).toFixed(2),
        probed.toFixed(2), (probed / plain).toFixed(1), tried, gone,
      ]);
      const { rollback: most, altered, probe } = ALTERATION_BOUNDS;
      if (rollback > most || (rounds >= LEAST_COMPARED && withIt / without > altered) || (name.endsWith('10^7') && probed / plain > probe)) process.exitCode = 1;
    } finally {
      rmSync(directory, { recursive: true });
    }
  }
}

/** Runs one command some way and says what it took: user and system time, peak memory, its output. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const culprit = join(dirname(fileURLToPath(import.meta.url)), '..', 'bin', 'culprit');

export const WAYS = ['native', 'valgrind', 'culprit'];

export const CHECK = [culprit, 'check', '--'];

const PREFIX = {
  native: [],
  valgrind: ['valgrind', '--tool=none', '-q'],
  culprit: [process.execPath, culprit, 'run', '--'],
  memcheck: ['valgrind', '-q'],
  // Like memcheck it goes on after a report.
  check: [process.execPath, culprit, 'check', '--keep-going', '--error-exitcode', '0', '--'],
  checkFrees: [process.execPath, culprit, 'check', '--disable', 'all', '--enable', 'double.free', '--enable', 'unmatched.free', '--'],
};

/** All three ways see this and nothing else, so that they do the same work. */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', HOME: '/nonexistent' };

export class BenchError extends Error {}

/** A mistake of the user's is one line. */
export function runBench(main) {
  try {
    main();
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    process.stderr.write(`bench: ${error.message}\n`);
    process.exitCode = 1;
  }
}

/** `meter` is the compiled cpuTime.c. */
export function runOnce(meter, directory, workload, way) {
  const paths = { report: join(directory, 'report'), input: join(directory, 'stdin'), output: join(directory, 'stdout') };
  writeFileSync(paths.input, workload.input);
  const input = openSync(paths.input, 'r');
  const output = openSync(paths.output, 'w');
  const command = [...PREFIX[way], ...workload.command];
  // What culprit keeps of a program's code between runs is our own: it has not been run before.
  const env = { ...ENVIRONMENT, CULPRIT_CODE_CACHE: join(directory, 'code') };
  const done = spawnSync(meter, [paths.report, ...command], { stdio: [input, output, 'pipe'], env, encoding: 'utf8' });
  closeSync(input);
  closeSync(output);
  if (done.status !== 0) throw new BenchError(`${command.join(' ')}\nfailed with status ${done.status}\n${done.stderr}`);
  const [user, system, kilobytes] = readFileSync(paths.report, 'utf8').split(' ').map(Number);
  return { seconds: (user + system) / 1e6, megabytes: kilobytes / 1024, output: readFileSync(paths.output) };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The ways take turns, so that load on the machine hits all of them alike. Culprit's first two runs are measured apart:
 * the first knows nothing of the program's code, and what it found out is compiled anew in the second; the others have
 * what came of that.
 */
export function measure(meter, directory, workload, runs, progress) {
  const samples = Object.fromEntries(WAYS.map((way) => [way, []]));
  progress(`${workload.name}: culprit, the first run`);
  const first = runOnce(meter, directory, workload, 'culprit');
  progress(`${workload.name}: culprit, the second run`);
  const second = runOnce(meter, directory, workload, 'culprit');
  for (let run = 1; run <= runs; run++) {
    for (const way of WAYS) {
      progress(`${workload.name}: ${way}, run ${run} of ${runs}`);
      samples[way].push(runOnce(meter, directory, workload, way));
    }
  }
  const expected = samples.native[0].output;
  for (const way of WAYS) {
    if (!samples[way].every(({ output }) => output.equals(expected))) throw new BenchError(`${workload.name}: the output under ${way} is not that of the native run`);
  }
  if (![first, second].every(({ output }) => output.equals(expected))) throw new BenchError(`${workload.name}: the output of the first runs is not that of the native run`);
  return summarise(workload.name, samples, first, second);
}

function summarise(name, samples, first, second) {
  const of = (field) => Object.fromEntries(WAYS.map((way) => [way, median(samples[way].map((sample) => sample[field]))]));
  const seconds = of('seconds');
  // A run shorter than the kernel's clock counts as one microsecond.
  const ratio = (other) => seconds.culprit / Math.max(seconds[other], 1e-6);
  const [firstToValgrind, secondToValgrind] = [first, second].map((run) => run.seconds / Math.max(seconds.valgrind, 1e-6));
  return { name, seconds, first: first.seconds, second: second.seconds, megabytes: of('megabytes'), toValgrind: ratio('valgrind'), toNative: ratio('native'), firstToValgrind, secondToValgrind };
}

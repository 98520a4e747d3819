/**
 * What is measured: ten programs, a start-up, processes and threads. The native run of a `short` program takes a few
 * tenths of a second, of which V8's compilation makes the most; that of a `long` one takes some seconds. `prepare`
 * writes the inputs and returns the command.
 */
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeCSource, writeRecords, writeSql, writeText } from './inputs.mjs';

const here = dirname(fileURLToPath(import.meta.url));

export function compile(directory, name, ...flags) {
  const output = join(directory, name);
  execFileSync('gcc', [...flags, '-o', output, join(here, `${name}.c`)]);
  return output;
}

export function compileMeter(directory) {
  return compile(directory, 'cpuTime', '-O2');
}

function compilerProper() {
  return execFileSync('gcc', ['-print-prog-name=cc1'], { encoding: 'utf8' }).trim();
}

/** Name to a function that prepares what the program needs and returns its command. */
const WORKLOADS = {
  gzip: ({ file, scale }) => {
    writeText(file('gzip.txt'), 4_000_000 * scale);
    return { command: ['/usr/bin/gzip', '-9', '-c', file('gzip.txt')] };
  },
  bzip2: ({ file, scale }) => {
    writeText(file('bzip2.txt'), 5_000_000 * scale);
    return { command: ['/usr/bin/bzip2', '-c', file('bzip2.txt')] };
  },
  sha256sum: ({ file, scale }) => {
    writeText(file('sha256sum.txt'), 80_000_000 * scale);
    return { command: ['/usr/bin/sha256sum', file('sha256sum.txt')] };
  },
  sort: ({ file, scale }) => {
    writeRecords(file('sort.txt'), 600_000 * scale);
    // One thread for all three ways: they should do the same work.
    return { command: ['/usr/bin/sort', '--parallel=1', file('sort.txt')] };
  },
  bc: ({ scale }) => ({ command: ['/usr/bin/bc', '-lq'], input: `scale=${Math.round(1350 * Math.cbrt(scale))}\n4*a(1)\nquit\n` }),
  sqlite3: ({ file, scale }) => {
    writeSql(file('script.sql'), 200_000 * scale);
    return { command: ['/usr/bin/sqlite3', '-init', '/dev/null', ':memory:', `.read ${file('script.sql')}`] };
  },
  python3: ({ scale }) => ({ command: ['/usr/bin/python3', '-I', join(here, 'workload.py'), String(Math.ceil(15 * scale))] }),
  cc1: ({ file, scale }) => {
    writeCSource(file('source.c'), 64 * scale);
    return { command: [compilerProper(), '-quiet', '-O2', file('source.c'), '-o', '-'] };
  },
  matrixLoop: ({ directory, scale }) => ({ command: [compile(directory, 'matrixLoop', '-O0'), String(200 * scale)] }),
  integerLoop: ({ directory, scale }) => ({ command: [compile(directory, 'integerLoop', '-O0'), String(1_000_000 * scale)] }),
  startup: () => ({ command: ['/bin/true'] }),
  forks: ({ scale }) => ({ command: ['/bin/bash', '-c', `for ((i = 0; i < ${200 * scale}; i++)); do ( total=$((total + i)) ); done; echo $i`] }),
  threads: ({ directory, scale }) => ({ command: [compile(directory, 'threadCounter', '-O1', '-pthread'), String(100_000_000 * scale)] }),
  switches: ({ directory }) => ({ command: [compile(directory, 'contextSwitches', '-O1', '-pthread'), '10000'] }),
};

export const WORKLOAD_NAMES = Object.keys(WORKLOADS);

/** Not among the ten whose mean counts: bounds of their own on culprit / valgrind, and on seconds. */
export const OWN_BOUNDS = { startup: 2.0, forks: 2.0, threads: 1.0 };
export const SECONDS_BOUNDS = { switches: 1.0 };

/** How many times the `short` one. */
const SCALES = { quick: 0.25, short: 1, long: 4 };

export function prepare(name, directory, size) {
  const file = (base) => join(directory, base);
  const isOneOfTen = !(name in OWN_BOUNDS || name in SECONDS_BOUNDS);
  return { name, input: '', ...WORKLOADS[name]({ directory, file, scale: isOneOfTen ? SCALES[size] : Math.min(SCALES[size], 1) }) };
}

/**
 * npm run bench:blame [-- --only programs,suppressed,triage] [--rounds N] [--inputs N]
 *
 * Seconds of the processor, user and system.
 *
 * programs: `culprit blame` on each program of tests/blame/rows.ts against its plain run. Bound: 10 x plain + 2 s.
 * suppressed: what is left of a run after a suppression point against the same of a plain run, where little is corrupt
 * (bound: 2 x) and where all is (5 x). Both are slopes: between a short run and one of --rounds rounds, so that what
 * every command takes to start and to explain falls out. A suppressed run is what --max-runs 2 takes more than 1. Of
 * plain runs and of suppressed ones the code is known: each has been run once before.
 * triage: by the clock, with one worker and with two. Bound: 1.8 x on two processors that nothing else uses.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { BenchError, runBench } from './measure.mjs';
import { compile, compileMeter } from './workloads.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const culprit = join(here, '..', 'bin', 'culprit');
const tests = join(here, '..', 'tests', 'blame');
const BOUNDS = { times: 10, seconds: 2, little: 2, much: 5, triage: 1.8 };
const FEW_ROUNDS = 1000;
const CORRUPTION = 99;

const { values: { only, rounds, inputs } } = parseArgs({ options: { only: { type: 'string' }, rounds: { type: 'string', default: '40000000' }, inputs: { type: 'string', default: '40' } } });
const isAsked = (part) => only === undefined || only.split(',').includes(part);
const ROWS = await rowsOf(join(tests, 'rows.ts'));

/** Node 20 does not run TypeScript: it is made JavaScript in memory first. */
async function rowsOf(path) {
  const { outputFiles: [bundle] } = await build({ entryPoints: [path], bundle: true, write: false, format: 'esm', platform: 'node' });
  return (await import(`data:text/javascript;base64,${Buffer.from(bundle.text).toString('base64')}`)).ROWS;
}

class Bench {
  constructor(directory) {
    this.directory = directory;
    this.meter = compileMeter(directory);
    // What culprit keeps of a program's code between runs is our own.
    this.env = { ...process.env, CULPRIT_CODE_CACHE: join(directory, 'code') };
  }

  program(name) {
    const path = join(this.directory, name);
    execFileSync('gcc', ['-w', '-O0', '-g', '-o', path, join(tests, 'programs', `${name}.c`), '-pthread']);
    return path;
  }

  /** What a command of culprit's takes. */
  took(args, stdin = '') {
    const report = join(this.directory, 'report');
    const start = process.hrtime.bigint();
    const { status, stdout, stderr } = spawnSync(this.meter, [report, process.execPath, culprit, ...args], { input: stdin, encoding: 'utf8', env: this.env, cwd: this.directory });
    const wall = Number(process.hrtime.bigint() - start) / 1e9;
    const [user, system, kilobytes] = readFileSync(report, 'utf8').split(' ').map(Number);
    return { seconds: (user + system) / 1e6, megabytes: kilobytes / 1024, wall, status, stdout, stderr };
  }
}

function row(cells) {
  console.log(cells.map((cell, i) => (i === 0 ? String(cell).padEnd(26) : String(cell).padStart(10))).join(''));
}

function programs(bench) {
  row(['', 'plain s', 'blame s', 'allowed', 'of it', 'runs', 'paper', 'MB']);
  for (const { program, input, args, stdin, executions } of ROWS) {
    const path = bench.program(program);
    // The first run finds out about the program's code.
    bench.took(['run', '--', path, ...args], stdin);
    const plain = bench.took(['run', '--', path, ...args], stdin).seconds;
    const { seconds, megabytes, status, stdout, stderr } = bench.took(['blame', '--json', '--', path, ...args], stdin);
    if (status !== CORRUPTION && status !== 0) throw new BenchError(`${program}: ${stderr}`);
    const allowed = BOUNDS.times * plain + BOUNDS.seconds;
    const { runs } = JSON.parse(stdout);
    row([`${program}, ${input}`, plain.toFixed(2), seconds.toFixed(2), allowed.toFixed(2), (seconds / allowed).toFixed(2), `${runs}${status === 0 ? ' none' : ''}`, executions ?? '-', megabytes.toFixed(0)]);
    if (seconds > allowed) process.exitCode = 1;
  }
  console.log(`bound: ${BOUNDS.times} x plain + ${BOUNDS.seconds} s`);
}

function suppressed(bench) {
  const path = compile(bench.directory, 'blameLoop', '-O0', '-g');
  row(['', 'plain s', 'suppr. s', 'x', 'bound']);
  for (const how of ['little', 'much']) {
    const file = (count) => join(bench.directory, `${how}${count}.culprit`);
    const plainOf = (count) => {
      bench.took(['record', '-o', file(count), '--', path, how, count]);
      return bench.took(['replay', file(count)]).seconds;
    };
    const runOf = (count, most) => {
      const { seconds, status, stderr } = bench.took(['blame', '--list', '--method', 'suppression', '--max-runs', String(most), file(count)]);
      if (status !== CORRUPTION && status !== 0) throw new BenchError(`blameLoop ${how}: ${stderr}`);
      return seconds;
    };
    const few = String(FEW_ROUNDS);
    const plain = -plainOf(few) + plainOf(rounds);
    // As with plain runs, the first one finds out about the program's code.
    runOf(rounds, 2);
    const left = runOf(rounds, 2) - runOf(rounds, 1) - (runOf(few, 2) - runOf(few, 1));
    row([`${how} corrupt`, plain.toFixed(2), left.toFixed(2), (left / plain).toFixed(2), BOUNDS[how]]);
    if (left / plain > BOUNDS[how]) process.exitCode = 1;
  }
}

/** Names of all lengths: some fit, others overflow by more and more. */
function triage(bench) {
  const path = bench.program('polymorph');
  const folder = join(bench.directory, 'inputs');
  mkdirSync(folder);
  for (let i = 0; i < Number(inputs); i++) writeFileSync(join(folder, `input-${i}`), `${i % 2 === 0 ? 'A' : '-B'}${'a'.repeat(50 + i)}\n`);
  row(['', 'wall s', 'cpu s', 'groups']);
  const times = ['1', '2'].map((jobs) => {
    const { wall, seconds, status, stdout, stderr } = bench.took(['triage', '--list', '--fresh', '--state', join(bench.directory, `state${jobs}`), '--jobs', jobs, folder, '--', path]);
    if (status !== CORRUPTION) throw new BenchError(`triage: ${stderr}`);
    row([`triage, ${jobs} at a time`, wall.toFixed(2), seconds.toFixed(2), stdout.split('\n').length - 1]);
    return wall;
  });
  console.log(`${(times[0] / times[1]).toFixed(2)} x; bound: ${BOUNDS.triage} x`);
  if (times[0] / times[1] < BOUNDS.triage) process.exitCode = 1;
}

runBench(() => {
  const directory = mkdtempSync(join(tmpdir(), 'blame-'));
  try {
    const bench = new Bench(directory);
    if (isAsked('programs')) programs(bench);
    if (isAsked('suppressed')) suppressed(bench);
    if (isAsked('triage')) triage(bench);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

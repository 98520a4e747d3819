/**
 * npm run bench:time [-- --quick] [--only NAME[,NAME]] [--runs N] [--json]
 *
 * What recording and replaying cost, against a plain run of the same programs (user and system time of all threads,
 * median); how long it takes to travel in a recording of two thousand million instructions; and the same loop recorded
 * by gdb.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BenchError, runBench } from './measure.mjs';
import { WORKLOAD_NAMES, compileMeter, prepare } from './workloads.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const culprit = join(here, '..', 'bin', 'culprit');
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', HOME: '/nonexistent' };
const BOUNDS = { record: 1.25, replay: 1.1, seek: 1, lastWrite: 1.5, backward: 2, many: 1.5, gdb: 1000 };
/** The ten of the engine's mean. */
const PROGRAMS = WORKLOAD_NAMES.slice(0, 10);
const LONG_ROUNDS = 100;
const GDB_ROUNDS = 20_000;
const OUR_ROUNDS = 200_000_000;

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const geometricMean = (values) => Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
const progress = (text) => process.stderr.isTTY && process.stderr.write(`\r\x1b[K${text}`);

/** Seconds of processor time, and what it printed. */
function run(meter, directory, words, input = '') {
  const report = join(directory, 'report');
  const done = spawnSync(meter, [report, process.execPath, culprit, ...words], { input, env: ENVIRONMENT, maxBuffer: 2 ** 30 });
  if (done.status !== 0) throw new BenchError(`culprit ${words.join(' ')}\nfailed with status ${done.status}\n${done.stderr}`);
  const [user, system] = readFileSync(report, 'utf8').split(' ').map(Number);
  return { seconds: (user + system) / 1e6, output: done.stdout };
}

function measureProgram(meter, directory, name, quick, runs) {
  const { command, input } = prepare(name, directory, quick ? 'quick' : 'short');
  const file = join(directory, `${name}.culprit`);
  const seconds = { run: [], record: [], replay: [] };
  for (let i = 0; i < runs; i++) {
    progress(`${name}: ${i + 1} of ${runs}`);
    const plain = run(meter, directory, ['run', '--', ...command], input);
    rmSync(file, { force: true });
    const recorded = run(meter, directory, ['record', '-o', file, '--', ...command], input);
    const replayed = run(meter, directory, ['replay', file]);
    if (!recorded.output.equals(plain.output) || !replayed.output.equals(plain.output)) throw new BenchError(`${name}: not the same output`);
    seconds.run.push(plain.seconds);
    seconds.record.push(recorded.seconds);
    seconds.replay.push(replayed.seconds);
  }
  const [plain, record, replay] = [median(seconds.run), median(seconds.record), median(seconds.replay)];
  const megabytes = statSync(file).size / 1e6;
  rmSync(file);
  return { name, run: plain, record, replay, toRecord: record / plain, toReplay: replay / plain, megabytes, megabytesPerSecond: megabytes / plain };
}

function measureTravel(meter, directory, quick) {
  const program = compile(directory, 'longRun', '-O1');
  const file = join(directory, 'long.culprit');
  run(meter, directory, ['record', '-o', file, '--', program, String(quick ? LONG_ROUNDS / 10 : LONG_ROUNDS)]);
  progress('travelling');
  const printed = execFileSync(process.execPath, ['--wasm-max-mem-pages=65536', join(here, 'seeks.mjs'), file, 'rare'], { encoding: 'utf8' });
  return JSON.parse(printed);
}

/** Instructions a second while recording: the time of a short run is taken off. */
function measureGdb(meter, directory) {
  const program = compile(directory, 'shortLoop', '-O1');
  const file = join(directory, 'loop.culprit');
  const record = (rounds) => {
    rmSync(file, { force: true });
    return run(meter, directory, ['record', '-o', file, '--', program, String(rounds)]).seconds;
  };
  progress('gdb record full');
  const script = ['set record full insn-number-max 0', 'break begin', 'break finished', `run ${GDB_ROUNDS}`, 'record full',
    'python import time; began = time.time()', 'continue', 'python print("seconds", time.time() - began)', 'kill'];
  const printed = execFileSync('gdb', ['-batch', '-nx', ...script.flatMap((line) => ['-ex', line]), program], { encoding: 'utf8', env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'ignore'] });
  const gdbSeconds = Number(/^seconds (.+)$/m.exec(printed)?.[1]);
  const ours = Math.max(record(OUR_ROUNDS) - record(GDB_ROUNDS), 0.001);
  const [gdbRate, ourRate] = [GDB_ROUNDS / gdbSeconds, OUR_ROUNDS / ours];
  return { gdbSeconds, gdbRate, ourRate, ratio: ourRate / gdbRate };
}

function compile(directory, name, ...flags) {
  const output = join(directory, name);
  execFileSync('gcc', [...flags, '-o', output, join(here, `${name}.c`)]);
  return output;
}

/** `judged`: short runs are mostly our own start. */
function verdict(value, bound, better = 'less', judged = true) {
  if (!judged) return `${value.toFixed(2)} (bound ${bound}, for the whole length)`;
  const kept = better === 'less' ? value <= bound : value >= bound;
  return `${value.toFixed(2)} (bound ${bound}: ${kept ? 'kept' : 'BROKEN'})`;
}

function report({ rows, travel, gdb, runs, quick }) {
  const lines = ['program        run s  record s  replay s  /record  /replay     MB   MB/s'];
  for (const row of rows) {
    const cells = [row.run.toFixed(2).padStart(6), row.record.toFixed(2).padStart(9), row.replay.toFixed(2).padStart(9), row.toRecord.toFixed(2).padStart(8), row.toReplay.toFixed(2).padStart(8), row.megabytes.toFixed(1).padStart(6), row.megabytesPerSecond.toFixed(2).padStart(6)];
    lines.push(`${row.name.padEnd(13)} ${cells.join(' ')}`);
  }
  if (rows.length === 0) lines.length = 0;
  else lines.push('', `user+sys seconds, median of ${runs}`);
  if (rows.length > 0) lines.push(`record: ${verdict(geometricMean(rows.map((row) => row.toRecord)), BOUNDS.record)} × run; replay: ${verdict(geometricMean(rows.map((row) => row.toReplay)), BOUNDS.replay)} × run (geometric means)`);
  if (travel !== undefined) {
    lines.push(`a recording of ${travel.instructions} instructions: open ${travel.open.toFixed(2)} s, first pass ${travel.firstPass.toFixed(2)} s, ${travel.checkpoints} checkpoints of ${travel.checkpointMegabytes.toFixed(0)} MB`);
    lines.push(`seek to any time: median ${verdict(travel.seekMedian, BOUNDS.seek)} s, worst ${travel.seekWorst.toFixed(2)} s`);
    const times = (seconds, bound) => `${seconds.toFixed(2)} s, ${verdict(seconds / travel.partReplay, bound, 'less', !quick)} × replay of that part (${travel.partReplay.toFixed(2)} s; processor time, medians)`;
    lines.push(`last write, ${travel.instructions - travel.lastWriteTime} instructions back: ${times(travel.lastWrite, BOUNDS.lastWrite)}; ${travel.firstLastWrite.toFixed(2)} the first time`);
    lines.push(`back to that watchpoint: ${times(travel.backward, BOUNDS.backward)}`);
    lines.push(`forward with 20 watchpoints: ${times(travel.forwardWatchingMany, BOUNDS.many)}`);
    lines.push(`and one within 64 bytes of what the inner loop writes: ${(travel.forwardWatchingNear / travel.partReplay).toFixed(2)} ×`);
  }
  if (gdb !== undefined) lines.push(`rounds of a loop recorded a second: gdb record full ${gdb.gdbRate.toFixed(0)}, culprit ${gdb.ourRate.toFixed(0)}: ${verdict(gdb.ratio, BOUNDS.gdb, 'more')} ×`);
  return `${lines.join('\n')}\n`;
}

function main() {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' }, json: { type: 'boolean' }, runs: { type: 'string' } } });
  const runs = Number(values.runs ?? (values.quick ? 1 : 3));
  const names = values.only?.split(',') ?? PROGRAMS;
  const directory = mkdtempSync(join(tmpdir(), 'culprit-bench-'));
  try {
    const meter = compileMeter(directory);
    const rows = names.filter((name) => WORKLOAD_NAMES.includes(name)).map((name) => measureProgram(meter, directory, name, values.quick ?? false, runs));
    const travel = values.only === undefined || names.includes('travel') ? measureTravel(meter, directory, values.quick) : undefined;
    const gdb = values.only === undefined || names.includes('gdb') ? measureGdb(meter, directory) : undefined;
    progress('');
    process.stdout.write(values.json ? `${JSON.stringify({ rows, travel, gdb, runs })}\n` : report({ rows, travel, gdb, runs, quick: values.quick === true }));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

runBench(main);

/**
 * npm run bench:traces [-- --quick] [--only small,large,questions] [--figures 4.9,4.10,4.11] [--runs N] [--json]
 * [--plots DIRECTORY]
 *
 * The micro-benchmarks of the thesis's chapter 4 (Figures 4.9 to 4.11) on its test program and on one that runs a
 * hundred times longer: what it takes to ask for one item after the other, from the start or from the end, by lazy
 * traces, by traces that are computed at once, and by a script for gdb. Then some questions with a million hits.
 * DIRECTORY gets the curves, and the figures as text (figures.txt). Seconds are processor time of all threads and
 * processes, from the start of the command on.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BenchError, median, runBench } from './measure.mjs';
import { plot } from './plot.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const culprit = join(here, '..', 'bin', 'culprit');
const SOURCE = join(here, 'traceLoops.c');
/** `gdbPart`: gdb takes minutes for all calls of bar, so it runs a shorter program, and what it takes is multiplied. */
const SIZES = {
  small: { title: 'program of Figure 4.8', loops: 16, runs: 5, gdbPart: 1 },
  large: { title: 'a hundred times longer', loops: 1600, runs: 1, gdbPart: 10 },
};
const CALLS_EACH = 16 * 24;
const MILLION = Math.ceil(1e6 / CALLS_EACH);
const GDB_QUESTION_PART = 100;
/** Lazy traces have to be quicker than gdb up to this part of the items, and as a whole. */
const BOUNDS = { after: 0.4, before: 0.1 };
const FIGURES = { 4.9: ['filter', 'seconds'], '4.10': ['maps', 'seconds'], 4.11: ['maps', 'bytes'] };
const WAYS = { filter: ['lazy', 'strict'], maps: ['lazy', 'strict', 'map'] };
const NAMES = { lazy: 'lazy', strict: 'strict', map: 'lazy, with copied Maps', gdb: 'gdb Python', reverse: 'gdb record full' };
const progress = (text) => process.stderr.isTTY && process.stderr.write(`\r\x1b[K${text}`);

function printed(command, words, environment, directory) {
  const env = { ...process.env, CULPRIT_CODE_CACHE: join(directory, 'code'), ...environment };
  // Node would read these at its start, whatever it is started for: that takes longer than the rest of its start.
  delete env.NODE_EXTRA_CA_CERTS;
  const { status, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8', cwd: directory, env, maxBuffer: 2 ** 28 });
  if (status !== 0) throw new BenchError(`${command} ${words.join(' ')} failed with status ${status}: ${stderr}`);
  return stdout;
}

const lastJson = (text) => JSON.parse(text.trim().split('\n').at(-1));

function prepared(directory, loops) {
  const program = join(directory, `loops${loops}`);
  execFileSync('gcc', ['-g', '-O0', `-DLOOP_I=${loops}`, '-o', program, SOURCE]);
  printed(process.execPath, [culprit, 'record', '-o', `${program}.culprit`, '--', program], {}, directory);
  return program;
}

/** The very first query translates what the recording of the program did not; a user waits for it once only. */
function query(directory, program, script, args, environment = {}) {
  rmSync(`${program}.culprit.cache`, { force: true });
  return lastJson(printed(process.execPath, [culprit, 'query', `${program}.culprit`, join(here, script), ...args], environment, directory));
}

function gdb(directory, program, script, environment) {
  const end = readFileSync(SOURCE, 'utf8').split('\n').findIndex((line) => line.includes('return 0')) + 1;
  return lastJson(printed('gdb', ['-batch', '-nx', '-x', join(here, script), program], { ...environment, BENCH_END: `traceLoops.c:${end}` }, directory));
}

/** The median of several runs, action by action. */
function middle(all) {
  const [first] = all;
  return { ...first, points: first.points.map(([action], i) => [action, median(all.map(({ points }) => points[i][1]))]) };
}

const repeated = (runs, measure) => middle(Array.from({ length: runs }, measure));

/**
 * What took `part` times as long for `part` times as many items. The first two actions are the start and the making of
 * the trace.
 */
function scaled({ count, points }, part) {
  const [[, start]] = points;
  return { count: count * part, points: points.map(([action, value]) => [action < 2 ? action : 2 + (action - 2) * part, start + (value - start) * part]) };
}

function measureFigure(context, figure, direction, what) {
  const { directory, program, shorter, items, size, runs, withReverse } = context;
  const lines = {};
  // Copies of all Maps take more memory than there is in the large program.
  for (const way of WAYS[figure].filter((one) => one !== 'map' || size.gdbPart === 1)) {
    progress(`${size.title}: ${figure} ${way} ${direction} ${what}`);
    lines[way] = repeated(what === 'bytes' ? 1 : runs, () => query(directory, program, 'traceActions.ts', [figure, way, direction, what], { BENCH_ITEMS: String(items) }));
    check(lines[way], items, `${figure} ${way}`);
  }
  progress(`${size.title}: ${figure} gdb ${direction} ${what}`);
  const asked = (way) => ({ BENCH_FIGURE: figure, BENCH_DIRECTION: way, BENCH_WHAT: what });
  const part = figure === 'maps' ? size.gdbPart : 1;
  context.known ??= new Map();
  const key = `${figure} ${what}`;
  // gdb runs forward in any case: what it collects is the same for both directions.
  if (!context.known.has(key)) context.known.set(key, scaled(repeated(runs, () => gdb(directory, part === 1 ? program : shorter, 'traceActions.py', asked('forward'))), part));
  lines.gdb = context.known.get(key);
  check(lines.gdb, items, `${figure} gdb`);
  if (withReverse && figure === 'filter' && direction === 'before' && what === 'seconds') lines.reverse = gdb(directory, program, 'traceActions.py', asked('reverse'));
  return lines;
}

function check({ count }, items, name) {
  if (count !== items) throw new BenchError(`${name}: ${count} items, not ${items}`);
}

const valueAt = ({ points }, action) => points.findLast(([at]) => at <= action)?.[1] ?? 0;

/** Up to which part of the items (of the first trace) lazy traces are quicker. */
function quickerUpTo(lazy, other, items) {
  const later = lazy.points.find(([action, value]) => action > 1 && action <= items + 1 && value > valueAt(other, action));
  return later === undefined ? 1 : (later[0] - 1) / items;
}

function summary(figure, direction, lines, items) {
  const total = (line) => line.points.at(-1)[1];
  const ofFirst = figure === 'filter' ? items / 2 : items;
  const seconds = Object.fromEntries(Object.entries(lines).map(([name, line]) => [name, total(line)]));
  const upTo = { gdb: quickerUpTo(lines.lazy, lines.gdb, ofFirst), strict: quickerUpTo(lines.lazy, lines.strict, ofFirst) };
  return { figure, direction, seconds, first: valueAt(lines.lazy, 2), start: lines.lazy.points[0][1], gdbStart: lines.gdb.points[0][1], upTo, cost: lines.lazy.cost };
}

function panelOf(figure, direction, what, lines, items) {
  const shown = Object.entries(lines).filter(([name]) => name !== 'reverse');
  const unit = what === 'bytes' ? 1 / 2 ** 20 : 1;
  return {
    title: direction === 'after' ? 'getAfter, from the start' : 'getBefore, from the end', xTitle: 'action', yTitle: what === 'bytes' ? 'MB in all' : 'seconds in all',
    lines: shown.map(([name, { points }]) => ({ name: NAMES[name], points: thinned(points).map(([action, value]) => [action, value * unit]) })),
    mark: figure === 'filter' ? items / 2 + 2 : undefined,
  };
}

function thinned(points, most = 200) {
  const every = Math.ceil(points.length / most);
  return points.filter((_, i) => i < 3 || i % every === 0 || i === points.length - 1);
}

function measureSize(directory, name, options) {
  const size = SIZES[name];
  const items = size.loops * 16;
  const runs = options.runs ?? (options.quick ? 1 : size.runs);
  const program = prepared(directory, size.loops);
  const shorter = size.gdbPart === 1 ? program : prepared(directory, size.loops / size.gdbPart);
  const context = { directory, program, shorter, items, size, runs, withReverse: size.gdbPart === 1 && !options.quick };
  query(directory, program, 'traceActions.ts', ['filter', 'lazy', 'after', 'seconds'], { BENCH_ITEMS: String(items) });
  const rows = [];
  const plots = {};
  for (const [figure, what] of Object.entries(FIGURES).filter(([number]) => options.figures.includes(number)).map(([, asked]) => asked)) {
    const panels = ['after', 'before'].map((direction) => {
      const lines = measureFigure(context, figure, direction, what);
      if (what === 'seconds') rows.push(summary(figure, direction, lines, items));
      else rows.push({ figure, direction, megabytes: Object.fromEntries(Object.entries(lines).map(([way, { points }]) => [way, points.at(-1)[1] / 2 ** 20])) });
      return panelOf(figure, direction, what, lines, items);
    });
    plots[`${what === 'bytes' ? 'memory' : figure}-${name}`] = plot(panels);
  }
  return { name, title: size.title, items, runs, rows, plots };
}

function measureQuestions(directory) {
  const [program, shorter] = [prepared(directory, MILLION), prepared(directory, Math.round(MILLION / GDB_QUESTION_PART))];
  const ours = (question) => query(directory, program, 'traceQuestions.ts', [question]);
  const theirs = (question) => {
    const { answer, seconds } = gdb(directory, shorter, 'traceQuestions.py', { BENCH_QUESTION: question });
    return { answer, seconds: (seconds / answer) * MILLION * CALLS_EACH };
  };
  const questions = ['calls', 'lastWrite'].map((question) => {
    progress(question);
    const [own, other] = [ours(question), theirs(question)];
    return { question, answer: own.answer, seconds: own.seconds, other: other.seconds, ratio: other.seconds / own.seconds };
  });
  progress('edits');
  const [edits, plain] = [ours('edits'), ours('plainEdits')];
  return [...questions, { question: 'edits', answer: edits.answer, seconds: edits.seconds, other: plain.seconds, ratio: edits.seconds / plain.seconds }];
}

const percent = (part) => `${Math.round(part * 100)} %`;
const kept = (isKept) => (isKept ? 'kept' : 'BROKEN');

function figureLine({ figure, direction, seconds, megabytes, first, start, gdbStart, upTo, cost }) {
  const title = `${figure === 'filter' ? '4.9 ' : megabytes ? '4.11' : '4.10'} get${direction === 'after' ? 'After ' : 'Before'}`;
  const all = Object.entries(megabytes ?? seconds).map(([name, value]) => `${NAMES[name]} ${value.toFixed(2)}`).join(', ');
  if (megabytes) return [`${title}  MB in all: ${all}`];
  const bound = BOUNDS[direction];
  return [
    `${title}  seconds in all: ${all}; lazy: start ${start.toFixed(2)} (gdb ${gdbStart.toFixed(2)}), first item ${first.toFixed(2)}, ${cost} instructions`,
    `                lazy is quicker than gdb up to ${percent(upTo.gdb)} of the items (bound ${percent(bound)}: ${kept(upTo.gdb >= bound)}), than strict up to ${percent(upTo.strict)}; as a whole ${(seconds.lazy / seconds.gdb).toFixed(2)} × gdb (bound 1: ${kept(seconds.lazy <= seconds.gdb)})`,
  ];
}

function report({ sizes, questions }) {
  const lines = sizes.flatMap(({ title, items, runs, rows }) => [`${title}: ${items} items, median of ${runs}`, ...rows.flatMap(figureLine), '']);
  const TEXTS = { calls: 'counting 10^6 calls', lastWrite: 'the last of 10^6 writes', edits: '10^5 edits of an EditHAMT, and 10^5 lookups' };
  for (const { question, seconds, other, ratio } of questions ?? []) {
    lines.push(question === 'edits' ? `${TEXTS[question]}: ${seconds.toFixed(3)} s, ${ratio.toFixed(1)} × a plain Map (${other.toFixed(3)} s)` : `${TEXTS[question]}: ${seconds.toFixed(3)} s; gdb ${other.toFixed(1)} s (a hundredth, times 100): ${ratio.toFixed(0)} × ours`);
  }
  return `${lines.join('\n')}\n`;
}

function main() {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' }, figures: { type: 'string' }, runs: { type: 'string' }, json: { type: 'boolean' }, plots: { type: 'string' } } });
  const names = values.only?.split(',') ?? (values.quick ? ['small', 'questions'] : ['small', 'large', 'questions']);
  const unknown = names.find((name) => !(name in SIZES) && name !== 'questions');
  if (unknown !== undefined) throw new BenchError(`there is no ${unknown}: small, large, questions`);
  const directory = mkdtempSync(join(tmpdir(), 'culprit-bench-'));
  try {
    const options = { quick: values.quick === true, runs: values.runs === undefined ? undefined : Number(values.runs), figures: values.figures?.split(',') ?? Object.keys(FIGURES) };
    const sizes = names.filter((name) => name in SIZES).map((name) => measureSize(directory, name, options));
    const questions = names.includes('questions') ? measureQuestions(directory) : undefined;
    progress('');
    if (values.plots !== undefined) {
      mkdirSync(values.plots, { recursive: true });
      for (const { plots } of sizes) for (const [name, text] of Object.entries(plots)) writeFileSync(join(values.plots, `${name}.svg`), text);
    }
    const results = { sizes: sizes.map(({ plots: _, ...rest }) => rest), questions };
    if (values.plots !== undefined) writeFileSync(join(values.plots, 'figures.txt'), report(results));
    process.stdout.write(values.json ? `${JSON.stringify(results)}\n` : report(results));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

runBench(main);

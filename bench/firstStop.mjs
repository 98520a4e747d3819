/**
 * npm run bench:debug [-- --only first,watch] [--runs N] [--json]
 *
 * What the debugger costs. How long it takes to the first stop in a program with a hundred megabytes of debug
 * information: `break main`, run there, `bt`; ours on a recording that is there already, gdb's in a native run; wall
 * time (median). And watchpoints (watchpoints.mjs): back to one that was hit a thousand million instructions ago,
 * against replaying them; forward with twenty of them, against none.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BenchError } from './measure.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const culprit = join(here, '..', 'bin', 'culprit');
const BOUNDS = { first: 1, back: 2, many: 1.5 };
/** Rounds of longRun.c, of which the last two thirds have a thousand million instructions. */
const ROUNDS = 70;
const MEGABYTES = 100;
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', HOME: '/nonexistent' };
/** Ordinary C++ with much of the library in it. */
const UNIT = `
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
struct Item { std::string name; std::vector<int> numbers; std::map<std::string, std::shared_ptr<Item>> children; };
int unit_0(int n) {
  Item item{std::to_string(n), {3, 1, 2}, {}};
  std::sort(item.numbers.begin(), item.numbers.end(), std::greater<int>());
  item.children["a"] = std::make_shared<Item>(item);
  std::unordered_map<std::string, std::function<int(int)>> table{{"twice", [](int x) { return x * 2; }}};
  std::ostringstream out;
  out << table["twice"](item.numbers[0]);
  return static_cast<int>(out.str().size()) + (std::regex_match(item.name, std::regex("[0-9]+")) ? 1 : 0);
}
`;

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const run = (command, args) => execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], env: ENVIRONMENT, maxBuffer: 2 ** 28 });

function debugBytes(path, except = /^$/) {
  const sections = run('readelf', ['-SW', path]).matchAll(/\.debug_(\w+)\s+PROGBITS\s+\w+\s+\w+\s+(\w+)/g);
  return [...sections].reduce((sum, [, name, size]) => sum + (except.test(name) ? 0 : parseInt(size, 16)), 0);
}

/** One unit, compiled once and linked under many names. */
function build(directory) {
  const at = (name) => join(directory, name);
  writeFileSync(at('unit.cc'), UNIT);
  run('g++', ['-g', '-O0', '-c', '-o', at('unit_0.o'), at('unit.cc')]);
  // Strings are shared by all copies.
  const copies = Math.max(1, Math.ceil((MEGABYTES * 1e6) / debugBytes(at('unit_0.o'), /str/)));
  const objects = Array.from({ length: copies }, (_, i) => at(`unit_${i}.o`));
  for (let i = 1; i < copies; i++) run('objcopy', ['--redefine-sym', `_Z6unit_0i=_Z${6 + String(i).length - 1}unit_${i}i`, at('unit_0.o'), objects[i]]);
  const calls = objects.map((_, i) => i);
  writeFileSync(at('main.cc'), `${calls.map((i) => `int unit_${i}(int);`).join('\n')}\nint many() {\n  int sum = 0;\n${calls.map((i) => `  sum += unit_${i}(${i});`).join('\n')}\n  return sum;\n}\nint main() {\n  volatile int wanted = 0;\n  return wanted == 0 ? 0 : many();\n}\n`);
  run('g++', ['-g', '-O0', '-o', at('large'), at('main.cc'), ...objects]);
  return at('large');
}

function timed(command, args) {
  const began = performance.now();
  const done = spawnSync(command, args, { encoding: 'utf8', env: ENVIRONMENT });
  const seconds = (performance.now() - began) / 1000;
  if (!/#0\s+main \(\)/.test(done.stdout)) throw new BenchError(`${command} ${args.join(' ')}\ndid not stop in main:\n${done.stdout}${done.stderr}`);
  return seconds;
}

function measureFirstStop(directory, runs) {
  const program = build(directory);
  const recording = join(directory, 'large.culprit');
  run(process.execPath, [culprit, 'record', '-o', recording, '--', program]);
  const ours = ['debug', '-batch', recording, '-ex', 'break main', '-ex', 'run', '-ex', 'bt'];
  const theirs = ['-nx', '-batch', '-ex', 'set debuginfod enabled off', '-ex', 'break main', '-ex', 'run', '-ex', 'bt', program];
  const seconds = { ours: [], gdb: [] };
  for (let i = 0; i < runs; i++) {
    seconds.gdb.push(timed('gdb', theirs));
    seconds.ours.push(timed(process.execPath, [culprit, ...ours]));
  }
  const [ourTime, gdbTime] = [median(seconds.ours), median(seconds.gdb)];
  return { megabytes: debugBytes(program) / 1e6, file: statSync(program).size / 1e6, ours: ourTime, gdb: gdbTime, ratio: ourTime / gdbTime };
}

function measureWatchpoints(directory) {
  const [program, recording] = [join(directory, 'longRun'), join(directory, 'longRun.culprit')];
  run('gcc', ['-g', '-O1', '-o', program, join(here, 'longRun.c')]);
  run(process.execPath, [culprit, 'record', '-o', recording, '--', program, String(ROUNDS)]);
  const { instructions, replay, back, none, many } = JSON.parse(run(process.execPath, ['--wasm-max-mem-pages=65536', join(here, 'watchpoints.mjs'), recording]));
  return { instructions, replay, back, none, many, backRatio: back / replay, manyRatio: many / none };
}

function verdict(ratio, bound) {
  return `${ratio.toFixed(2)} x (bound ${bound}: ${ratio <= bound ? 'kept' : 'BROKEN'})`;
}

function report({ first, watch }) {
  if (first !== undefined) {
    console.log(`First stop in a program with ${first.megabytes.toFixed(0)} MB of debug information: culprit ${first.ours.toFixed(2)} s, gdb ${first.gdb.toFixed(2)} s: ${verdict(first.ratio, BOUNDS.first)}`);
  }
  if (watch === undefined) return;
  console.log(`Back to a watchpoint ${watch.instructions} instructions ago: ${watch.back.toFixed(2)} s, replay of that part ${watch.replay.toFixed(2)} s: ${verdict(watch.backRatio, BOUNDS.back)}`);
  console.log(`Forward over that part with 20 watchpoints: ${watch.many.toFixed(2)} s, with none ${watch.none.toFixed(2)} s: ${verdict(watch.manyRatio, BOUNDS.many)}`);
}

function isKept({ first, watch }) {
  return (first === undefined || first.ratio <= BOUNDS.first) && (watch === undefined || (watch.backRatio <= BOUNDS.back && watch.manyRatio <= BOUNDS.many));
}

const { values } = parseArgs({
  options: { only: { type: 'string', default: 'first,watch' }, runs: { type: 'string', default: '3' }, json: { type: 'boolean', default: false }, keep: { type: 'string' } },
});
const only = new Set(values.only.split(','));
const directory = values.keep ?? mkdtempSync(join(tmpdir(), 'culprit-bench-'));
try {
  const result = {
    first: only.has('first') ? measureFirstStop(directory, Number(values.runs)) : undefined,
    watch: only.has('watch') ? measureWatchpoints(directory) : undefined,
  };
  if (values.json) console.log(JSON.stringify(result));
  else report(result);
  process.exitCode = isKept(result) ? 0 : 1;
} finally {
  if (values.keep === undefined) rmSync(directory, { recursive: true, force: true });
}

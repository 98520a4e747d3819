/**
 * npm run bench:debug [-- --runs N] [--json]
 *
 * How long it takes to the first stop in a program with a hundred megabytes of debug information: `break main`, run there, `bt`.
 * Ours on a recording that is there already, gdb's in a native run; wall time (median).
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
const BOUND = 1;
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

function measure(directory, runs) {
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

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' }, json: { type: 'boolean', default: false }, keep: { type: 'string' } } });
const directory = values.keep ?? mkdtempSync(join(tmpdir(), 'culprit-bench-'));
try {
  const result = measure(directory, Number(values.runs));
  if (values.json) console.log(JSON.stringify(result));
  else {
    console.log(`First stop in a program with ${result.megabytes.toFixed(0)} MB of debug information (bound: ${BOUND} x gdb)`);
    console.log(`  culprit ${result.ours.toFixed(2)} s, gdb ${result.gdb.toFixed(2)} s, ratio ${result.ratio.toFixed(2)}${result.ratio <= BOUND ? '' : '  over the bound'}`);
  }
  process.exitCode = result.ratio <= BOUND ? 0 : 1;
} finally {
  if (values.keep === undefined) rmSync(directory, { recursive: true, force: true });
}

/**
 * npm run bench:shapes [-- --only NAME[,NAME]] [--nodes N] [--operations N]
 *
 * The nine structures of Table 3 of "Automatic Fault Location for Data Structures" (Singh and others) with a fault
 * each: a replay that observes writes to nodes against one that observes nothing, both with code that is translated
 * already (bound: 2 x); checking the constraints after the last 20 operations, and locating the fault, in milliseconds
 * of the processor, beside the paper's columns 9 and 10 (bounds: a tenth of them). `full`: the first check, of all
 * nodes.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runBench } from './measure.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const culprit = join(here, '..', 'bin', 'culprit');
const programs = join(here, '..', 'tests', 'shapes', 'programs', 'table');
const FLAGS = ['--wasm-max-mem-pages=65536'];
const FAULT = 5;
const OBSERVING = 2;
const FASTER = 10;
/** Milliseconds: columns 8 (instrumented), 7 (Null Pin), 9 and 10. */
const PAPER = {
  circular: [664, 645, 1, 750], ordered: [677, 638, 1, 20], doubly: [673, 653, 1, 250], quad: [885, 713, 36, 9220], avl: [864, 739, 25, 1180],
  btree: [767, 722, 4, 73_390], redblack: [711, 661, 31, 72_210], leftist: [720, 664, 27, 2210], bipartite: [748, 659, 2, 3320],
};

runBench(() => {
  const { values } = parseArgs({ options: { only: { type: 'string' }, nodes: { type: 'string' }, operations: { type: 'string' } } });
  const names = values.only?.split(',') ?? Object.keys(PAPER);
  const defines = [...(values.nodes === undefined ? [] : [`-DNODES=${values.nodes}`]), ...(values.operations === undefined ? [] : [`-DOPERATIONS=${values.operations}`])];
  const directory = mkdtempSync(join(tmpdir(), 'bench-shapes-'));
  const misses = [];
  console.log('structure    nodes   writes  instructions   observing      full  matching (paper, ms)   locating (paper, ms)');
  try {
    for (const name of names) {
      const program = join(directory, name);
      execFileSync('gcc', ['-w', '-g', '-O0', `-DFAULT=${FAULT}`, ...defines, '-o', program, join(programs, `${name}.c`), '-lm']);
      execFileSync(culprit, ['record', '-o', `${program}.culprit`, program], { stdio: 'ignore' });
      const one = JSON.parse(execFileSync(process.execPath, [...FLAGS, join(here, 'shapesOnce.mjs'), `${program}.culprit`, join(programs, `${name}.shape`)], { encoding: 'utf8' }));
      const [, , matching, locating] = PAPER[name];
      const ratio = one.observing / one.plain;
      if (ratio > OBSERVING) misses.push(`${name}: observing takes ${ratio.toFixed(2)} x`);
      if (one.matching * 1000 > matching / FASTER) misses.push(`${name}: matching takes ${(one.matching * 1000).toFixed(2)} ms`);
      if (one.locating * 1000 > locating / FASTER) misses.push(`${name}: locating takes ${(one.locating * 1000).toFixed(2)} ms`);
      console.log([name.padEnd(11), String(one.nodes).padStart(6), String(one.operations).padStart(8), String(one.instructions).padStart(13), `${ratio.toFixed(2)} x`.padStart(10), (one.full * 1000).toFixed(1).padStart(8), `${(one.matching * 1000).toFixed(2)} (${matching})`.padStart(20), `${(one.locating * 1000).toFixed(2)} (${locating})`.padStart(22)].join('  '));
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  for (const miss of misses) console.log(`miss: ${miss}`);
});

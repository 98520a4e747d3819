/**
 * `culprit count` against a plain replay of the same recording, in seconds of the processor: what it costs to observe a
 * whole run. The second runs of both, when what is known of the code is stored. `--short` for shorter runs.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BenchError, runBench } from './measure.mjs';
import { compileMeter, prepare } from './workloads.mjs';

const culprit = join(dirname(fileURLToPath(import.meta.url)), '..', 'bin', 'culprit');
const NAMES = ['gzip', 'sqlite3', 'integerLoop', 'cc1'];
const MOST = 4;

runBench(() => {
  const size = process.argv.includes('--short') ? 'quick' : 'short';
  const directory = mkdtempSync(join(tmpdir(), 'count-'));
  const meter = compileMeter(directory);
  const seconds = (...words) => {
    const report = join(directory, 'report');
    const env = { ...process.env, CULPRIT_CODE_CACHE: join(directory, 'code') };
    const done = spawnSync(meter, [report, process.execPath, culprit, ...words], { stdio: ['ignore', 'ignore', 'pipe'], env, encoding: 'utf8' });
    if (done.status !== 0) throw new BenchError(`culprit ${words.join(' ')} failed with status ${done.status}\n${done.stderr}`);
    const [user, system] = readFileSync(report, 'utf8').split(' ').map(Number);
    return (user + system) / 1e6;
  };
  const row = (...cells) => console.log(cells.map((cell, i) => (i === 0 ? String(cell).padEnd(12) : String(cell).padStart(9))).join(''));
  try {
    row('', 'replay', 'count', 'ratio');
    for (const name of NAMES) {
      const file = join(directory, `${name}.culprit`);
      seconds('record', '-o', file, ...prepare(name, directory, size).command);
      const second = (...words) => (seconds(...words), seconds(...words));
      const [replay, count] = [second('replay', '--quiet', file), second('count', file)];
      row(name, replay.toFixed(2), count.toFixed(2), (count / replay).toFixed(2));
      if (count / replay > MOST) process.exitCode = 1;
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
});

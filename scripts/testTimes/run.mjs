/**
 * `npm run test:times [-- VITEST'S ARGUMENTS]`: runs tests, and says what each file took of the processors (seconds,
 * user and system, all its processes), worst first. Other work on the machine changes that little, wall time a lot.
 *
 * The rest is vitest itself: it transforms the sources for all of them.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const TICKS_PER_SECOND = 100;

/** What children of this process took that have ended, and theirs. */
function secondsOfChildren() {
  const fields = readFileSync('/proc/self/stat', 'utf8').replace(/^.*\) /s, '').split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}

const folder = mkdtempSync(join(tmpdir(), 'culprit-times-'));
const file = join(folder, 'times');
const { status } = spawnSync('npx', ['vitest', 'run', ...process.argv.slice(2)], { stdio: 'inherit', env: { ...process.env, CULPRIT_TEST_TIMES: file } });
const total = secondsOfChildren();
const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
const rows = text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line)).map(({ file: path, seconds }) => ({ name: relative('.', path), seconds }));
rmSync(folder, { recursive: true });

rows.push({ name: '(vitest itself)', seconds: total - rows.reduce((sum, { seconds }) => sum + seconds, 0) }, { name: '(all)', seconds: total });
console.log(`\n${'CPU s'.padStart(8)}  file`);
for (const { name, seconds } of rows.toSorted((a, b) => b.seconds - a.seconds)) console.log(`${seconds.toFixed(2).padStart(8)}  ${name}`);
process.exitCode = status ?? 1;

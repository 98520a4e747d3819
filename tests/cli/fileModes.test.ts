/**
 * Who may read and write the files that commands make. While a guest runs the process has the umask 0, and what is
 * written then for the user must not have it.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { CULPRIT, ROOT } from './culprit.js';

const folder = mkdtempSync(join(tmpdir(), 'culprit-modes-'));
afterAll(() => rmSync(folder, { recursive: true }));

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

it.each([
  ['check', ['check', '--sarif', 'check.sarif', `${ROOT}demo/notes`], 'check.sarif'],
  ['blame', ['blame', '--list', '--method', 'guards', '--sarif', 'blame.sarif', `${ROOT}demo/notes`], 'blame.sarif'],
])('a report of %s has the mode that the umask of the user says', (_, words, file) => {
  const { status } = spawnSync('sh', ['-c', 'umask 027; exec "$@"', 'sh', process.execPath, CULPRIT, ...words], { cwd: folder, stdio: 'ignore' });
  expect(status).toBe(99);
  expect(modeOf(join(folder, file)).toString(8)).toBe('640');
});

it('a guest has the umask of the user, and a second one in the same process, too', () => {
  const { stdout } = spawnSync('sh', ['-c', 'umask 027; exec "$@"', 'sh', process.execPath, CULPRIT, 'run', 'sh', '-c', 'umask; sh -c umask'], { encoding: 'utf8', cwd: folder });
  expect(stdout).toBe('0027\n0027\n');
});

it('what is run as code, and was built, is not for others to write', () => {
  const open = ['bin', 'dist'].flatMap((name) => readdirSync(join(ROOT, name)).map((file) => join(ROOT, name, file))).filter((path) => (statSync(path).mode & 0o022) !== 0);
  expect(open).toEqual([]);
});

/**
 * Programs that culprit itself runs, and the user's own terminal: neither comes from where the guest happens to stand.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { culprit, CULPRIT, ROOT } from '../cli/culprit.js';

const folder = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), 'culprit-helpers-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));
const TIMEOUT = 120_000;

/** Runs a command in a terminal of its own: what appears there. */
function inTerminal(command: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const request = { command: [process.execPath, CULPRIT, ...command], env, rows: 24, columns: 80, timeout: 60, steps: [{ expect: 'the end' }] };
  const { stdout } = spawnSync('/usr/bin/python3', [`${ROOT}tests/terminal/throughTerminal.py`], { encoding: 'utf8', cwd: folder, input: JSON.stringify(request) });
  return JSON.stringify(JSON.parse(stdout));
}

it('culprit finds no helpers in the current directory', () => {
  const path = ':.:sub:/usr/bin:/bin:';
  fs.mkdirSync(join(folder, 'sub'));
  for (const place of ['.', 'sub']) {
    for (const name of ['perl', 'stty']) fs.writeFileSync(join(folder, place, name), `#!/bin/sh\ntouch ${folder}/was-run\n`, { mode: 0o755 });
  }
  for (const sandbox of [[], ['--sandbox']]) {
    // Attributes and named pipes need perl, terminals stty.
    const script = '/usr/bin/mkfifo f && /bin/ls -l f | cut -c1; /bin/ls -ld sub | cut -c1; /bin/rm f';
    expect(culprit(['run', ...sandbox, '/bin/sh', '-c', script], { cwd: folder, env: { PATH: path } })).toEqual({ status: 0, stdout: 'p\nd\n', stderr: '' });
    expect(inTerminal(['run', ...sandbox, '/bin/sh', '-c', '/usr/bin/stty -echo; /usr/bin/stty -a | grep -o -e -echo; echo the end'], { PATH: path })).toContain('-echo');
  }
  expect(fs.existsSync(join(folder, 'was-run'))).toBe(false);
}, TIMEOUT);

it('the user\'s own terminal is there in the sandbox, by all its names', () => {
  const script = 'echo one > /dev/tty; echo two > $(tty); test -t 0 && stty size && read -t 0 x; echo three >&2; echo the end';
  const shown = inTerminal(['run', '--sandbox', '/bin/bash', '-c', script]);
  for (const text of ['one', 'two', '24 80', 'three']) expect(shown).toContain(text);
  expect(shown).not.toMatch(/denied|permitted/);
}, TIMEOUT);

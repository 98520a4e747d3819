/** Help and version. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CULPRIT, culprit, ROOT } from './culprit.js';

describe('--help', () => {
  it.each([[[]], [['run']], [['record']], [['check']], [['triage']], [['rules']], [['replay']], [['info']], [['dump']], [['writes']], [['origin']], [['slice']], [['probe']], [['count']], [['paths']], [['branch']], [['checkpoint']], [['query']], [['ir']]])('of %j has usage and examples', (command: string[]) => {
    const { status, stdout, stderr } = culprit([...command, '--help']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: culprit/);
    expect(stdout).toMatch(/^Examples:\n {2}\$ culprit /m);
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(110);
  });

  it.each([['--help'], ['check --help'], ['rules list --help']])('%s need not be read to its end', (args) => {
    const { stdout, stderr } = spawnSync('sh', ['-c', `{ "$NODE" "$CULPRIT" ${args}; echo "$?" >&2; } | true`], { encoding: 'utf8', env: { ...process.env, NODE: process.execPath, CULPRIT } });
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '0\n' });
  });

  it('has no colours where there is no terminal', () => {
    expect(culprit(['--help']).stdout).not.toContain('\u001b');
  });
});

it('is a command as well', () => {
  expect(culprit(['help'])).toEqual(culprit(['--help']));
  expect(culprit(['help', 'replay'])).toEqual(culprit(['replay', '--help']));
  expect(culprit(['help', 'nothing'])).toEqual({ status: 2, stdout: '', stderr: "culprit: unknown command 'nothing'; see culprit help\n" });
});

it('--version is that of the package', () => {
  const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { version: string };
  expect(culprit(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
});

/** `culprit origin`, and `origin` in the debugger, as users see them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { culprit, type Outcome } from '../cli/culprit.js';
import { compile, lineOf } from './traced.js';

const folder = mkdtempSync(join(tmpdir(), 'origin-'));
const inFolder = (...args: string[]): Outcome => culprit(args, { cwd: folder });

beforeAll(() => {
  inFolder('record', '-o', 'bug.culprit', compile('noDirectory.c', ['-O0']));
});

afterAll(() => rmSync(folder, { recursive: true }));

test('shows the lines that a value went through', () => {
  const { stdout, stderr, status } = inFolder('origin', 'bug.culprit', 'entry');
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(stdout.replace(/time [\d,]+/g, 'time T')).toBe([
    'entry = 0x0',
    '#0    time T  getContents () at noDirectory.c:18',
    '      18\tfor (entry = contents; (length = strlen(entry)) != 0; entry += length + 1) // MARK: crash',
    '      entry = 0x0, from contents',
    '#1    time T  getContents () at noDirectory.c:15',
    '      15\tchar *contents = saveDirectory(path);',
    '      contents = 0x0, the result of saveDirectory ()',
    '#2    time T  saveDirectory () at noDirectory.c:9',
    '      9\treturn NULL;',
    '      0, a constant',
    '3 steps to where it was made.',
    '',
  ].join('\n'));
});

test('as JSON, at a time', () => {
  const { stdout } = inFolder('origin', '--json', '--at', '117,000', '--limit', '1', 'bug.culprit', '$rsp');
  expect(JSON.parse(stdout)).toMatchObject({ expression: '$rsp', time: 117_000, links: [{ instructions: [{ place: 'rsp' }] }] });
});

test.each([
  [['bug.culprit', '1 + 2'], 'culprit: 1 + 2 is in no place of its own: ask for a variable, a member, *ADDRESS or a register'],
  [['--at', '999999999', 'bug.culprit', 'entry'], /^culprit: no such time: 999,999,999 \(the recording ends at [\d,]+\)$/],
])('one line for %j', (args, message) => {
  const { stderr, stdout, status } = inFolder('origin', ...args);
  expect(stdout).toBe('');
  expect(stderr.trimEnd()).toMatch(message);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(status).toBe(2);
});

test('in the debugger the place stays', () => {
  const { stdout } = inFolder('debug', '-q', '-batch', '-ex', 'frame function getContents', '-ex', 'origin contents', '-ex', 'frame', '-ex', 'help origin', 'bug.culprit');
  expect(stdout).toContain('contents = 0x0, the result of saveDirectory ()');
  expect(stdout).toContain('2 steps to where it was made.');
  expect(stdout.split('2 steps')[1]).toContain(`noDirectory.c:${lineOf('noDirectory.c', 'crash')}`);
  expect(stdout).toContain('origin list->head');
});

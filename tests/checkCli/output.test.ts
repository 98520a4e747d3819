/** Where reports of `culprit check` go, so that programs can read them whatever the checked program writes. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CULPRIT } from '../cli/culprit.js';
import { compiled, inFolder, lineOf } from './checked.js';
import { sarifProblems } from './sarifSchema.js';

const TALKER = compiled('talker');
const [SAID, COMPLAINED, ALL_COMPLAINED] = ['[{"rule": "mine"}]\nto stdout\n', ']}\nto stderr\n', ']}\nto stderr\nno newline at the end'];

function rulesIn(text: string): string[] {
  return (JSON.parse(text) as { rule: string }[]).map(({ rule }) => rule);
}

describe('--json', () => {
  it('is all there is on stdout; what the program says there is on stderr', () => {
    inFolder(({ check }) => {
      const { status, stdout, stderr } = check('--json', TALKER, 'wrong');
      expect(rulesIn(stdout)).toEqual(['heap.buffer.overflow']);
      expect({ status, stderr }).toEqual({ status: 99, stderr: `${SAID}${COMPLAINED}` });
    });
  });

  it('is an empty list if there is nothing to report', () => {
    inFolder(({ check }) => {
      const { status, stdout, stderr } = check('--json', TALKER);
      expect({ status, reports: JSON.parse(stdout) as unknown, stderr }).toEqual({ status: 3, reports: [], stderr: `${SAID}${ALL_COMPLAINED}` });
    });
  });

  it('of a recording is on stdout, too', () => {
    inFolder(({ check, file }) => {
      check('--record', 'run.culprit', '--json', '--output', 'live.json', TALKER, 'wrong');
      const { stdout, stderr } = check('--json', 'run.culprit');
      expect(JSON.parse(stdout)).toEqual(JSON.parse(file('live.json')));
      expect(stderr).toBe('');
    });
  });
});

describe('--output', () => {
  it('takes reports as JSON, and leaves the streams to the program', () => {
    inFolder(({ check, file, path }) => {
      const { status, stdout, stderr } = check('--json', '--output', 'found.json', '--sarif', 'found.sarif', TALKER, 'wrong');
      expect({ status, stdout, stderr }).toEqual({ status: 99, stdout: SAID, stderr: COMPLAINED });
      expect(rulesIn(file('found.json'))).toEqual(['heap.buffer.overflow']);
      expect(sarifProblems(JSON.parse(file('found.sarif')))).toEqual([]);
      expect(readdirSync(path).toSorted()).toEqual(['found.json', 'found.sarif']);
    });
  });

  it('takes reports as text, with all that belongs to them', () => {
    inFolder(({ check, file, path }) => {
      writeFileSync(join(path, 'found.txt'), 'x'.repeat(100_000));
      const { status, stdout, stderr } = check('--output', 'found.txt', '--gen-suppressions', TALKER, 'wrong');
      expect({ status, stdout, stderr }).toEqual({ status: 99, stdout: SAID, stderr: COMPLAINED });
      expect(file('found.txt')).toMatch(/^error: access to .* \[heap\.buffer\.overflow\]\n/);
      expect(file('found.txt')).toContain(`  > ${lineOf('talker', 'BUG')} |         p[10] = 1; /* BUG */\n`);
      expect(file('found.txt')).toContain('\nheap.buffer.overflow\nfun:main\n');
      for (const unwanted of ['\u001b', 'xxx']) expect(file('found.txt')).not.toContain(unwanted);
    });
  });

  it('may be a descriptor that the shell has opened', () => {
    inFolder(({ path }) => {
      execFileSync('sh', ['-c', '"$0" check --json --output /dev/fd/3 "$1" wrong 3>&1 >/dev/null 2>&1 | cat > all', CULPRIT, TALKER], { cwd: path });
      expect(rulesIn(readFileSync(join(path, 'all'), 'utf8'))).toEqual(['heap.buffer.overflow']);
    });
  });

  it('has to be a place that can be written to, which is known before the program runs', () => {
    inFolder(({ check }) => {
      expect(check('--output', 'no/where', TALKER)).toEqual({ status: 2, stdout: '', stderr: 'culprit: --output no/where: No such file or directory\n' });
      expect(check('--output', '.', TALKER)).toEqual({ status: 2, stdout: '', stderr: 'culprit: --output .: Is a directory\n' });
    });
  });
});

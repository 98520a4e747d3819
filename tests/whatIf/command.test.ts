/** `culprit branch --switch --suppress --output`, as scripts use it, and what users do wrong. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { culprit, type Outcome } from '../cli/culprit.js';
import { compile, edited, lineOf, sourceOf } from './altered.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'alterations-'));
const inFolder = (...args: string[]): Outcome => culprit(args, { cwd: folder });
const at = (mark: string): string => `stores.c:${lineOf('stores', mark)}`;

beforeAll(() => {
  const program = compile('stores', sourceOf('stores'), 'O0');
  inFolder('record', '-o', 'a.culprit', program);
  execFileSync('strip', ['-o', path.join(folder, 'bare'), program]);
  inFolder('record', '-o', 'bare.culprit', './bare');
}, 60_000);

afterAll(() => fs.rmSync(folder, { recursive: true }));

describe('culprit branch with alterations', () => {
  it('prints all that the program prints, and ends as it does', () => {
    const wanted = edited('stores', { local: '', recursion: 'if (n != 4) global += n;', floatCondition: 'if (!(ratio == 1.75))' }, 'O0');
    const { stdout, stderr, status } = inFolder('branch', 'a.culprit', '--suppress', at('local'), '--suppress', `${at('recursion')}#3`, '--switch', at('floatCondition'), '--output');
    expect({ output: stdout, status }).toEqual(wanted);
    expect(stderr).toBe('');
  });

  it('tells how it ended without --output', () => {
    const { stdout, stderr, status } = inFolder('branch', 'a.culprit', '--suppress', at('puts'));
    expect(stdout).not.toContain('a line');
    expect(stderr).toMatch(/^culprit: the branch exited with status 20 at time /);
    expect(status).toBe(20);
  });

  it('takes addresses where there is no debug information', () => {
    const text = execFileSync('objdump', ['-d', '--no-show-raw-insn', compile('stores', sourceOf('stores'), 'O0')], { encoding: 'utf8' });
    const main = text.slice(text.indexOf('<main>:'));
    const puts = 0x5555_5555_4000 + Number.parseInt(/^\s*([0-9a-f]+):\s+call\s.*<puts@plt>/m.exec(main)?.[1] ?? '', 16);
    const { stdout, status } = inFolder('branch', 'bare.culprit', '--suppress', `*0x${puts.toString(16)}`, '--output');
    expect(stdout).toBe(edited('stores', {}, 'O0').output.replace('a line\n', ''));
    expect(status).toBe(20);
  });

  it.each([
    ['a line without code', ['--switch', 'stores.c:1'], /stores\.c:1 has no code/],
    ['an unknown file', ['--switch', 'nothing.c:1'], /nothing\.c/],
    ['no condition', ['--switch', at('local')], /no condition/],
    ['an instance that never happens', ['--suppress', `${at('local')}#2`], /reached once, not 2/],
    ['a function that there is not', ['--suppress', 'nothing'], /nothing/],
    ['the end of a function', ['--suppress', `stores.c:${sourceOf('stores').split('\n').findIndex((line) => line.startsWith('APART double half')) - 1}`], /cannot be left out/],
    ['nonsense', ['--switch', '???'], /\?\?\?/],
    ['no alteration and no time', [], /--at/],
  ] as const)('refuses %s in one line', (_name, args, message) => {
    const { stdout, stderr, status } = inFolder('branch', 'a.culprit', ...args, '--output');
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 });
    expect(stderr).toMatch(/^culprit: [^\n]+\n$/);
    expect(stderr).toMatch(message);
  });

  it('refuses lines where there is no debug information', () => {
    const { stderr, status } = inFolder('branch', 'bare.culprit', '--switch', 'stores.c:70');
    expect(stderr).toMatch(/^culprit: [^\n]*no debug information[^\n]*\*0x[^\n]*\n$/);
    expect(status).toBe(2);
  });
});

/** The five programs of docs/tutorial-slices.md, by its own commands. See README.md. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CULPRIT, ROOT } from '../cli/culprit.js';
import { type Example, examplesOf, firstDifference, printedByEach, shellScript } from '../install/consoleBlocks.js';
import { LONG } from '../table/testTable.js';

const PATIENCE = 300_000;
const tutorial = readFileSync(join(ROOT, 'docs', 'tutorial-slices.md'), 'utf8');
const [introduction = '', ...sections] = tutorial.split(/^## /m);
const program = (section: string): string => /-o (\w+) demo/.exec(section)?.[1] ?? '';
const source = (name: string): string[] => readFileSync(join(ROOT, 'demo', 'cases', `${name}.c`), 'utf8').split('\n');

const folder = mkdtempSync(join(tmpdir(), 'culprit-tutorial-'));
const [bin, work] = [join(folder, 'bin'), join(folder, 'work')];

beforeAll(() => {
  mkdirSync(bin);
  mkdirSync(work);
  symlinkSync(CULPRIT, join(bin, 'culprit'));
  symlinkSync(join(ROOT, 'demo'), join(work, 'demo'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function expectPrinted(examples: readonly Example[]): void {
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}`, NO_COLOR: '1' };
  const { stdout } = spawnSync('bash', ['-c', shellScript(examples)], { cwd: work, encoding: 'utf8', env, timeout: PATIENCE });
  const printed = printedByEach(stdout);
  expect(printed.length).toBe(examples.length);
  for (const [i, { command, output }] of examples.entries()) expect(firstDifference(output, printed[i] ?? []), command).toBeUndefined();
}

describe('the tutorial of slices', () => {
  it('has five programs, all of them in its table', () => {
    expect(sections.map(program)).toEqual(['squeeze', 'neat', 'calc', 'render', 'backup']);
    for (const section of sections) expect(introduction).toContain(`| \`${program(section)}\` |`);
  });

  it.each(sections.map((section) => [program(section), section] as const))('shows lines of %s as they are', (name, section) => {
    const lines = source(name);
    const shown = [...section.matchAll(/^(?:\[ ?\d+\] )? *(\d+) > (.*?)(?: {2}\(\d+ times\))?$/gm), ...section.matchAll(/^(\d+)\t(.*)$/gm)];
    expect(shown.length).toBeGreaterThan(0);
    for (const [, line, text] of shown) expect(lines[Number(line) - 1], `line ${line}`).toBe(text);
    const named = [...section.matchAll(new RegExp(`^ *\\d+ {2}${name}\\.c:(\\d+)#\\d+ +(?:control|data \\(.*?\\)) {2}(.*)$`, 'gm'))];
    for (const [, line, text] of named) expect(lines[Number(line) - 1]?.trim(), `line ${line}`).toBe(text);
  });

  for (const [i, section] of sections.entries()) {
    it.skipIf(!LONG && i > 0)(`says what is printed for ${program(section)}`, () => {
      const { blocks } = examplesOf(section);
      for (const examples of LONG ? blocks : blocks.slice(0, 2)) expectPrinted(examples);
    }, PATIENCE * 2);
  }

  it.skipIf(!LONG)('has programs that do natively what they do in culprit', () => {
    for (const section of sections) {
      const name = program(section);
      const [compile, ...prepare] = (examplesOf(section).blocks[0] ?? []).map(({ command }) => command).filter((command) => !command.startsWith('gdb'));
      const record = prepare.find((command) => command.startsWith('culprit record')) ?? '';
      const before = [compile, ...prepare.filter((command) => !command.startsWith('culprit'))].join('\n');
      execFileSync('bash', ['-c', before], { cwd: work });
      const run = (command: string): { readonly output: string; readonly status: number | null } => {
        const variables = prepare.filter((one) => /^\w+=/.test(one)).join('\n');
        const { stdout, stderr, status } = spawnSync('bash', ['-c', `${variables}\n${command}; exit $?`], { cwd: work, encoding: 'utf8', env: { ...process.env, PATH: `${bin}:${process.env['PATH']}` } });
        return { output: stdout + stderr.replace(/^.*(Segmentation fault|Aborted).*\n/m, ''), status };
      };
      const native = record.replace(/^culprit record -o \S+ /, '');
      expect(run(record), name).toEqual(run(native));
    }
  }, PATIENCE);
});

/**
 * Variables as blocks: harmless programs run as they do natively and nothing is said; recordings of them replay;
 * reports say which variable it is.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Checker } from '../../src/check/checker.js';
import { NODE_FILES } from '../../src/cli/opening/nodeFiles.js';
import { at } from '../../src/replay/log/position.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { compileRuleFiles } from '../../src/rules/testing/ruleFiles.js';
import { RuleSet } from '../../src/rules/evaluate/ruleSet.js';
import { culprit } from '../cli/culprit.js';
import { record } from '../replay/recorded.js';
import type { BugCase } from './bugCase.js';
import { buildCase } from './buildCase.js';

const LONG = process.env['CULPRIT_LONG'] === '1';
const RULES = ['stack.bug', 'globals.bug', 'common.bug'];

/** What gcc does there without being asked. */
const UBUNTU = ['-fstack-clash-protection', '-fstack-protector-strong', '-fcf-protection'];
/** For programs/onStack.c: by what means, and the size of an element. */
const MEANS = [['0', 1], ['1', 4], ['2', 16]] as const;
/** Less than a page, whole pages, several. */
const COUNTS = LONG ? [1, 5, 16, 255, 256, 1000, 1024, 4080, 4096, 9000] : [9000];

function program(name: string, flags: readonly string[] = []): Promise<string> {
  const text = readFileSync(new URL(`programs/${name}`, import.meta.url), 'utf8');
  return buildCase({ name, rule: '', buggy: false, sources: [{ name, text }], flags } as BugCase);
}

describe('variables', () => {
  it.each([
    ['locals.c', []], ['locals.cc', []], ['locals.c', ['-fstack-clash-protection']], ['globals.c', []], ['globals.cc', []], ['globalConstants.c', []], ['forks.c', []], ['protected.c', []], ['globals.c', ['-no-pie', '-fno-pie']],
    ...(LONG ? ([['locals.c', ['-O2']], ['locals.cc', ['-O2']], ['locals.c', ['-static']], ['locals.c', ['-no-pie']], ['locals.c', UBUNTU], ['locals.cc', UBUNTU]] as const) : []),
    ...(LONG ? ([['globals.c', ['-O2']], ['globals.c', ['-static']], ['globals.c', ['-no-pie']], ['globals.cc', ['-no-pie', '-fno-pie']], ['globals.c', ['-fPIC']], ['globals.c', ['-rdynamic']]] as const) : []),
  ] as const)('are used as one likes: %s %j', async (name, flags) => {
    const path = await program(name, flags);
    const { status, stdout, stderr } = culprit(['check', path]);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toBe(execFileSync(path, { encoding: 'utf8' }));
  });

  it.each([[[]], [['-fstack-clash-protection']], ...(LONG ? [[UBUNTU]] : [])])('on the stack end where alloca and arrays of variable length do: gcc %j', async (flags) => {
    const path = await program('onStack.c', flags);
    for (const [means, size] of MEANS) {
      for (const count of COUNTS) {
        expect(culprit(['check', path, means, `${count}`, `${count - 1}`])).toMatchObject({ status: 0, stderr: '' });
        const { status, stderr } = culprit(['check', path, means, `${count}`, `${count}`]);
        expect([status, stderr.split('\n')[0]]).toEqual([99, expect.stringContaining(`byte ${count * size} of a local variable of ${count * size} bytes [stack.buffer.overflow]`)]);
      }
    }
  });

  it.each([['locals.c', []], ['locals.c', ['-fstack-clash-protection']], ['globals.c', []], ['protected.c', []]] as const)('have the same addresses when the run is played again: %s %j', async (source, flags) => {
    const files = new Map(RULES.map((name) => [name, readFileSync(new URL(`../../rules/${name}`, import.meta.url), 'utf8')]));
    const rules = new RuleSet(compileRuleFiles(RULES.slice(0, 2), (name) => files.get(name.replace(/.*\//, '')) ?? ''));
    const findings: unknown[] = [];
    const run = await record([await program(source, flags)], { interceptor: new Checker(rules, (finding) => (findings.push(finding), 'go on'), {}, undefined, undefined, NODE_FILES) });
    expect(findings).toEqual([]);
    const timeline = new Timeline({ ...run.options, engine: { ...run.options.engine, noCompiler: true }, checkpointInterval: 100_000 });
    for (const part of [1, 0.5, 0.75]) await timeline.seek(at(Math.floor(run.instructions * part)));
    expect(timeline.position.time).toBe(Math.floor(run.instructions * 0.75));
  });

  it('are what pointers to them are named after', async () => {
    const text = `#include <stdio.h>
static int row[8], next[8];
static int total(const int *from) {
  int sum = 0;
  for (const int *at = from; at <= from + 8; at++) sum += *at;
  return sum;
}
int main(void) { return printf("%d\\n", total(row)) + next[0]; }
`;
    const path = await buildCase({ name: 'named', rule: '', buggy: true, sources: [{ name: 'main.c', text }], flags: [] } as unknown as BugCase);
    const folder = mkdtempSync(join(tmpdir(), 'culprit-named-'));
    try {
      const recording = join(folder, 'run.culprit');
      expect(culprit(['check', '--record', recording, path]).stderr).toContain('0 bytes after row, a global variable of 32 bytes');
      const { stdout } = culprit(['debug', '-q', '-batch', '-ex', 'print at', '-ex', 'print from', recording]);
      expect(stdout).toMatch(/ <row\+32>\n.* <row>\n/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

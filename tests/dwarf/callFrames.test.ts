import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CallFrames } from '../../src/dwarf/callFrames.js';
import type { FrameRules, RegisterRule } from '../../src/dwarf/frameRules.js';
import { ElfFile } from '../../src/elf/elfFile.js';
import { compile, output, sectionsOf } from './compiled.js';

const REGISTERS = ['rax', 'rdx', 'rcx', 'rbx', 'rsi', 'rdi', 'rbp', 'rsp', ...Array.from({ length: 8 }, (_, i) => `r${i + 8}`), 'ra'];
const LIBRARIES = ['/lib/x86_64-linux-gnu/libc.so.6', '/lib64/ld-linux-x86-64.so.2', '/usr/lib/x86_64-linux-gnu/libstdc++.so.6'];

/** A row: an address, and how CFA and registers are found there. */
interface Row {
  readonly address: number;
  readonly rules: readonly (readonly [string, string])[];
}

/** Rows as `readelf --debug-dump=frames-interp` shows them, of those descriptions that have rows of their own. */
function readelfRows(path: string): Row[] {
  const rows: Row[] = [];
  let names: string[] = [];
  let [isDescription, low, high] = [false, 0, 0];
  for (const line of output('readelf', ['--debug-dump=frames-interp,no-follow-links', path]).split('\n')) {
    const head = / (FDE|CIE) .*?(?:pc=([0-9a-f]+)\.\.([0-9a-f]+))?$/.exec(line);
    if (head !== null) [isDescription, low, high] = [head[1] === 'FDE', parseInt(head[2] ?? '0', 16), parseInt(head[3] ?? '0', 16)];
    const words = line.trim().split(/\s+/);
    if (words[0] === 'LOC') names = words.slice(1);
    else if (isDescription && /^[0-9a-f]{16}$/.test(words[0] ?? '') && words.length === names.length + 1) {
      const address = parseInt(words[0] as string, 16);
      if (address >= low && address < high) rows.push({ address, rules: names.map((name, i) => [name, words[i + 1] as string]) });
    }
  }
  return rows;
}

function shownRule(rule: RegisterRule | undefined): string {
  switch (rule?.kind) {
    case undefined: case 'undefined': return 'u';
    case 'same': return 's';
    case 'offset': return `c${rule.offset < 0 ? '' : '+'}${rule.offset}`;
    case 'valueOffset': return `v${rule.offset < 0 ? '' : '+'}${rule.offset}`;
    case 'register': return REGISTERS[rule.register] ?? '';
    case 'expression': return 'exp';
    case 'valueExpression': return 'vexp';
  }
}

function shown(rules: FrameRules, name: string): string {
  if (name !== 'CFA') return shownRule(rules.registers.get(REGISTERS.indexOf(name)));
  const { cfa } = rules;
  return cfa.kind === 'expression' ? 'exp' : `${REGISTERS[cfa.register]}${cfa.offset < 0 ? '' : '+'}${cfa.offset}`;
}

/** Of several rows for one address the last counts. */
function check(frames: CallFrames, path: string): number {
  const rows = new Map(readelfRows(path).map((row) => [row.address, row]));
  for (const { address, rules } of rows.values()) {
    const ours = frames.rulesAt(address);
    expect(ours, address.toString(16)).toBeDefined();
    expect(rules.map(([name]) => [name, shown(ours as FrameRules, name)]), address.toString(16)).toEqual(rules);
  }
  return rows.size;
}

describe('rules for unwinding are those that readelf shows', () => {
  it.each([
    ['.eh_frame', ['-O2', '-g']],
    ['.debug_frame', ['-O2', '-g', '-fno-asynchronous-unwind-tables', '-fno-exceptions']],
  ])('%s', (_, flags) => {
    const { path, sections } = compile(['inlined.c'], flags);
    expect(check(CallFrames.of(sections), path)).toBeGreaterThan(10);
  });

  it('without a table to search', () => {
    const { path, sections } = compile(['inlined.c'], ['-O2', '-g']);
    expect(check(new CallFrames({ ehFrame: sections.find('.eh_frame') }), path)).toBeGreaterThan(10);
  });

  it.skipIf(process.env['CULPRIT_LONG'] !== '1').each(LIBRARIES.filter((path) => existsSync(path)))('%s', (path) => {
    expect(check(CallFrames.of(sectionsOf(new ElfFile(path, readFileSync(path)))), path)).toBeGreaterThan(500);
  });
});

it('knows the frame of a signal handler', () => {
  const path = LIBRARIES[0] as string;
  const frames = CallFrames.of(sectionsOf(new ElfFile(path, readFileSync(path))));
  const signal = [...frames.all()].filter((description) => description.common.isSignalFrame);
  expect(signal).toHaveLength(1);
  const rules = frames.rulesAt(signal[0]?.low ?? 0);
  expect(rules?.isSignalFrame).toBe(true);
  expect(rules?.cfa.kind).toBe('expression');
  expect(rules?.registers.get(16)?.kind).toBe('expression');
});

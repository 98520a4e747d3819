import { describe, expect, it } from 'vitest';
import type { Command } from './command.js';
import { CommandSet } from './commandSet.js';

function command(name: string, aliases: readonly string[] = []): Command {
  return { name, aliases, group: 'support', usage: name, summary: name, run: () => undefined };
}

const SET = new CommandSet([command('step', ['s']), command('stepi', ['si']), command('start'), command('shell'), command('print', ['p']), command('x')]);

describe('a line', () => {
  it.each([
    ['s', 'step', ''], ['step 3', 'step', '3'], ['stepi', 'stepi', ''], ['p/x y', 'print', '/x y'], ['p $rax', 'print', '$rax'], ['p*q', 'print', '*q'], ['x/4xw $sp', 'x', '/4xw $sp'],
    ['sta', 'start', ''], ['!ls -l', 'shell', 'ls -l'], ['  print  a b ', 'print', 'a b'],
  ])('%s', (line, name, args) => {
    expect(SET.parse(line)).toMatchObject({ command: { name }, args });
  });

  it('that is empty or a comment says nothing', () => {
    expect(SET.parse('  ')).toBeUndefined();
    expect(SET.parse('# step')).toBeUndefined();
  });

  it('that means nothing, or several things, is refused in gdb\'s words', () => {
    expect(() => SET.parse('frobnicate 3')).toThrow('Undefined command: "frobnicate".  Try "help".');
    expect(() => SET.parse('st')).toThrow('Ambiguous command "st": start, step, stepi.');
    expect(() => SET.parse('(3)')).toThrow('Undefined command: "(3)".  Try "help".');
  });
});

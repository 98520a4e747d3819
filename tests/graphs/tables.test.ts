import { describe, expect, it } from 'vitest';
import { FLOW, FlowReader } from '../../src/x86/flowReader.js';
import { openFile } from './fromFile.js';
import { assemble, programText } from './randomSwitches.js';

const FLAGS = [['-O0'], ['-O1'], ['-O2'], ['-Os'], ['-O3', '-march=x86-64-v2'], ['-O2', '-fno-pie', '-no-pie'], ['-O0', '-fno-pie', '-no-pie'], ['-O2', '-fcf-protection=full']];

describe('tables are those that the compiler made', () => {
  it.each(FLAGS.map((flags) => [flags.join(' '), flags] as const))('%s', (_, flags) => {
    const { path, tables } = assemble(programText(7, 120), flags);
    const { graphs, functions, code } = openFile(path);
    const reader = new FlowReader((address, length) => code.fetch(address, length));
    const found = new Map<string, number[]>();
    for (const [entry, name] of functions) {
      if (!/^f\d+$/.test(name)) continue;
      const jumps = graphs.graphOf(entry).nodes.filter(({ last }) => reader.read(last) === FLOW.indirectJump);
      if (jumps.length > 0) found.set(name, jumps.map(({ successors }) => successors.length).sort((a, b) => a - b));
    }
    const sorted = (map: ReadonlyMap<string, readonly number[]>): unknown => [...map].map(([name, sizes]) => `${name} ${sizes.join()}`).sort();
    expect(tables.size).toBeGreaterThan(60);
    expect(sorted(found)).toEqual(sorted(tables));
  });
});

import { describe, expect, it } from 'vitest';
import { FLOW, FlowReader } from '../../src/x86/flowReader.js';
import { openFile } from './fromFile.js';
import { assemble, programText } from './randomSwitches.js';

const FLAGS = [['-O0'], ['-O1'], ['-O2'], ['-Os'], ['-O3', '-march=x86-64-v2'], ['-O2', '-fno-pie', '-no-pie'], ['-O0', '-fno-pie', '-no-pie'], ['-O2', '-fcf-protection=full']];

describe('tables are those that the compiler made', () => {
  it.each(FLAGS.map((flags) => [flags.join(' '), flags] as const))('%s', (_, flags) => {
    const { path, tables } = assemble(programText(7, 60), flags);
    const { graphs, functions, code } = openFile(path);
    const reader = new FlowReader((address, length) => code.fetch(address, length));
    const found: string[] = [];
    for (const [entry, name] of functions) {
      if (!/^f\d+$/.test(name)) continue;
      const { nodes } = graphs.graphOf(entry);
      for (const { last, successors } of nodes) {
        if (reader.read(last) !== FLOW.indirectJump) continue;
        found.push(`${name} ${successors.map((index) => nodes[index]?.start ?? 0).sort((a, b) => a - b).join()}`);
      }
    }
    const expected = [...tables].filter(([name]) => /^f\d+$/.test(name)).flatMap(([name, all]) => all.map((places) => `${name} ${places.join()}`));
    expect(expected.length).toBeGreaterThan(50);
    expect(found.sort()).toEqual(expected.sort());
  });
});

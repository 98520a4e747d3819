/** Makes a test of every program, variant and run. */
import { ALL, USUAL, type Variant } from './variants.js';
import { buildProgram } from './build.js';
import type { Program } from './programs.js';
import { LONG, type Row, testRows } from '../table/testTable.js';

export function testPrograms(group: string, programs: readonly Program[]): void {
  testRows(group, programs.flatMap(rows));
}

export function rows(program: Program): Row[] {
  return chosen(program).flatMap((variant) =>
    program.runs.map(({ args = [], ...rest }): Row => {
      const name = [program.source, variant.name, ...args].join(' ');
      return { name, make: async () => ({ ...rest, name, argv: [await buildProgram(program.source, variant), ...args] }) };
    }),
  );
}

/**
 * Programs take turns with the variants, so that together they still cover all. The usual run has time for half of
 * those that a program asks for.
 */
function chosen({ source, variants = 1, glibcOnly = false }: Program): readonly Variant[] {
  const possible = (LONG ? ALL : USUAL).filter((variant) => !glibcOnly || variant.compiler === 'gcc');
  if (LONG) return possible;
  const first = source.length % possible.length;
  return [...possible.slice(first), ...possible.slice(0, first)].slice(0, Math.ceil(variants / 2));
}

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { placesOfFunction, placesOfLine } from '../../src/dwarf/breakpointPlaces.js';
import { scopesAt } from '../../src/dwarf/sourceFrames.js';
import { CASES, askGdb, compile, type Compiled } from './compiled.js';

const SOURCES = fileURLToPath(new URL('programs/', import.meta.url));

/** Addresses of breakpoint `number` in the table of `info breakpoints`, in order. */
function addressesIn(table: string, number: number): string[] {
  const rows = table.split('\n').filter((row) => new RegExp(`^${number}(\\.\\d+)? `).test(row));
  return rows.flatMap((row) => /0x[0-9a-f]+/.exec(row)?.[0] ?? []).map((text) => parseInt(text, 16).toString(16)).sort();
}

/** Where gdb would stop, for each location. One gdb answers for all. */
function gdbPlaces(path: string, locations: readonly string[]): string[][] {
  const answers = askGdb(path, [...locations.flatMap((location) => [`break ${location}`]), 'info breakpoints']);
  const table = answers.at(-1) ?? '';
  let number = 0;
  return locations.map((_, i) => {
    if (!/^Breakpoint \d+/m.test(answers[i] ?? '')) return [];
    return addressesIn(table, ++number);
  });
}

/**
 * Of a line in a part of a function that was moved below its start, gdb makes the function's start: such breakpoints
 * stop at each call. Ours are at the line.
 */
function withoutMistake({ info }: Compiled, expected: readonly string[], ours: readonly string[]): readonly string[] {
  if (expected.length !== 1 || ours.length !== 1) return expected;
  const [theirs, address] = [parseInt(expected[0] as string, 16), parseInt(ours[0] as string, 16)];
  const outer = scopesAt(info, address).at(-1);
  return outer !== undefined && outer.ranges.length > 1 && theirs === outer.entry ? ours : expected;
}

function hex(places: readonly { readonly address: number }[]): string[] {
  return places.map(({ address }) => address.toString(16)).sort();
}

const FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
  'shapes.c': ['main', 'add', 'sum', 'variable_length', 'mixed', 'recurse', 'nonsense'],
  'inlined.c': ['main', 'square', 'sum_of_squares', 'work', 'average', 'complain'],
  'firstHalf.c': ['main', 'same_name', 'both', 'other_half'],
  'classes.cc': ['main', 'takes', 'hidden', 'outer::inner::Shape::area', 'inner::Shape::scale', 'overloaded', 'outer::v1::versioned', 'Base::area', 'Shape::Shape', 'largest', 'largest<double>', 'Array::at', 'Array<int, 3>::operator<', 'overloaded(int)', 'overloaded(double)', 'inner::Shape::scale(int)', 'takes(std::string const&, int&&, Array<int, 3>&, outer::inner::Shape const*)'],
};

/** Those that differ in code. */
const DIFFERENT = CASES.filter(([name]) => ['-O0', '-O2', '-O1 DWARF 5, types apart, compressed', '-O2 compressed the old way, sections collected', '-O2 DWARF 4, types apart'].includes(name));

describe.each(DIFFERENT)('%s %s', (_, sources, flags) => {
  it('breaks at lines and functions where gdb does', () => {
    const program = compile(sources, flags);
    const lines = sources.flatMap((name) => readFileSync(SOURCES + name, 'utf8').split('\n').map((_line, i) => ({ name, line: i + 1 })));
    const functions = FUNCTIONS[sources[0] as string] ?? [];
    const places = [...lines.map(({ name, line }) => `${name}:${line}`), ...functions];
    const expected = gdbPlaces(program.path, places);
    const ours = [
      ...lines.map(({ name, line }) => hex(placesOfLine(program.info, name, line, program.readCode))),
      ...functions.map((name) => hex(placesOfFunction(program.info, name, program.readCode))),
    ];
    const told = (addresses: readonly string[], i: number): string => `${places[i]} ${addresses.join(' ')}`;
    expect(ours.map(told)).toEqual(expected.map((addresses, i) => told(withoutMistake(program, addresses, ours[i] ?? []), i)));
  });
});

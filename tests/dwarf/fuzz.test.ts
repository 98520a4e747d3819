import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DebugInfo } from '../../src/dwarf/debugInfo.js';
import { DwarfSections } from '../../src/dwarf/dwarfSections.js';
import type { ElfFile } from '../../src/elf/elfFile.js';
import { compile, type Compiled } from './compiled.js';
import { explore } from './explore.js';

const CASES = process.env['CULPRIT_LONG'] === '1' ? 4000 : 25;
const SECTIONS = [
  '.debug_info', '.debug_abbrev', '.debug_line', '.debug_line_str', '.debug_str', '.debug_aranges', '.debug_rnglists', '.debug_loclists', '.debug_ranges',
  '.debug_loc', '.debug_types', '.eh_frame', '.eh_frame_hdr',
];
/** Nothing small may take longer, on a busy machine either. */
const MOST_MILLISECONDS = 5000;

/** Random numbers, the same each time. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Damage = (bytes: Uint8Array, next: (below: number) => number) => Uint8Array;

const DAMAGES: readonly Damage[] = [
  (bytes, next) => changed(bytes, 1 + next(8), () => next(256), next),
  (bytes, next) => changed(bytes, 1 + next(3), () => [0, 1, 0x7f, 0x80, 0xff][next(5)] as number, next),
  (bytes, next) => bytes.slice(0, next(bytes.length)),
  (bytes, next) => {
    const copy = bytes.slice();
    copy.copyWithin(next(bytes.length), next(bytes.length), next(bytes.length) + 64);
    return copy;
  },
  (bytes, next) => changed(bytes, 200, () => next(256), next),
];

function changed(bytes: Uint8Array, count: number, value: () => number, next: (below: number) => number): Uint8Array {
  const copy = bytes.slice();
  for (let i = 0; i < count; i++) copy[next(bytes.length)] = value();
  return copy;
}

/** The program with one of its sections damaged. */
function damaged({ elf }: Compiled, name: string, bytes: Uint8Array): DwarfSections {
  const view: Pick<ElfFile, 'path' | 'section' | 'contents'> = {
    path: elf.path,
    section: (wanted) => elf.section(wanted),
    contents: (section) => (section.name === name ? bytes : elf.contents(section)),
  };
  return new DwarfSections(view, (stored, length) => inflateSync(stored, { maxOutputLength: Math.max(1, length) }));
}

describe.each([
  ['version 5', ['inlined.c'], ['-O2', '-g']],
  ['version 4 with type units', ['shapes.c'], ['-O1', '-gdwarf-4', '-fdebug-types-section']],
  ['compressed', ['firstHalf.c', 'secondHalf.c'], ['-O2', '-g', '-gz']],
])('damaged debug information: %s', (_, sources, flags) => {
  const program = compile(sources, flags);
  const addresses = program.info.units.flatMap((u) => (u.isTypeUnit ? [] : u.functions.all().flatMap((f) => f.ranges.map((r) => r.low + 4))));

  it('is good if it is not damaged', () => {
    const answers = explore(program.info, program.sections, addresses);
    expect(answers.corrupt).toBe(0);
    expect(answers.good).toBeGreaterThan(50);
  });

  it.each(SECTIONS.filter((name) => program.elf.section(name) !== undefined))('%s: an error at worst, and soon', (name) => {
    const original = program.elf.contents(program.elf.section(name) as never);
    for (let seed = 0; seed < CASES; seed++) {
      const next = random(seed * 7919 + name.length);
      const bytes = (DAMAGES[seed % DAMAGES.length] as Damage)(original, next);
      const sections = damaged(program, name, bytes);
      const start = performance.now();
      try {
        explore(new DebugInfo(sections, { lowestAddress: 0x1000 }), sections, addresses);
      } catch (error) {
        throw new Error(`${name}, seed ${seed}`, { cause: error });
      }
      expect(performance.now() - start, `${name}, seed ${seed}`).toBeLessThan(MOST_MILLISECONDS);
    }
  });
});

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ModuleFile } from '../../src/debugger/program/moduleFile.js';
import { DebugInfo } from '../../src/dwarf/debugInfo.js';
import type { SectionSource } from '../../src/dwarf/dwarfSections.js';
import { typeBody } from '../../src/dwarf/typeBodies.js';
import { ElfFile } from '../../src/elf/elfFile.js';
import { HOST_FILES } from '../debugger/debugged.js';
import { compile, open, sectionsOf, type Compiled } from './compiled.js';
import { explore } from './explore.js';
import { packageSplit } from './packaged.js';
import { whereabouts } from './whereabouts.js';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'culprit-dwarf-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const [HALVES, CLASSES] = [['firstHalf.c', 'secondHalf.c'], ['classes.cc']];
const LONG = process.env['CULPRIT_LONG'] === '1';
/** C++ takes long to compile. */
const FOR_CPP = LONG ? ['-gdwarf-5', '-gdwarf-4'] : ['-gdwarf-5'];
const CASES: [string, string[], string[]][] = [
  ['-gdwarf-4', HALVES, []], ['-gdwarf-5', HALVES, []], ...FOR_CPP.map((version): [string, string[], string[]] => [version, CLASSES, ['-fdebug-types-section']]),
];

/** A copy of a program of split DWARF that has a package in the place of its .dwo files. */
function packaged(sources: readonly string[], version: string, flags: readonly string[]): string {
  const made = compile(sources, ['-O2', '-gsplit-dwarf', version, ...flags]).path;
  const folder = mkdtempSync(join(directory, 'p-'));
  cpSync(join(made, '..'), folder, { recursive: true });
  const path = join(folder, 'program');
  const files = readdirSync(folder).filter((name) => name.endsWith('.dwo')).map((name) => join(folder, name));
  if (version === '-gdwarf-5') packageSplit(files, `${path}.dwp`);
  else execFileSync('dwp', ['-o', `${path}.dwp`, ...files]);
  for (const file of files) rmSync(file);
  return path;
}

const bodies = ({ info }: Compiled): string[] => [...new Set([...info.byName.names('type')].flatMap((name) => info.types.find(name).map((type) => typeBody(type, info.types.of))))].sort();

describe('a package of split debug information', () => {
  it.each(CASES)('%s %s %s has what the files have', (version, sources, flags) => {
    const whole = compile(sources, ['-O2', '-gsplit-dwarf', version, ...flags]);
    const path = packaged(sources, version, flags);
    const program = open(path);
    expect(whereabouts(program)).toEqual(whereabouts(whole));
    expect(bodies(program)).toEqual(bodies(whole));
    expect(program.info.problems).toEqual([]);
    expect(new ModuleFile(path, program.elf, HOST_FILES).info?.units.map((unit) => unit.full === unit)).not.toContain(true);
  });

  it('says what is wrong with its index, and is done without', () => {
    const path = packaged(HALVES, '-gdwarf-5', []);
    const [elf, dwp] = [path, `${path}.dwp`].map((file) => new ElfFile(file, readFileSync(file))) as [ElfFile, ElfFile];
    const good = sectionsOf(dwp);
    for (let seed = 1; seed < (LONG ? 3000 : 60); seed++) {
      const bytes = Uint8Array.from(good.find('.debug_cu_index')?.bytes ?? []);
      for (let i = 0; i < 1 + (seed % 3); i++) bytes[Math.imul(seed, 2654435761 + i * 97) >>> 8 & 0xffff % bytes.length] = [0, 1, 0xff, seed & 0xff][(seed + i) % 4] as number;
      const damaged: SectionSource = { path: dwp.path, find: (name) => (name === '.debug_cu_index' ? { bytes: seed % 7 === 0 ? bytes.subarray(0, seed % bytes.length) : bytes, address: 0 } : good.find(name)) };
      const sections = sectionsOf(elf);
      explore(new DebugInfo(sections, { lowestAddress: 0x1000, openPackage: () => damaged }), sections, [0x1100, 0x1200]);
    }
    const cut: SectionSource = { path: dwp.path, find: () => ({ bytes: Uint8Array.of(9, 0, 0, 0), address: 0 }) };
    const info = new DebugInfo(sectionsOf(elf), { openPackage: () => cut });
    expect(info.units.map((unit) => unit.full === unit)).toEqual([true, true]);
    expect(info.problems.map(({ message }) => message).join()).toMatch(/version 9 of the index is not known/);
  });
});

describe('types apart in .dwo files', () => {
  it.each(FOR_CPP)('%s are found, though each has a section of its own', (version) => {
    const [split, whole] = [['-gsplit-dwarf', version, '-fdebug-types-section'], ['-g', version]].map((flags) => bodies(compile(CLASSES, ['-O2', ...flags])));
    const own = whole?.filter((body) => body.includes('outer::')) ?? [];
    expect(own.length).toBeGreaterThan(5);
    expect(own.filter((body) => split?.includes(body) !== true)).toEqual([]);
  });
});

describe('an index by name', () => {
  it.each([['-dwarf-5', '.debug_names'], ['', '.gdb_index']])('of gdb-add-index %s does no harm', (option, section) => {
    const plain = compile(CLASSES, ['-O0', '-g']);
    const path = join(directory, `indexed${option}`);
    cpSync(plain.path, path);
    execFileSync('gdb-add-index', option === '' ? [path] : [option, path], { env: { ...process.env, HOME: directory } });
    expect(existsSync(path) && new ElfFile(path, readFileSync(path)).section(section)).toBeTruthy();
    expect(bodies(open(path))).toEqual(bodies(plain));
    expect(whereabouts(open(path))).toEqual(whereabouts(plain));
  });
});

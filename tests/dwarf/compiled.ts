/** Compiles the programs of this directory on demand into tests/build/dwarf, named by all that went into them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';
import { DebugInfo } from '../../src/dwarf/debugInfo.js';
import { DwarfSections } from '../../src/dwarf/dwarfSections.js';
import { joinPath } from '../../src/dwarf/lineHeader.js';
import type { ReadCode } from '../../src/dwarf/prologue.js';
import { ElfFile } from '../../src/elf/elfFile.js';

const SOURCES = fileURLToPath(new URL('programs/', import.meta.url));
const BUILD_FOLDER = fileURLToPath(new URL('../build/dwarf/', import.meta.url));

export interface Compiled {
  /** The program, and the directory that it was compiled in: that of the sources. */
  readonly path: string;
  readonly elf: ElfFile;
  readonly sections: DwarfSections;
  readonly info: DebugInfo;
  readonly readCode: ReadCode;
}

/**
 * Compiles sources (names in programs/) with flags, and opens the result. `after` are commands on the program: {} is
 * its path.
 */
export function compile(sources: readonly string[], flags: readonly string[], after: readonly (readonly string[])[] = []): Compiled {
  const compiler = sources.some((name) => name.endsWith('.cc')) ? 'g++' : 'gcc';
  const headers = readdirSync(SOURCES).filter((name) => name.endsWith('.h'));
  const hash = createHash('sha256').update(JSON.stringify([compiler, flags, after, sources]));
  for (const name of [...sources, ...headers]) hash.update(readFileSync(SOURCES + name));
  const directory = `${BUILD_FOLDER}${sources[0]}-${hash.digest('hex').slice(0, 16)}/`;
  const path = `${directory}program`;
  if (!existsSync(path)) {
    const temporary = `${BUILD_FOLDER}${process.pid}-${sources[0]}/`;
    mkdirSync(temporary, { recursive: true });
    execFileSync(compiler, ['-w', ...flags, '-o', `${temporary}program`, ...sources.map((name) => SOURCES + name), '-lm'], { cwd: temporary });
    for (const [command = '', ...args] of after) execFileSync(command, args.map((arg) => arg.replace('{}', `${temporary}program`)));
    moveTo(temporary, directory);
  }
  return open(path);
}

/** Unless another test was quicker. */
function moveTo(temporary: string, directory: string): void {
  try {
    renameSync(temporary, directory);
  } catch {
    rmSync(temporary, { recursive: true });
  }
}

export function open(path: string, supplementary?: DebugInfo): Compiled {
  const elf = new ElfFile(path, readFileSync(path));
  const sections = sectionsOf(elf);
  const directory = path.slice(0, path.lastIndexOf('/'));
  const info = new DebugInfo(sections, {
    ...(supplementary === undefined ? {} : { supplementary }),
    lowestAddress: 0x1000,
    // Compiled in a temporary directory that has its final name by now.
    openSplitFile: (name) => openSections(joinPath(directory, name.slice(name.lastIndexOf('/') + 1))),
    openPackage: () => openSections(`${path}.dwp`),
  });
  return { path, elf, sections, info, readCode: codeOf(elf) };
}

export function sectionsOf(elf: ElfFile): DwarfSections {
  return new DwarfSections(elf, (stored, length) => inflateSync(stored, { maxOutputLength: Math.max(length, 1) }));
}

function openSections(path: string): DwarfSections | undefined {
  return existsSync(path) ? sectionsOf(new ElfFile(path, readFileSync(path))) : undefined;
}

export function codeOf(elf: ElfFile): ReadCode {
  return (address, size) => {
    const segment = elf.loads.find((s) => address >= s.address && address < s.address + s.fileSize);
    return segment === undefined ? undefined : elf.segmentBytes(segment).subarray(address - segment.address, address - segment.address + size);
  };
}

/** Output of a tool, whatever it thinks of the file. */
export function output(command: string, args: readonly string[], input = ''): string {
  const result = spawnSync(command, args, { input, encoding: 'utf8', maxBuffer: 1 << 30, env: { ...process.env, DEBUGINFOD_URLS: '', LC_ALL: 'C' } });
  if (result.error !== undefined) throw result.error;
  return result.stdout;
}

/** Answers of gdb to commands, one per command. */
export function askGdb(path: string, commands: readonly string[]): string[] {
  const mark = '---next---';
  const args = ['set width 0', 'set height 0', 'set print pretty off', 'set debuginfod enabled off', ...commands.flatMap((command) => [`echo ${mark}\\n`, command])];
  const script = args.flatMap((command) => ['-ex', command]);
  const text = execFileSync('sh', ['-c', 'exec gdb -nx -nw -q -batch "$@" 2>&1', 'gdb', ...script, path], { encoding: 'utf8', maxBuffer: 1 << 28 });
  return text.split(`${mark}\n`).slice(1).map((answer) => answer.trimEnd());
}

/** Ways to compile that differ in what the debug information looks like. */
const VARIANTS: Readonly<Record<string, readonly string[]>> = {
  '-O0': ['-O0', '-g'],
  '-O2': ['-O2', '-g'],
  '-O2 DWARF 4, types apart': ['-O2', '-gdwarf-4', '-fdebug-types-section'],
  '-O1 DWARF 5, types apart, compressed': ['-O1', '-gdwarf-5', '-fdebug-types-section', '-gz'],
  '-O2 compressed the old way, sections collected': ['-O2', '-g', '-gz=zlib-gnu', '-ffunction-sections', '-Wl,--gc-sections'],
  '-O2 split': ['-O2', '-gsplit-dwarf', '-gdwarf-5'],
  '-O0 DWARF 3': ['-O0', '-gdwarf-3', '-gstrict-dwarf'],
  '-O2 64-bit DWARF': ['-O2', '-gdwarf64', '-gdwarf-5'],
  '-O0 split DWARF 4': ['-O0', '-gsplit-dwarf', '-gdwarf-4'],
};
const PROGRAMS = [['shapes.c'], ['inlined.c'], ['firstHalf.c', 'secondHalf.c'], ['classes.cc']];
/** C++ takes long to compile. */
const FOR_CPP: readonly string[] = ['-O0', '-O1 DWARF 5, types apart, compressed'];

/** [variant, sources, flags] */
export const CASES = PROGRAMS.flatMap((sources) =>
  Object.entries(VARIANTS)
    .filter(([name]) => !sources.includes('classes.cc') || FOR_CPP.includes(name))
    .map(([name, flags]): [string, string[], readonly string[]] => [name, sources, flags]),
);

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { debugFilePaths, debugLinkChecksum, debugLinkOf, isDebugFileOf, supplementaryLinkOf, supplementaryPaths } from '../../src/dwarf/separateDebugFile.js';
import { sourceFrames } from '../../src/dwarf/sourceFrames.js';
import { typeBody } from '../../src/dwarf/typeBodies.js';
import { ElfFile } from '../../src/elf/elfFile.js';
import { compile, open, type Compiled } from './compiled.js';
import { whereabouts } from './whereabouts.js';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'culprit-dwarf-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** All functions with their lines, and all types written out. */
function summary({ info }: Compiled): string[] {
  const functions = info.units.filter((unit) => !unit.isTypeUnit).flatMap((unit) => unit.functions.all());
  const places = functions.flatMap((scope) => sourceFrames(info, scope.entry).map((frame) => `${frame.scope.function.name} ${frame.file?.path}:${frame.line}`));
  const types = [...info.byName.names('type')].flatMap((name) => info.types.find(name).map((type) => typeBody(type, info.types.of)));
  return [...new Set([...places, ...types])].sort();
}

describe('a debug file of its own', () => {
  it('is found by link or build id, recognised, and has it all', () => {
    const whole = compile(['shapes.c'], ['-O1', '-g', '-Wl,--build-id=0x0123456789abcdef']);
    const [stripped, debug] = [join(directory, 'program'), join(directory, 'program.debug')];
    execFileSync('objcopy', ['--only-keep-debug', whole.path, debug]);
    execFileSync('objcopy', ['--strip-debug', `--add-gnu-debuglink=${debug}`, whole.path, stripped]);
    const program = open(stripped);
    expect(program.info.isPresent).toBe(false);
    expect(program.info.units).toEqual([]);
    expect(sourceFrames(program.info, 0x1200)).toEqual([]);
    expect(debugLinkOf(program.elf)).toEqual({ name: 'program.debug', checksum: debugLinkChecksum(readFileSync(debug)) });
    expect(debugFilePaths(program.elf, '/opt/bin/program')).toEqual([
      '/usr/lib/debug/.build-id/01/23456789abcdef.debug', '/opt/bin/program.debug', '/opt/bin/.debug/program.debug', '/usr/lib/debug/opt/bin/program.debug',
    ]);
    const other = new ElfFile('other', readFileSync('/bin/true'));
    expect(isDebugFileOf(program.elf, new ElfFile(debug, readFileSync(debug)), () => readFileSync(debug))).toBe(true);
    expect(isDebugFileOf(program.elf, other, () => readFileSync('/bin/true'))).toBe(false);
    expect(summary(open(debug))).toEqual(summary(whole));
  });

  it('is recognised by its checksum if there is no build id', () => {
    const whole = compile(['inlined.c'], ['-O1', '-g', '-Wl,--build-id=none']);
    const [stripped, debug] = [join(directory, 'plain'), join(directory, 'plain.debug')];
    execFileSync('objcopy', ['--only-keep-debug', whole.path, debug]);
    execFileSync('objcopy', ['--strip-debug', `--add-gnu-debuglink=${debug}`, whole.path, stripped]);
    const { elf } = open(stripped);
    const candidate = new ElfFile(debug, readFileSync(debug));
    expect(debugFilePaths(elf, '/opt/plain')).toEqual(['/opt/plain.debug', '/opt/.debug/plain.debug', '/usr/lib/debug/opt/plain.debug']);
    expect(isDebugFileOf(elf, candidate, () => readFileSync(debug))).toBe(true);
    expect(isDebugFileOf(elf, candidate, () => readFileSync(stripped))).toBe(false);
  });
});

describe('split debug information', () => {
  it.each(['-gdwarf-4', '-gdwarf-5'])('%s is the same as in one piece', (version) => {
    const [whole, split] = [compile(['shapes.c'], ['-O2', '-g', version]), compile(['shapes.c'], ['-O2', '-gsplit-dwarf', version])];
    const known = whereabouts(whole);
    expect(known.filter((line) => line.endsWith('expression')).length).toBeGreaterThan(10);
    expect(whereabouts(split)).toEqual(known);
    const bodies = ({ info }: Compiled): string[] => [...info.byName.names('type')].flatMap((name) => info.types.find(name).map((type) => typeBody(type, info.types.of))).sort();
    expect(bodies(split)).toEqual(bodies(whole));
    expect(split.info.problems).toEqual([]);
  });
});

describe('compressed sections', () => {
  it('of zstd are the same as plain ones', () => {
    const plain = compile(['shapes.c'], ['-O1', '-g']);
    const packed = compile(['shapes.c'], ['-O1', '-g'], [['objcopy', '--compress-debug-sections=zstd', '{}']]);
    expect(execFileSync('readelf', ['-tW', packed.path], { encoding: 'utf8' })).toMatch(/ZSTD/);
    expect(summary(packed)).toEqual(summary(plain));
  });
});

describe('what dwz made of it', () => {
  it('is the same: partial units, and a supplementary file', () => {
    const flags = ['-O1', '-gdwarf-4'];
    const first = compile(['shapes.c'], flags);
    const [a, b, common] = [join(directory, 'a'), join(directory, 'b'), join(directory, 'common.dwz')];
    copyFileSync(first.path, a);
    // What is in both goes to the third.
    copyFileSync(first.path, b);
    execFileSync('dwz', ['-m', common, a, b], { stdio: 'ignore' });
    const { elf } = open(a);
    const link = supplementaryLinkOf(elf);
    const supplement = new ElfFile(common, readFileSync(common));
    expect(link?.buildId).toBe(supplement.buildId);
    expect(supplementaryPaths(link as NonNullable<typeof link>, '/usr/lib/debug/x.debug')).toContain(link?.path.startsWith('/') ? link.path : `/usr/lib/debug/${link?.path}`);
    expect(summary(open(a, open(common).info))).toEqual(summary(first));
  });

  it('says so if the supplementary file is not at hand', () => {
    const { info } = open(join(directory, 'a'));
    expect(() => info.units.map((unit) => [...unit.root.children()].map((die) => die.name))).toThrow(/supplementary file \(dwz\)/);
    expect(info.byName.find('no_such_name')).toEqual([]);
    expect(sourceFrames(info, info.units.at(-1)?.functions.all()[0]?.entry ?? 0)[0]?.line).toBeGreaterThan(0);
  });
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserError } from '../base/errors.js';
import { ElfError } from './elfError.js';
import { ElfFile } from './elfFile.js';
import { ET, PT } from './elfHeader.js';

const SOURCE = `
#include <stdio.h>
int answer = 42;
static int helper(int x) { return x * answer; }
__attribute__((weak)) int weakling(void) { return 1; }
int main(int argc, char **argv) { printf("%d\\n", helper(argc) + weakling()); return 0; }
`;
let directory: string;
let program: Uint8Array;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'culprit-elf-'));
  writeFileSync(join(directory, 'a.c'), SOURCE);
  execFileSync('gcc', ['-g', '-O0', '-pie', '-fPIE', '-Wl,--build-id=0x0123456789abcdef', '-o', join(directory, 'a'), join(directory, 'a.c')]);
  program = Uint8Array.from(readFileSync(join(directory, 'a')));
});
afterAll(() => rmSync(directory, { recursive: true }));

function changed(changes: Record<number, number>, length = program.length): Uint8Array {
  const copy = program.slice(0, length);
  for (const [offset, byte] of Object.entries(changes)) copy[Number(offset)] = byte;
  return copy;
}

function problemOf(bytes: Uint8Array): string {
  try {
    const elf = new ElfFile('prog', bytes);
    elf.checkLoadable();
    void elf.interpreter;
    return 'none';
  } catch (error) {
    expect(error).toBeInstanceOf(ElfError);
    expect((error as UserError).exitCode).toBe(126);
    expect((error as Error).message).not.toContain('\n');
    return (error as ElfError).problem;
  }
}

describe('a good file', () => {
  it('has header, segments, interpreter and build id', () => {
    const elf = new ElfFile('a', program);
    elf.checkLoadable();
    expect(elf.header.type).toBe(ET.DYN);
    expect(elf.interpreter).toBe('/lib64/ld-linux-x86-64.so.2');
    expect(elf.buildId).toBe('0123456789abcdef');
    expect(elf.executableStack).toBe(false);
    expect(elf.loads[0]?.offset).toBe(0);
    expect(elf.segments.some((s) => s.type === PT.DYNAMIC)).toBe(true);
    expect(elf.section('.text')?.name).toBe('.text');
    expect(elf.contents(elf.section('.interp') as never)).toHaveLength(28);
    expect(elf.section('.nothing')).toBeUndefined();
  });

  it('agrees with nm about every symbol', () => {
    const { symbols } = new ElfFile('a', program);
    const lines = execFileSync('nm', ['--defined-only', join(directory, 'a')]).toString().trim().split('\n');
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines) {
      const [address, , name] = line.split(' ') as [string, string, string];
      expect(symbols.find(name)?.address, name).toBe(parseInt(address, 16));
    }
    expect(symbols.find('printf')).toBeUndefined();
  });

  it('finds functions and objects by address', () => {
    const { symbols } = new ElfFile('a', program);
    for (const name of ['main', 'helper', 'weakling', 'answer', '_start']) {
      const { address } = symbols.find(name) as { address: number };
      expect(symbols.lookup(address)?.symbol.name).toBe(name);
      expect(symbols.lookup(address + 3)).toMatchObject({ symbol: { name }, offset: 3 });
    }
    expect(symbols.lookup(1)).toBeUndefined();
  });
});

describe('a bad file', () => {
  it('is named for what it is', () => {
    expect(problemOf(new Uint8Array(0))).toBe('not an ELF file');
    expect(problemOf(new TextEncoder().encode('hello, this is text'))).toBe('not an ELF file');
    expect(problemOf(changed({ 4: 1, 18: 3 }))).toBe('32-bit ELF file for i386; only 64-bit x86-64 programs can run');
    expect(problemOf(changed({ 18: 183 }))).toBe('ELF file for AArch64, not for x86-64');
    expect(problemOf(changed({ 5: 2, 18: 0, 19: 22 }))).toBe('big-endian ELF file for S/390, not for x86-64');
    expect(problemOf(changed({ 16: 1 }))).toBe('cannot execute: ELF file is an object file, not a program');
    expect(problemOf(changed({ 16: 4 }))).toBe('cannot execute: ELF file is a core dump, not a program');
    expect(problemOf(changed({ 4: 9 }))).toMatch(/file class 9/);
    expect(problemOf(changed({ 54: 12 }))).toMatch(/program header size is 12/);
    expect(problemOf(changed({ 39: 0x80 }))).toMatch(/program headers lie outside/);
  });

  it('is recognised however short it is cut', () => {
    for (const length of [4, 5, 19, 20, 63, 64, 100, 700, 0x1000, 0x2000]) {
      expect(problemOf(changed({}, length))).toMatch(/^truncated ELF file/);
    }
  });

  it('is an ElfError or readable, whatever byte of the headers is changed', () => {
    for (let offset = 0; offset < 64 + 13 * 56; offset++) {
      for (const byte of [0, 1, 0x7f, 0x80, 0xff]) problemOf(changed({ [offset]: byte }));
    }
  });

  it('with bad sections still runs, but says so when asked for symbols', () => {
    const bytes = changed({ 45: 0xff });
    expect(problemOf(bytes)).toBe('none');
    expect(() => new ElfFile('prog', bytes).symbols).toThrow(ElfError);
    const at = new DataView(program.buffer).getUint32(40, true);
    for (let offset = at; offset < at + 20 * 64; offset++) {
      const elf = new ElfFile('prog', changed({ [offset]: 0xff }));
      try {
        void elf.symbols.find('main');
        void elf.symbols.lookup(0x1139);
      } catch (error) {
        expect(error).toBeInstanceOf(ElfError);
      }
    }
  });
});

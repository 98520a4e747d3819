import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NodeFiles } from '../../host/nodeFiles.js';
import { GPR, RSP } from '../../layout/cpuState.js';
import { AddressSpace, PROT } from '../../machine/addressSpace.js';
import { Cpu } from '../../machine/cpu.js';
import { LinearMemory } from '../../machine/linearMemory.js';
import { hostLoaderFiles } from './hostLoaderFiles.js';
import { loadProgram, type LoadedImage } from './loadProgram.js';
import { bytesOf } from './openProgram.js';

/**
 * Dumps, without a library, what a process finds at its start: the stack pointer, everything from it
 * to the top of the stack, and the memory map.
 */
const PROBE = `
#include <stddef.h>
static long call(long n, long a, long b, long c) {
  long r; __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory"); return r;
}
static char buffer[65536];
static char zeros[20000];
void probe(unsigned long *sp) {
  unsigned long brk = call(12, 0, 0, 0);
  call(1, 1, (long)&sp, 8);
  call(1, 1, (long)&brk, 8);
  call(1, 1, (long)sp, 0x7ffffffff000 - (long)sp);
  long fd = call(2, (long)"/proc/self/maps", 0, 0), n;
  while ((n = call(0, fd, (long)buffer, sizeof buffer)) > 0) call(1, 1, (long)buffer, n);
  call(231, zeros[9], 0, 0);
}
__asm__(".globl _start\\n_start: mov %rsp, %rdi\\n and $-16, %rsp\\n call probe");
`;

interface Found {
  readonly pointer: number;
  readonly brk: number;
  readonly stack: Uint8Array;
  readonly maps: string[];
}

let directory: string;

function build(name: string, ...flags: string[]): string {
  const output = join(directory, name);
  execFileSync('gcc', ['-O1', '-nostdlib', '-ffreestanding', '-fno-stack-protector', ...flags, '-o', output, join(directory, 'probe.c')]);
  return output;
}

function runNatively(path: string, args: string[], env: Record<string, string>): Found {
  const output = execFileSync('setarch', ['-R', path, ...args], { env, cwd: directory });
  const pointer = Number(output.readBigUInt64LE(0));
  const stackEnd = 16 + (0x7ffffffff000 - pointer);
  const maps = output.subarray(stackEnd).toString('latin1').split('\n').filter((line) => line !== '' && !line.includes('[vsyscall]'));
  return { pointer, brk: Number(output.readBigUInt64LE(8)), stack: output.subarray(16, stackEnd), maps };
}

function load(path: string, args: string[], env: Record<string, string>, aslrSeed?: number): { space: AddressSpace; cpu: Cpu; image: LoadedImage } {
  const linear = new LinearMemory();
  const [space, cpu] = [new AddressSpace(linear), new Cpu(linear)];
  const image = loadProgram(space, cpu, hostLoaderFiles(new NodeFiles()), {
    path,
    argv: [path, ...args].map(bytesOf),
    envp: Object.entries(env).map(([k, v]) => bytesOf(`${k}=${v}`)),
    random16: new Uint8Array(16).fill(0x5a),
    uid: process.getuid?.() ?? 0, euid: process.geteuid?.() ?? 0, gid: process.getgid?.() ?? 0, egid: process.getegid?.() ?? 0,
    hwcap: 0x178bfbff,
    ...(aslrSeed === undefined ? {} : { aslrSeed }),
  });
  return { space, cpu, image };
}

/** The lines of /proc/self/maps without device, inode and the padding before the name. */
function mapLines(space: AddressSpace): string[] {
  return space.mappings().map((m) => {
    const bits = [m.prot & PROT.READ ? 'r' : '-', m.prot & PROT.WRITE ? 'w' : '-', m.prot & PROT.EXEC ? 'x' : '-', m.shared ? 's' : 'p'];
    const address = (n: number): string => n.toString(16).padStart(8, '0');
    return `${address(m.start)}-${address(m.end)} ${bits.join('')} ${address(m.fileOffset)} ${m.name}`.trimEnd();
  });
}

function nativeMapLines(lines: readonly string[]): string[] {
  return lines.map((line) => line.replace(/ [0-9a-f]+:[0-9a-f]+ \d+ */, ' ').trimEnd());
}

/** Replaces what legitimately differs: random bytes, and CPU-dependent entries of the auxiliary vector. */
function comparable(stack: Uint8Array, pointer: number, argc: number, envc: number): Uint8Array {
  const copy = Uint8Array.from(stack);
  const view = new DataView(copy.buffer);
  for (let at = 8 * (argc + envc + 3); view.getBigUint64(at, true) !== 0n; at += 16) {
    const type = Number(view.getBigUint64(at, true));
    if (type === 25) copy.fill(0, Number(view.getBigUint64(at + 8, true)) - pointer, Number(view.getBigUint64(at + 8, true)) - pointer + 16);
    if ([16, 26, 51].includes(type)) view.setBigUint64(at + 8, 0n, true);
  }
  return copy;
}

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'culprit-loader-'));
  writeFileSync(join(directory, 'probe.c'), PROBE);
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('loadProgram against a native start without randomisation', () => {
  const kinds: [string, string[]][] = [
    ['static', ['-static', '-no-pie']],
    ['static-pie', ['-static-pie', '-fPIE']],
    ['static-pie-aligned', ['-static-pie', '-fPIE', '-Wl,-z,max-page-size=0x200000']],
    ['high', ['-static', '-no-pie', '-Wl,-Ttext-segment=0x60000000']],
  ];
  const cases: [string[], Record<string, string>][] = [
    [['x', 'yy'], { A: '1', BB: '22' }],
    [[], {}],
    [Array.from({ length: 300 }, (_, i) => 'a'.repeat(i)), { LONG: 'e'.repeat(5000), E: '' }],
  ];
  for (const [name, flags] of kinds) {
    it(name, () => {
      const path = build(name, ...flags);
      for (const [args, env] of cases) {
        const native = runNatively(path, args, env);
        const { space, cpu, image } = load(path, args, env);
        expect(cpu.num(RSP).toString(16)).toBe(native.pointer.toString(16));
        expect(image.brkStart.toString(16)).toBe(native.brk.toString(16));
        const stack = space.peek(native.pointer, 0x7ffffffff000 - native.pointer) as Uint8Array;
        const counts = [args.length + 1, Object.keys(env).length] as const;
        expect(comparable(stack, native.pointer, ...counts)).toEqual(comparable(native.stack, native.pointer, ...counts));
        expect(mapLines(space)).toEqual(nativeMapLines(native.maps));
      }
    });
  }

  it('a script, whose interpreter gets it as an argument', () => {
    const script = join(directory, 'script');
    writeFileSync(script, `#!${build('interpreter', '-static', '-no-pie')}  one two \n`, { mode: 0o755 });
    const native = runNatively(script, ['three'], { A: '1' });
    const { space, cpu, image } = load(script, ['three'], { A: '1' });
    expect(cpu.num(RSP).toString(16)).toBe(native.pointer.toString(16));
    const stack = space.peek(native.pointer, 0x7ffffffff000 - native.pointer) as Uint8Array;
    expect(comparable(stack, native.pointer, 4, 1)).toEqual(comparable(native.stack, native.pointer, 4, 1));
    expect(image.exePath).toBe(join(directory, 'interpreter'));
  });

  it('starts with clean registers at the entry point', () => {
    const { cpu, image, space } = load(build('entry', '-static', '-no-pie'), [], {});
    expect(cpu.rip).toBe(image.entry);
    expect(GPR.filter((r) => r !== RSP).every((r) => cpu.big(r) === 0n)).toBe(true);
    expect(space.fetch(image.entry, 3)).toEqual({ ok: true, bytes: Uint8Array.of(0x48, 0x89, 0xe7) });
  });
});

describe('dynamic programs', () => {
  it('have program, interpreter and vDSO where a native process has them', () => {
    const args = ['/proc/self/maps'];
    const native = execFileSync('setarch', ['-R', '/bin/cat', ...args], { env: {} }).toString('latin1').split('\n');
    const { space } = load('/bin/cat', args, {});
    const wanted = /\/cat$|\/ld-linux|\[v[a-z_]+\]|\[stack\]/;
    const starts = (lines: string[]): string[] => {
      const seen = new Map<string, string>();
      for (const line of lines) {
        const name = line.split(' ').at(-1) as string;
        if (wanted.test(line) && !line.includes('[vsyscall]') && !seen.has(name)) seen.set(name, line.split('-')[0] as string);
      }
      return [...seen].map((entry) => entry.join(' '));
    };
    expect(starts(mapLines(space))).toEqual(starts(nativeMapLines(native)));
  });

  it('move with a seed, and the same way for the same seed', () => {
    const maps = (seed?: number): string[] => mapLines(load('/bin/cat', [], {}, seed).space);
    expect(maps(1)).toEqual(maps(1));
    expect(maps(1)).not.toEqual(maps(2));
    expect(maps(1)[0]).not.toBe(maps()[0]);
    for (let seed = 10; seed < 20; seed++) expect(maps(seed).at(-1)).toContain('[stack]');
  });
});

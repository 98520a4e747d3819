/**
 * Random sequences of memory system calls, run natively and on our process memory: every result
 * and the final memory map must agree. The native side is a static program without libc that
 * reads its calls from standard input.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NodeFiles } from '../../host/nodeFiles.js';
import { AddressSpace, PROT, type MappableFile } from '../../machine/addressSpace.js';
import { Cpu } from '../../machine/cpu.js';
import { LinearMemory } from '../../machine/linearMemory.js';
import { hostLoaderFiles } from '../loader/hostLoaderFiles.js';
import { mappableBytes } from '../loader/loaderFiles.js';
import { loadProgram } from '../loader/loadProgram.js';
import { bytesOf } from '../loader/openProgram.js';
import { adviseMemory, syncMemory } from './adviseMemory.js';
import { ProcessMemory } from './processMemory.js';
import { remapMemory } from './remapMemory.js';

const PROBE = `
static long call(long n, long a, long b, long c, long d, long e, long f) {
  register long r10 __asm__("r10") = d; register long r8 __asm__("r8") = e; register long r9 __asm__("r9") = f;
  long r; __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return r;
}
static char buffer[65536];
static long op[7];
void probe(long *sp) {
  call(2, sp[2], 0, 0, 0, 0, 0);
  while (call(0, 0, (long)op, sizeof op, 0, 0, 0) == sizeof op) {
    long r = call(op[0], op[1], op[2], op[3], op[4], op[5], op[6]);
    call(1, 1, (long)&r, 8, 0, 0, 0);
  }
  long fd = call(2, (long)"/proc/self/maps", 0, 0, 0, 0, 0), n;
  while ((n = call(0, fd, (long)buffer, sizeof buffer, 0, 0, 0)) > 0) call(1, 1, (long)buffer, n, 0, 0, 0);
  call(231, 0, 0, 0, 0, 0, 0);
}
__asm__(".globl _start\\n_start: mov %rsp, %rdi\\n and $-16, %rsp\\n call probe");
`;
const FILE_FD = 3;
const FILE_SIZE = 0x60_0000;
const [MMAP, MPROTECT, MUNMAP, BRK, MREMAP, MSYNC, MADVISE] = [9, 10, 11, 12, 25, 26, 28];

const [VDSO_START, VDSO_END] = [0x7ffff7ff7000, 0x7ffff7fff000];

type Call = readonly number[];
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'culprit-memory-'));
  writeFileSync(join(directory, 'probe.c'), PROBE);
  writeFileSync(join(directory, 'data'), new Uint8Array(FILE_SIZE));
  execFileSync('gcc', ['-O1', '-nostdlib', '-ffreestanding', '-fno-stack-protector', '-static', '-no-pie', '-o', join(directory, 'probe'), join(directory, 'probe.c')]);
});
afterAll(() => rmSync(directory, { recursive: true }));

function runNatively(calls: readonly Call[]): { results: number[]; maps: string[] } {
  const input = Buffer.alloc(calls.length * 56);
  calls.forEach((call, i) => call.forEach((value, j) => input.writeBigInt64LE(BigInt(value), i * 56 + j * 8)));
  const output = execFileSync('setarch', ['-R', join(directory, 'probe'), join(directory, 'data')], { input, env: {} });
  const results = calls.map((_, i) => Number(output.readBigInt64LE(i * 8)));
  const maps = output.subarray(calls.length * 8).toString('latin1').split('\n');
  const kept = maps.filter((line) => line !== '' && !line.includes('[vsyscall]'));
  return { results, maps: kept.map((line) => line.replace(/ [0-9a-f]+:[0-9a-f]+ \d+ */, ' ').trimEnd()) };
}

function mapLines(space: AddressSpace): string[] {
  return space.mappings().map((m) => {
    const bits = [m.prot & PROT.READ ? 'r' : '-', m.prot & PROT.WRITE ? 'w' : '-', m.prot & PROT.EXEC ? 'x' : '-', m.shared ? 's' : 'p'];
    const address = (n: number): string => n.toString(16).padStart(8, '0');
    return `${address(m.start)}-${address(m.end)} ${bits.join('')} ${address(m.fileOffset)} ${m.name}`.trimEnd();
  });
}

/** Our side, one call at a time, so that later calls can refer to earlier results. */
class Model {
  readonly memory: ProcessMemory;
  readonly space: AddressSpace;
  private readonly file: MappableFile;

  constructor() {
    const linear = new LinearMemory();
    this.space = new AddressSpace(linear);
    const path = join(directory, 'probe');
    const image = loadProgram(this.space, new Cpu(linear), hostLoaderFiles(new NodeFiles()), {
      path, argv: [path, join(directory, 'data')].map(bytesOf), envp: [], random16: new Uint8Array(16),
      uid: 0, euid: 0, gid: 0, egid: 0, hwcap: 0,
    });
    this.memory = new ProcessMemory(this.space, { brkStart: image.brkStart, mmapBase: image.layout.mmapBase });
    this.file = mappableBytes(join(directory, 'data'), 1, 77, new Uint8Array(FILE_SIZE));
  }

  run(call: Call): number {
    const [number, a, b, c, d, e, f] = call as [number, number, number, number, number, number, number];
    switch (number) {
      case MMAP:
        return this.memory.mmap({ address: a, length: b, prot: c, flags: d, offset: f }, e === FILE_FD ? this.file : null);
      case MPROTECT: return this.memory.mprotect(a, b, c);
      case MUNMAP: return this.memory.munmap(a, b);
      case BRK: return this.memory.brk(a);
      case MREMAP: return remapMemory(this.memory, { address: a, oldLength: b, newLength: c, flags: d, newAddress: e });
      case MSYNC: return syncMemory(this.memory, a, b, c);
      default: return adviseMemory(this.memory, a, b, c);
    }
  }
}

function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * below);
  };
}

function randomCall(random: (below: number) => number, areas: readonly [number, number][], brk: number): Call {
  const pages = (most: number): number => (random(most) + 1) * 4096;
  const [start, size] = areas[random(areas.length)] ?? [0x10000000, 0x4000];
  const inside = start + random(size / 4096) * 4096;
  const prot = [0, 1, 3, 5, 3, 3][random(6)] as number;
  switch (random(12)) {
    case 0: case 1: return [MMAP, 0, pages(20), prot, 0x22, -1, 0];
    case 2: return [MMAP, 0, (random(3) + 1) * 0x100000, prot, 0x22, -1, 0];
    case 3: return [MMAP, 0, pages(700), 1, random(2) + 1, FILE_FD, random(4) * 4096];
    case 4: return [MMAP, inside, pages(8), prot, 0x22 | (random(2) * 0x10) | (random(3) === 0 ? 0x100000 : 0), -1, 0];
    case 5: return [MMAP, inside, pages(8), 1, 0x12, FILE_FD, random(10) * 4096];
    case 6: return [MUNMAP, inside, pages(10), 0, 0, 0, 0];
    case 7: case 8: return [MPROTECT, inside, pages(6), prot, 0, 0, 0];
    case 9: return [MREMAP, inside, pages(6), pages(20), random(3) === 0 ? 0 : 1, 0, 0];
    case 10: return [BRK, brk + random(40) * 1000 - 9000, 0, 0, 0, 0, 0];
    default: return random(2) === 0 ? [MADVISE, inside, pages(5), [0, 4, 9, 99][random(4)] as number, 0, 0, 0] : [MSYNC, inside, pages(3), random(8), 0, 0, 0];
  }
}

describe('memory system calls against Linux', () => {
  for (let seed = 1; seed <= 20; seed++) {
    it(`agrees on random calls, seed ${seed}`, () => {
      const random = generator(seed * 7919);
      const model = new Model();
      const calls: Call[] = [];
      const results: number[] = [];
      const areas: [number, number][] = [];
      let brk = model.memory.brkStart;
      for (let i = 0; i < 120; i++) {
        const call = randomCall(random, areas, brk);
        // The vDSO cannot be split or written, natively; no case tries.
        if (call[0] !== BRK && (call[1] as number) < VDSO_END && (call[1] as number) + (call[2] as number) > VDSO_START) continue;
        const result = model.run(call);
        calls.push(call);
        results.push(result);
        if ((call[0] === MMAP || call[0] === MREMAP) && result > 0) areas.push([result, call[call[0] === MMAP ? 2 : 3] as number]);
        if (call[0] === BRK) brk = result;
      }
      const native = runNatively(calls);
      const text = (values: readonly number[]): string[] => values.map((value, i) => `${i}: ${calls[i]?.map((n) => n.toString(16)).join(' ')} = ${value.toString(16)}`);
      expect(text(results)).toEqual(text(native.results));
      expect(mapLines(model.space)).toEqual(native.maps);
    });
  }
});

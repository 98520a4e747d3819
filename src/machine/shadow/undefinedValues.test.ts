/** Small programs in machine code, in both tiers: where they stop, and where they do not. */
import { describe, expect, it } from 'vitest';
import { guestAddr } from '../../base/types.js';
import { buildCoreModule } from '../../jit/coreModule.js';
import { GPR, RBX, RSP, type Slot } from '../../layout/cpuState.js';
import { AddressSpace, anonymousMapping, PROT } from '../addressSpace.js';
import { Cpu } from '../cpu.js';
import { Engine } from '../engine.js';
import { PLAIN } from '../instrumentation.js';
import type { UnwrittenBytes } from './unwrittenBytes.js';
import { LinearMemory } from '../linearMemory.js';

const CODE = guestAddr(0x400000);
const DATA = guestAddr(0x500000);
const CORE = buildCoreModule();
const TRAPPED = { kind: 'trap', vector: 3 };

type Tier = 'interpreted' | 'compiled';

/** Some code in a loop of r12d rounds, then int3. rbx is the address of zeros, of which none is unwritten yet. */
function machine(code: readonly number[], tier: Tier) {
  const linear = new LinearMemory();
  const space = new AddressSpace(linear);
  space.map(anonymousMapping({ start: CODE, end: guestAddr(CODE + 4096), prot: PROT.READ | PROT.WRITE | PROT.EXEC }));
  space.map(anonymousMapping({ start: DATA, end: guestAddr(DATA + 0x4000), prot: PROT.READ | PROT.WRITE }));
  const loop = [...code, 0x41, 0xff, 0xcc, 0x0f, 0x85];
  const back = -(loop.length + 4);
  space.poke(CODE, Uint8Array.from([...loop, back & 0xff, (back >> 8) & 0xff, 0xff, 0xff, 0xcc]));
  const cpu = new Cpu(linear);
  cpu.setNum(RSP, DATA + 0x3000);
  cpu.setNum(RBX, DATA);
  const engine = new Engine(linear, cpu, space, { hotThreshold: tier === 'compiled' ? 50 : 1e9, noCompiler: tier !== 'compiled', coreModule: CORE });
  engine.instrument({ ...PLAIN, shadow: {} });
  const bytes = space.unwritten as UnwrittenBytes;
  const start = (rounds: number): void => {
    cpu.rip = CODE;
    cpu.setNum(GPR[12] as Slot, rounds);
  };
  return { engine, bytes, start, linear };
}

/** Many rounds with everything written, then one in which some bytes are not. */
function run(code: readonly number[], unwritten: readonly [start: number, length: number], tier: Tier) {
  const { engine, bytes, start } = machine(code, tier);
  start(tier === 'compiled' ? 3000 : 3);
  expect(engine.run(1e7)).toEqual(TRAPPED);
  if (tier === 'compiled') expect(engine.stats.regions).toBeGreaterThan(0);
  start(1);
  bytes.add(DATA + unwritten[0], unwritten[1]);
  return { stop: engine.run(1e7), engine };
}

/** mov eax, [rbx]; test eax, eax; je +0 */
const BRANCH = [0x8b, 0x03, 0x85, 0xc0, 0x74, 0x00];

describe.each(['interpreted', 'compiled'] as const)('undefined values, %s', (tier) => {
  it('stop the engine where they decide a branch, once', () => {
    const { stop, engine } = run(BRANCH, [0, 4], tier);
    expect(stop).toMatchObject({ kind: 'undefined', use: 'branch', at: CODE + 4, origin: DATA, from: { place: { kind: 'register', offset: 0, size: 4 }, rip: CODE + 2 } });
    expect(engine.run(1e7)).toEqual(TRAPPED);
  });

  it('bits that are set are defined, also of a byte that was read before', () => {
    // and byte [rbx], 6; or byte [rbx], 6; test byte [rbx], 4; je +0
    const code = [0x80, 0x23, 0x06, 0x80, 0x0b, 0x06, 0xf6, 0x03, 0x04, 0x74, 0x00];
    expect(run(code, [0, 1], tier).stop).toEqual(TRAPPED);
    // The same, but or byte [rbx], 2.
    expect(run(code.with(5, 2), [0, 1], tier).stop).toMatchObject({ kind: 'undefined', use: 'branch' });
    // mov al, [rbx]; mov byte [rbx], 0; test byte [rbx], 4; je +0
    expect(run([0x8a, 0x03, 0xc6, 0x03, 0x00, 0xf6, 0x03, 0x04, 0x74, 0x00], [0, 1], tier).stop).toEqual(TRAPPED);
  });

  it.each([
    // fld qword [rbx]; fldz; fcomip st0, st1; fstp st0; je +0
    ['in x87 registers', [0xdd, 0x03, 0xd9, 0xee, 0xdf, 0xf1, 0xdd, 0xd8, 0x74, 0x00], 8],
    // fld1; fadd qword [rbx]; ftst; fnstsw ax; fstp st0; test ah, 0x40; je +0
    ['in the x87 status word', [0xd9, 0xe8, 0xdc, 0x03, 0xd9, 0xe4, 0xdf, 0xe0, 0xdd, 0xd8, 0xf6, 0xc4, 0x40, 0x74, 0x00], 13],
    // fld tbyte [rbx]; fstp tbyte [rbx + 32]; mov rax, [rbx + 32]; test rax, rax; je +0
    ['in what the x87 stores', [0xdb, 0x2b, 0xdb, 0x7b, 0x20, 0x48, 0x8b, 0x43, 0x20, 0x48, 0x85, 0xc0, 0x74, 0x00], 12],
  ] as const)('are followed %s', (_, code, branch) => {
    expect(run(code, [0, 10], tier).stop).toMatchObject({ kind: 'undefined', use: 'branch', at: CODE + branch, origin: DATA });
  });

  it('in x87 registers are gone when these are popped, and no others are undefined', () => {
    // fld qword [rbx]; fld1; fxch; fstp st0; fldz; fcomip st0, st1; fstp st0; je +0
    expect(run([0xdd, 0x03, 0xd9, 0xe8, 0xd9, 0xc9, 0xdd, 0xd8, 0xd9, 0xee, 0xdf, 0xf1, 0xdd, 0xd8, 0x74, 0x00], [0, 8], tier).stop).toEqual(TRAPPED);
  });

  it('survive it when the address of a variable is taken', () => {
    // mov eax, [rbx]; lea rcx, [rbp - 16], with the mark of a hook; test eax, eax; je +0
    expect(run([0x8b, 0x03, 0x4a, 0x8d, 0x4d, 0xf0, 0x85, 0xc0, 0x74, 0x00], [0, 4], tier).stop).toMatchObject({ kind: 'undefined', use: 'branch', at: CODE + 8 });
  });

  it('stop it where they are an address', () => {
    // mov rax, [rbx]; and eax, 0xff; mov cl, [rbx+rax]
    expect(run([0x48, 0x8b, 0x03, 0x25, 0xff, 0, 0, 0, 0x8a, 0x0c, 0x03], [0, 8], tier).stop).toMatchObject({ kind: 'undefined', use: 'address', at: CODE + 8 });
  });

  it('are no matter where they are masked out or overwritten', () => {
    // mov eax, [rbx]; and eax, 0xff; je +0: only the second byte is unwritten
    expect(run([0x8b, 0x03, 0x25, 0xff, 0, 0, 0, 0x74, 0x00], [1, 1], tier).stop).toEqual(TRAPPED);
    // mov eax, [rbx]; xor eax, eax; je +0
    expect(run([0x8b, 0x03, 0x31, 0xc0, 0x74, 0x00], [0, 4], tier).stop).toEqual(TRAPPED);
    // mov rax, [rbx]; mov [rbx+16], rax; mov dword [rbx], 5; mov eax, [rbx]; test eax, eax; je +0
    expect(run([0x48, 0x8b, 0x03, 0x48, 0x89, 0x43, 0x10, 0xc7, 0x03, 5, 0, 0, 0, ...BRANCH], [0, 8], tier).stop).toEqual(TRAPPED);
  });

  it('are no matter where the instruction that reads them makes them defined', () => {
    // or dword [rbx], -1; mov eax, [rbx]; test eax, eax; je +0
    expect(run([0x83, 0x0b, 0xff, ...BRANCH], [0, 4], tier).stop).toEqual(TRAPPED);
    // and dword [rbx], 6; or byte [rbx], 6: a structure of flags, of which some are cleared and the others set
    expect(run([0x83, 0x23, 0x06, 0x80, 0x0b, 0x06, ...BRANCH], [0, 4], tier).stop).toEqual(TRAPPED);
    // and dword [rbx], 6; or byte [rbx], 2; test byte [rbx], 4; je +0
    expect(run([0x83, 0x23, 0x06, 0x80, 0x0b, 0x02, 0xf6, 0x03, 0x04, 0x74, 0x00], [0, 4], tier).stop).toMatchObject({ kind: 'undefined', use: 'branch' });
  });

  it('are followed through memory', () => {
    // mov rax, [rbx]; mov [rbx+16], rax; xor eax, eax; mov eax, [rbx+16]; test eax, eax; je +0
    const { stop } = run([0x48, 0x8b, 0x03, 0x48, 0x89, 0x43, 0x10, 0x31, 0xc0, 0x8b, 0x43, 0x10, 0x85, 0xc0, 0x74, 0x00], [0, 8], tier);
    expect(stop).toMatchObject({ kind: 'undefined', use: 'branch', origin: DATA });
  });

  it('are known bit by bit', () => {
    // mov al, [rbx]; and al, 0xf8; or al, 5; mov [rbx], al; mov cl, [rbx]; and cl, 7; cmp cl, 5; je +0
    const low = [0x8a, 0x03, 0x24, 0xf8, 0x0c, 0x05, 0x88, 0x03, 0x8a, 0x0b, 0x80, 0xe1, 0x07, 0x80, 0xf9, 0x05, 0x74, 0x00];
    expect(run(low, [0, 1], tier).stop).toEqual(TRAPPED);
    const high = low.map((byte, i) => (i === 12 ? 0xf8 : i === 15 ? 0x08 : byte));
    expect(run(high, [0, 1], tier).stop).toMatchObject({ kind: 'undefined', use: 'branch' });
  });

  it('are compared with what is defined', () => {
    // mov rax, [rbx]; mov ecx, 3; cmp rax, rcx; ja +0
    expect(run([0x48, 0x8b, 0x03, 0xb9, 3, 0, 0, 0, 0x48, 0x39, 0xc8, 0x77, 0x00], [0, 1], tier).stop).toMatchObject({ kind: 'undefined' });
    // The same with 0x1000: whatever the first byte is, it is below.
    expect(run([0x48, 0x8b, 0x03, 0xb9, 0, 0x10, 0, 0, 0x48, 0x39, 0xc8, 0x77, 0x00], [0, 1], tier).stop).toEqual(TRAPPED);
  });

  it('are followed through vectors and floats', () => {
    // movsd xmm0, [rbx]; xorps xmm1, xmm1; ucomisd xmm0, xmm1; ja +0
    expect(run([0xf2, 0x0f, 0x10, 0x03, 0x0f, 0x57, 0xc9, 0x66, 0x0f, 0x2e, 0xc1, 0x77, 0x00], [0, 8], tier).stop).toMatchObject({ kind: 'undefined', use: 'branch' });
    // movdqu xmm0, [rbx]; movdqu [rbx+16], xmm0; mov eax, [rbx+16]; test eax, eax; je +0: only the last byte is
    // unwritten
    expect(run([0xf3, 0x0f, 0x6f, 0x03, 0xf3, 0x0f, 0x7f, 0x43, 0x10, 0x8b, 0x43, 0x10, 0x85, 0xc0, 0x74, 0x00], [15, 1], tier).stop).toEqual(TRAPPED);
  });

  it('are in frames that are new, not in what was saved in the red zone before', () => {
    // sub rsp, 0x100; mov eax, [rsp+8]; test eax, eax; je +0; add rsp, 0x100
    const fresh = machine([0x48, 0x81, 0xec, 0, 1, 0, 0, 0x8b, 0x44, 0x24, 0x08, 0x85, 0xc0, 0x74, 0x00, 0x48, 0x81, 0xc4, 0, 1, 0, 0], tier);
    fresh.start(3000);
    expect(fresh.engine.run(1e7)).toMatchObject({ kind: 'undefined', origin: DATA + 0x3000 - 0x100 + 8 });
    // mov [rsp-8], rbx; sub rsp, 0x100; mov rax, [rsp+0xf8]; test rax, rax; je +0; add rsp, 0x100
    const saved = machine([0x48, 0x89, 0x5c, 0x24, 0xf8, 0x48, 0x81, 0xec, 0, 1, 0, 0, 0x48, 0x8b, 0x84, 0x24, 0xf8, 0, 0, 0, 0x48, 0x85, 0xc0, 0x74, 0x00, 0x48, 0x81, 0xc4, 0, 1, 0, 0], tier);
    saved.start(3000);
    expect(saved.engine.run(1e7)).toEqual(TRAPPED);
  });

  it('in registers that a string instruction has nothing to do with are no use, and stay', () => {
    // mov rsi, [rbx]; lea rdi, [rbx+0x40]; mov ecx, 4; xor eax, eax; rep stosb
    const store = [0x48, 0x8b, 0x33, 0x48, 0x8d, 0x7b, 0x40, 0xb9, 4, 0, 0, 0, 0x31, 0xc0, 0xf3, 0xaa];
    expect(run(store, [0, 8], tier).stop).toEqual(TRAPPED);
    // ...; test rsi, rsi; je +0
    expect(run([...store, 0x48, 0x85, 0xf6, 0x74, 0x00], [0, 8], tier).stop).toMatchObject({ kind: 'undefined', use: 'branch', at: CODE + 19 });
  });

  it('are loaded by lods', () => {
    // lea rsi, [rbx]; mov ecx, 4; rep lodsb; test al, al; je +0, after mov edx, [rbx+0x20]
    const load = [0x8b, 0x53, 0x20, 0x48, 0x8d, 0x33, 0xb9, 4, 0, 0, 0, 0xf3, 0xac, 0x84, 0xc0, 0x74, 0x00];
    expect(run(load, [3, 0x30], tier).stop).toMatchObject({ kind: 'undefined', use: 'branch', at: CODE + 15 });
    expect(run(load, [4, 0x30], tier).stop).toEqual(TRAPPED);
  });

  it('survive cpuid in the registers that it does not set', () => {
    // mov esi, [rbx]; mov r15, rbx; xor eax, eax; cpuid; mov rbx, r15; test esi, esi; je +0
    const code = [0x8b, 0x33, 0x49, 0x89, 0xdf, 0x31, 0xc0, 0x0f, 0xa2, 0x4c, 0x89, 0xfb, 0x85, 0xf6, 0x74, 0x00];
    expect(run(code, [0, 4], tier).stop).toMatchObject({ kind: 'undefined', use: 'branch', at: CODE + 14 });
  });

  it('come back from a saved state to the registers that they were in', () => {
    // fninit; fld qword [rbx]; fnsave [rbx+0x100]; frstor [rbx+0x100]; fldz; fcomip st0, st1; fstp st0; je +0
    const code = [0xdb, 0xe3, 0xdd, 0x03, 0xdd, 0xb3, 0, 1, 0, 0, 0xdd, 0xa3, 0, 1, 0, 0, 0xd9, 0xee, 0xdf, 0xf1, 0xdd, 0xd8, 0x74, 0x00];
    expect(run(code, [0, 8], tier).stop).toMatchObject({ kind: 'undefined', use: 'branch', at: CODE + 22 });
  });

  it('are moved by repeated moves, also in unaligned bytes', () => {
    // lea rsi, [rbx+3]; lea rdi, [rbx+0x65]; mov ecx, 20; rep movsb; mov al, [rbx+0x65+7]; test al, al; je +0
    const code = [0x48, 0x8d, 0x73, 0x03, 0x48, 0x8d, 0x7b, 0x65, 0xb9, 20, 0, 0, 0, 0xf3, 0xa4, 0x8a, 0x43, 0x6c, 0x84, 0xc0, 0x74, 0x00];
    expect(run(code, [10, 1], tier).stop).toMatchObject({ kind: 'undefined', origin: DATA + 10 });
    expect(run(code, [9, 1], tier).stop).toEqual(TRAPPED);
  });
});

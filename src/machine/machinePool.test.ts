import { describe, expect, it } from 'vitest';
import { assert } from '../base/assert.js';
import { guestAddr } from '../base/types.js';
import { RAX, RBX, RCX, RSP } from '../layout/cpuState.js';
import { BLOCK_TABLE, READ_TABLE, REGION_TICKS, WRITE_TABLE } from '../layout/memoryMap.js';
import { anonymousMapping, PROT, type MappableFile } from './addressSpace.js';
import { Engine } from './engine.js';
import { forkMachine, type Machine, MachinePool, newMachine } from './machinePool.js';

const CODE = guestAddr(0x400000);
const DATA = guestAddr(0x500000);
const RW = PROT.READ | PROT.WRITE;
const RWX = RW | PROT.EXEC;
const K = 4096;
const HOT = { hotThreshold: 2, noCompiler: false };
const INTERPRETED = { hotThreshold: 30, noCompiler: true };

/** xor eax, eax; mov ecx, 20000; again: add rax, 3; mov [rsp-8], rax; dec ecx; jnz again; int3; jmp start */
const LOOP = [
  0x31, 0xc0, 0xb9, 0x20, 0x4e, 0, 0, 0x48, 0x83, 0xc0, 0x03, 0x48, 0x89, 0x44, 0x24, 0xf8, 0xff, 0xc9, 0x75, 0xf3, 0xcc, 0xeb, 0xe9,
];
/** Where the 3 is. */
const ADDEND = CODE + 10;
const ROUNDS = 20_000;

interface Running extends Machine {
  readonly engine: Engine;
}

function start(code: readonly number[], options = HOT, machine = newMachine()): Running {
  const { space, cpu, linear } = machine;
  space.map(anonymousMapping({ start: CODE, end: guestAddr(CODE + K), prot: RWX }));
  space.map(anonymousMapping({ start: DATA, end: guestAddr(DATA + 64 * K), prot: RW }));
  space.write(CODE, Uint8Array.from(code));
  cpu.rip = CODE;
  cpu.setNum(RSP, DATA + K);
  return { ...machine, engine: new Engine(linear, cpu, space, options) };
}

function taken(pool: MachinePool): Machine {
  const machine = pool.take();
  assert(machine !== undefined, 'there is room for another memory');
  return machine;
}

function fork(parent: Running, pool = new MachinePool()): Running {
  const child = taken(pool);
  return { ...child, engine: forkMachine(parent, parent.engine, child) };
}

const TRAP = { kind: 'trap', vector: 3 };

describe.each([['compiled', HOT], ['interpreted', INTERPRETED]] as const)('fork, %s', (_tier, options) => {
  it('gives two processes that know nothing of each other', () => {
    const parent = start(LOOP, options);
    parent.space.writeU32(DATA + 20 * K, 1);
    parent.engine.run(1000);
    const child = fork(parent);
    expect(child.cpu.num(RCX)).toBe(parent.cpu.num(RCX));
    child.space.writeU32(DATA + 20 * K, 2);
    child.space.writeU32(DATA + 40 * K, 3);
    parent.space.writeU32(DATA + 50 * K, 4);
    child.cpu.setNum(RBX, 7);
    expect(child.engine.run(1e6)).toMatchObject(TRAP);
    expect(child.cpu.num(RAX)).toBe(3 * ROUNDS);
    expect(parent.cpu.num(RAX)).toBeLessThan(1000);
    expect(parent.engine.run(1e6)).toMatchObject(TRAP);
    expect(parent.cpu.num(RAX)).toBe(3 * ROUNDS);
    expect(parent.cpu.num(RBX)).toBe(0);
    expect([20, 40, 50].map((page) => parent.space.readU32(DATA + page * K))).toEqual([1, 0, 4]);
    expect([20, 40, 50].map((page) => child.space.readU32(DATA + page * K))).toEqual([2, 3, 0]);
    expect(child.space.readNum64(DATA + K - 8)).toBe(3 * ROUNDS);
  });

  it('gives the child the code that was translated, and counts its instructions from zero', () => {
    const parent = start(LOOP, options);
    expect(parent.engine.run(1e6)).toMatchObject(TRAP);
    const child = fork(parent);
    expect(child.engine.run(1e6)).toMatchObject(TRAP);
    expect(child.cpu.num(RAX)).toBe(3 * ROUNDS);
    expect(child.engine.instructions).toBe(1 + 2 + 4 * ROUNDS + 1);
    // The jump back is all that is new.
    expect(child.engine.stats.blocks).toBeLessThanOrEqual(2);
  });

  it('lets child and parent change their code apart', () => {
    const parent = start(LOOP, options);
    expect(parent.engine.run(1e6)).toMatchObject(TRAP);
    const child = fork(parent);
    const grandchild = fork(child);
    child.space.writeU8(ADDEND, 5);
    expect(child.engine.run(1e6)).toMatchObject(TRAP);
    expect(child.cpu.num(RAX)).toBe(5 * ROUNDS);
    expect(parent.engine.run(1e6)).toMatchObject(TRAP);
    expect(parent.cpu.num(RAX)).toBe(3 * ROUNDS);
    parent.space.writeU8(ADDEND, 7);
    expect(grandchild.engine.run(1e6)).toMatchObject(TRAP);
    expect(grandchild.cpu.num(RAX)).toBe(3 * ROUNDS);
    expect(parent.engine.run(1e6)).toMatchObject(TRAP);
    expect(parent.cpu.num(RAX)).toBe(7 * ROUNDS);
    expect(child.engine.run(1e6)).toMatchObject(TRAP);
    expect(child.cpu.num(RAX)).toBe(5 * ROUNDS);
  });

  it('keeps translating right on both sides: constants that one adds do not hurt the other', () => {
    // mov rax, imm64; int3, in two places
    const load = (value: number): number[] => [0x48, 0xb8, value, 1, 2, 3, 4, 5, 6, 7, 0xcc];
    const parent = start([0xcc, ...load(1), ...load(2), ...load(3)], options);
    expect(parent.engine.run(10)).toMatchObject(TRAP);
    const child = fork(parent);
    const expected = (value: number): bigint => 0x0706050403020100n + BigInt(value);
    for (const value of [2, 1]) {
      parent.cpu.rip = guestAddr(CODE + 1 + (value - 1) * 11);
      parent.engine.run(10);
      expect(parent.cpu.big(RAX)).toBe(expected(value));
    }
    for (const value of [3, 1, 2]) {
      child.cpu.rip = guestAddr(CODE + 1 + (value - 1) * 11);
      child.engine.run(10);
      expect(child.cpu.big(RAX)).toBe(expected(value));
    }
  });
});

describe('forked memory', () => {
  it('leaves untouched pages untouched, and pages of files in their files', () => {
    let reads = 0;
    const file: MappableFile = {
      path: '/f', device: 1, inode: 2, size: 32 * K,
      read(offset, target) {
        reads++;
        return target.fill(1 + offset / K).length;
      },
    };
    const parent = start(LOOP);
    const at = guestAddr(0x700000);
    parent.space.map({ ...anonymousMapping({ start: at, end: guestAddr(at + 32 * K), prot: RW }), inode: 2, device: 1, file });
    parent.space.writeU8(at, 200);
    const resident = parent.space.residentBytes;
    const child = fork(parent);
    expect(reads).toBe(1);
    expect(child.space.residentBytes).toBe(resident);
    expect(child.space.readU8(at)).toBe(200);
    expect(child.space.readU8(at + 20 * K)).toBe(17);
    expect(reads).toBe(2);
    expect(child.space.mappings()).toEqual(parent.space.mappings());
    expect(child.space.mappedBytes).toBe(parent.space.mappedBytes);
  });

  it('maps and unmaps apart', () => {
    const parent = start(LOOP);
    const child = fork(parent);
    child.space.unmap(DATA, K);
    child.space.protect(DATA + K, K, PROT.READ);
    expect(parent.space.resolve(DATA, 8, 'write').ok).toBe(true);
    expect(parent.space.resolve(DATA + K, 8, 'write').ok).toBe(true);
    expect(child.space.resolve(DATA, 8, 'read').ok).toBe(false);
    expect(child.space.resolve(DATA + K, 8, 'write').ok).toBe(false);
  });
});

describe('a machine from the pool', () => {
  const anyByte = (bytes: Uint8Array): boolean => bytes.some((byte) => byte !== 0);

  function used(pool: MachinePool): Machine {
    const machine = start(LOOP, HOT, taken(pool));
    machine.space.writeU32(DATA + 20 * K, 0x1234);
    expect(machine.engine.run(1e6)).toMatchObject(TRAP);
    pool.give(machine, machine.engine);
    return machine;
  }

  it('is the one that was given back, without registers, mappings, table entries or code', () => {
    const pool = new MachinePool();
    const { linear } = used(pool);
    const { space, cpu } = taken(pool);
    expect(space.linear === linear).toBe(true);
    expect(anyByte(cpu.bytes())).toBe(false);
    expect(space.mappings()).toEqual([]);
    expect([space.mappedBytes, space.residentBytes, space.peakResidentBytes]).toEqual([0, 0, 0]);
    expect(anyByte(linear.u8.subarray(BLOCK_TABLE, REGION_TICKS))).toBe(false);
    for (const table of [READ_TABLE, WRITE_TABLE]) {
      for (const address of [CODE, DATA]) expect(linear.u64[table / 8 + address / K]).toBe(0n);
    }
  });

  it('shows the next process zeros, in plain memory and after a fork into it', () => {
    const pool = new MachinePool();
    used(pool);
    const next = start([0xcc], HOT, taken(pool));
    expect(next.space.readU32(DATA + 20 * K)).toBe(0);
    expect(anyByte(next.space.read(CODE + 1, K - 1))).toBe(false);
    pool.give(next, next.engine);
    const child = fork(start([0xcc]), pool);
    expect(child.linear === next.linear).toBe(true);
    expect(child.space.readU32(DATA + 20 * K)).toBe(0);
    expect(anyByte(child.space.read(DATA, 64 * K))).toBe(false);
  });

  it('runs other code at the same addresses', () => {
    const pool = new MachinePool();
    used(pool);
    const code = [...LOOP];
    code[ADDEND - CODE] = 9;
    const next = start(code, HOT, taken(pool));
    expect(next.engine.run(1e6)).toMatchObject(TRAP);
    expect(next.cpu.num(RAX)).toBe(9 * ROUNDS);
  });

  it('is not kept if it holds too much', () => {
    const pool = new MachinePool();
    const machine = newMachine();
    const { space, linear, cpu } = machine;
    const end = guestAddr(DATA + 513 * 1024 * 1024);
    space.map(anonymousMapping({ start: DATA, end, prot: RW }));
    for (let page: number = DATA; page < end; page += 16 * K) space.resolve(page, 1, 'write');
    pool.give(machine, new Engine(linear, cpu, space));
    expect(taken(pool).linear === linear).toBe(false);
  });
});

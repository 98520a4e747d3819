import { describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { RAX, RBX, RCX, RSI, RSP } from '../layout/cpuState.js';
import { GUEST_SPACE_SIZE, VIEW_ADDRESSES } from '../layout/memoryMap.js';
import { AddressSpace, anonymousMapping, BadAddress, PROT } from './addressSpace.js';
import { Cpu } from './cpu.js';
import { Engine } from './engine.js';
import { LinearMemory } from './linearMemory.js';
import { GLOBAL_TAGS, isViewAddress, LOCAL_TAGS, VIEW_TAGS } from '../layout/viewAddresses.js';

const CODE = guestAddr(0x400000);
const DATA = guestAddr(0x500000);
const BLOCK = DATA + 0x100;
const SIZE = 24;

/** The same bytes, at addresses of their own. */
function viewed(address: number, tag: number): number {
  return tag * 0x8000_0000 + (address % 0x8000_0000);
}
const VIEW = { begin: viewed(BLOCK, 5), size: SIZE, real: BLOCK };

function machine(code: readonly number[] = []) {
  const linear = new LinearMemory();
  const space = new AddressSpace(linear);
  space.map(anonymousMapping({ start: CODE, end: guestAddr(CODE + 8192), prot: PROT.READ | PROT.EXEC }));
  space.map(anonymousMapping({ start: DATA, end: guestAddr(DATA + 0x40000), prot: PROT.READ | PROT.WRITE }));
  space.poke(CODE, Uint8Array.from(code));
  const cpu = new Cpu(linear);
  cpu.rip = CODE;
  cpu.setNum(RSP, DATA + 4096);
  return { linear, cpu, space, engine: new Engine(linear, cpu, space, { hotThreshold: 20, noCompiler: false }) };
}

describe('a view', () => {
  it('shows the bytes that are mapped elsewhere', () => {
    const { space } = machine();
    space.write(BLOCK, Uint8Array.of(1, 2, 3));
    space.addView(VIEW);
    expect(space.read(VIEW.begin, 3)).toEqual(Uint8Array.of(1, 2, 3));
    space.write(VIEW.begin + 1, Uint8Array.of(9));
    expect(space.read(BLOCK, 3)).toEqual(Uint8Array.of(1, 9, 3));
  });

  it('ends where it ends, and begins where it begins, for the kernel too', () => {
    const { space } = machine();
    space.addView(VIEW);
    space.read(VIEW.begin, SIZE);
    const failing = (address: number, length: number): unknown => {
      try {
        return space.read(address, length);
      } catch (error) {
        return error instanceof BadAddress ? error.address : error;
      }
    };
    expect(failing(VIEW.begin, SIZE + 1)).toBe(VIEW.begin + SIZE);
    expect(failing(VIEW.begin - 1, 4)).toBe(VIEW.begin - 1);
    expect(failing(VIEW.begin + SIZE, 1)).toBe(VIEW.begin + SIZE);
    space.removeView(VIEW.begin);
    expect(failing(VIEW.begin, 1)).toBe(VIEW.begin);
  });

  it('goes with copies of the space and with snapshots of its mappings', () => {
    const { space } = machine();
    space.addView(VIEW);
    const before = space.mappingState();
    expect(space.mappingState(before)).toBe(before);
    const copy = new AddressSpace(new LinearMemory());
    copy.copyFrom(space);
    expect(copy.read(VIEW.begin, SIZE)).toHaveLength(SIZE);
    space.removeView(VIEW.begin);
    space.addView({ ...VIEW, begin: viewed(BLOCK, 6) });
    space.restoreMappingState(before);
    expect(space.viewNear(VIEW.begin)).toEqual(VIEW);
    expect(space.viewNear(viewed(BLOCK, 6))).toBeUndefined();
  });
});

describe('code', () => {
  // again: mov rax, [rsi]; mov [rsi+8], rax; inc ebx; dec ecx; jnz again; int3
  const LOOP = [0x48, 0x8b, 0x06, 0x48, 0x89, 0x46, 0x08, 0xff, 0xc3, 0xff, 0xc9, 0x75, 0xf3, 0xcc];
  // again: mov al, [rsi]; inc rsi; dec ecx; jnz again; int3
  const WALK = [0x8a, 0x06, 0x48, 0xff, 0xc6, 0xff, 0xc9, 0x75, 0xf7, 0xcc];

  it('that is compiled accesses views without leaving', () => {
    const { cpu, space, engine } = machine(LOOP);
    space.addView(VIEW);
    cpu.setNum(RSI, VIEW.begin);
    cpu.setNum(RCX, 100_000);
    space.writeU64(BLOCK, 77n);
    expect(engine.run(10_000_000).kind).toBe('trap');
    expect(cpu.num(RBX)).toBe(100_000);
    expect(engine.stats.regions).toBeGreaterThan(0);
    expect(space.readU64(BLOCK + 8)).toBe(77n);
  });

  it.each([20, 1_000_000])('faults at the first byte after a view (hot after %i)', (hotThreshold) => {
    const { linear, cpu, space } = machine(WALK);
    const engine = new Engine(linear, cpu, space, { hotThreshold, noCompiler: false });
    const long = { begin: viewed(DATA + 0x1100, 7), size: 5000, real: DATA + 0x1100 };
    space.addView(long);
    cpu.setNum(RSI, long.begin);
    cpu.setNum(RCX, 10_000);
    expect(engine.run(1_000_000)).toMatchObject({ kind: 'pageFault', address: BigInt(long.begin + 5000), access: 'read' });
    expect(cpu.num(RSI)).toBe(long.begin + 5000);
  });

  it('faults at the first access to a view that is gone, and goes on with another one at the same place', () => {
    const { cpu, space, engine } = machine(LOOP);
    space.addView(VIEW);
    cpu.setNum(RSI, VIEW.begin);
    cpu.setNum(RCX, 1_000_000);
    engine.run(50_000);
    space.removeView(VIEW.begin);
    expect(engine.run(100)).toMatchObject({ kind: 'pageFault', address: BigInt(VIEW.begin) });
    const other = { ...VIEW, begin: viewed(BLOCK, 9) };
    space.addView(other);
    cpu.setNum(RSI, other.begin);
    expect(engine.run(10_000_000).kind).toBe('trap');
    expect(cpu.num(RBX)).toBe(1_000_000);
  });

  it('straddling the beginning of a view faults', () => {
    // mov rax, [rsi]
    const { cpu, space, engine } = machine([0x48, 0x8b, 0x06, 0xcc]);
    space.addView(VIEW);
    cpu.setNum(RSI, VIEW.begin - 3);
    expect(engine.run(10)).toMatchObject({ kind: 'pageFault', address: BigInt(VIEW.begin - 3) });
    expect(cpu.num(RAX)).toBe(0);
  });
});

it('generated code knows which addresses are those of views', () => {
  for (const { first, count } of [VIEW_TAGS, LOCAL_TAGS, GLOBAL_TAGS]) {
    for (const address of [first * GUEST_SPACE_SIZE, (first + count) * GUEST_SPACE_SIZE - 1]) {
      expect(isViewAddress(address)).toBe(true);
      expect(address).toBeGreaterThanOrEqual(VIEW_ADDRESSES.begin);
      expect(address).toBeLessThan(VIEW_ADDRESSES.end);
    }
  }
});

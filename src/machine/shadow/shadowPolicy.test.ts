/**
 * A policy of its own: shadow is a taint, and what would spread it into memory or by an address is left out. Snapshots
 * of shadow.
 */
import { describe, expect, it } from 'vitest';
import { guestAddr } from '../../base/types.js';
import { buildCoreModule } from '../../jit/coreModule.js';
import { GPR, RAX, RBX, RCX, RDX, RSP, type Slot } from '../../layout/cpuState.js';
import { AddressSpace, anonymousMapping, PROT } from '../addressSpace.js';
import { Cpu } from '../cpu.js';
import { Engine } from '../engine.js';
import { PLAIN } from '../instrumentation.js';
import { LinearMemory } from '../linearMemory.js';
import { PageStore } from '../snapshots/pageStore.js';
import { SpaceHistory } from '../snapshots/spaceHistory.js';
import type { Stop } from '../stop.js';
import { type Decision, GO_ON, type ShadowedInstruction, type ShadowPolicy } from './shadowPolicy.js';
import type { ShadowFollower } from './shadowFollower.js';
import type { TrackingOptions } from './tracking.js';
import type { UnwrittenBytes } from './unwrittenBytes.js';

const CODE = guestAddr(0x400000);
const DATA = guestAddr(0x500000);
const DATA_BYTES = 0x4000;
const ALL_DATA = [{ address: DATA, bytes: DATA_BYTES }];
const CORE = buildCoreModule();
const TRAPPED = { kind: 'trap', vector: 3 };
const R12 = GPR[12] as Slot;

/** What uses taint as an address, or would store it, is left out; what it would have written is tainted. */
const TAINT: ShadowPolicy = {
  startsInFrames: false,
  isForgetful: false,
  decide({ shadow }: ShadowedInstruction): Decision {
    const isLeftOut = shadow.use()?.use === 'address' || shadow.stores().some(({ bits }) => bits !== 0n);
    if (!isLeftOut) return GO_ON;
    const { slots, memory } = shadow.targets();
    return { kind: 'leaveOut', slots: slots.filter(({ offset }) => offset !== RSP.offset), memory: shadow.use() === undefined ? memory : [] };
  },
};

type Tier = 'interpreted' | 'compiled';

/** Some code in a loop of r12d rounds, then int3. rbx is the address of the data. */
function machine(code: readonly number[], tier: Tier, options: TrackingOptions) {
  const linear = new LinearMemory();
  const space = new AddressSpace(linear);
  space.map(anonymousMapping({ start: CODE, end: guestAddr(CODE + 4096), prot: PROT.READ | PROT.WRITE | PROT.EXEC }));
  space.map(anonymousMapping({ start: DATA, end: guestAddr(DATA + DATA_BYTES), prot: PROT.READ | PROT.WRITE }));
  const loop = [...code, 0x41, 0xff, 0xcc, 0x0f, 0x85];
  const back = -(loop.length + 4);
  space.poke(CODE, Uint8Array.from([...loop, back & 0xff, (back >> 8) & 0xff, 0xff, 0xff, 0xcc]));
  const cpu = new Cpu(linear);
  cpu.setNum(RSP, DATA + 0x3000);
  cpu.setNum(RBX, DATA);
  const engine = new Engine(linear, cpu, space, { hotThreshold: tier === 'compiled' ? 50 : 1e9, noCompiler: tier !== 'compiled', coreModule: CORE });
  engine.instrument({ ...PLAIN, shadow: options });
  const [shadow, bytes] = [engine.shadow as ShadowFollower, space.unwritten as UnwrittenBytes];
  const start = (rounds: number): void => {
    cpu.rip = CODE;
    cpu.setNum(R12, rounds);
  };
  return { engine, bytes, start, cpu, space, shadow };
}

/** Many rounds without taint, so that the code is hot, then one after `taint`. */
function run(code: readonly number[], tier: Tier, taint: (m: ReturnType<typeof machine>) => void, pointer = 0) {
  const made = machine(code, tier, { policy: TAINT });
  made.space.poke(DATA, Uint8Array.of(pointer & 0xff, (pointer >> 8) & 0xff, pointer >> 16, 0));
  made.start(tier === 'compiled' ? 3000 : 3);
  expect(made.engine.run(1e7)).toEqual(TRAPPED);
  const before = made.engine.instructions;
  made.start(1);
  taint(made);
  const stop = made.engine.run(1e7);
  return { ...made, stop, retired: made.engine.instructions - before };
}

/** mov rax, [rbx] */
const LOAD = [0x48, 0x8b, 0x03];
const word = (m: ReturnType<typeof machine>, at: number): number => new DataView((m.space.peek(DATA + at, 8) as Uint8Array).slice().buffer).getUint32(0, true);

describe.each(['interpreted', 'compiled'] as const)('a policy that leaves instructions out, %s', (tier) => {
  it('does not store what is tainted, and taints where it would have gone', () => {
    // mov rax, [rbx]; mov [rbx+16], rax; mov edx, [rbx+16]; mov [rbx+32], ecx
    const code = [...LOAD, 0x48, 0x89, 0x43, 0x10, 0x8b, 0x53, 0x10, 0x89, 0x4b, 0x20];
    const m = run(code, tier, ({ bytes, space, cpu }) => {
      space.poke(DATA, Uint8Array.of(7, 7, 7, 7));
      cpu.setNum(RCX, 9);
      bytes.add(DATA, 4);
    });
    expect(m.stop).toEqual(TRAPPED);
    expect([word(m, 16), word(m, 32)]).toEqual([0, 9]);
    // The whole target counts as left out, also what would have come from clean bytes.
    expect(m.bytes.bitsOf(DATA + 16, 8)).toBe(0xffff_ffff_ffff_ffffn);
    expect(m.bytes.bitsOf(DATA + 32, 4)).toBe(0n);
    expect([RAX, RDX, RCX].map(({ offset }) => m.shadow.slotBits(offset) !== 0n)).toEqual([true, true, false]);
    // Time goes on as if it had been executed: four instructions, dec, jne, int3.
    expect(m.retired).toBe(7);
  });

  it('does not go where a tainted address leads', () => {
    // mov rax, [rbx]; mov rdx, [rax]; mov [rax], rcx
    const m = run([...LOAD, 0x48, 0x8b, 0x10, 0x48, 0x89, 0x08], tier, ({ bytes, space }) => {
      space.poke(DATA, new Uint8Array(8));
      bytes.add(DATA, 8);
    }, DATA + 0x200);
    expect(m.stop).toEqual(TRAPPED);
    expect([RAX, RDX].map(({ offset }) => m.shadow.slotBits(offset))).toEqual([0xffff_ffff_ffff_ffffn, 0xffff_ffff_ffff_ffffn]);
  });

  it('a clean write makes clean, of memory and of registers', () => {
    // mov rax, [rbx]; mov [rbx+16], rax; mov qword [rbx+16], 5; xor eax, eax; mov rdx, [rbx+16]
    const code = [...LOAD, 0x48, 0x89, 0x43, 0x10, 0x48, 0xc7, 0x43, 0x10, 5, 0, 0, 0, 0x31, 0xc0, 0x48, 0x8b, 0x53, 0x10];
    const m = run(code, tier, ({ bytes }) => bytes.add(DATA, 8));
    expect(m.stop).toEqual(TRAPPED);
    expect(word(m, 16)).toBe(5);
    expect(m.bytes.bitsOf(DATA + 16, 8)).toBe(0n);
    expect(m.shadow.any).toBe(false);
  });

  it('begins in registers, too', () => {
    // mov [rbx+16], rcx; mov [rbx+24], rdx
    const m = run([0x48, 0x89, 0x4b, 0x10, 0x48, 0x89, 0x53, 0x18], tier, ({ shadow, cpu }) => {
      for (const slot of [RCX, RDX]) cpu.setNum(slot, 3);
      shadow.shade(RCX.offset, 0xffn, DATA);
    });
    expect(m.stop).toEqual(TRAPPED);
    expect([word(m, 16), word(m, 24)]).toEqual([0, 3]);
    expect(m.bytes.bitsOf(DATA + 16, 1)).toBe(0xffn);
  });

  it('does not hold up code that has nothing to do with a tainted register', () => {
    // mov rax, [rbx]; add rcx, rax
    const m = machine([...LOAD, 0x48, 0x01, 0xc1], tier, { policy: TAINT });
    const rounds = 5000;
    m.start(rounds);
    m.shadow.shade(RDX.offset, 0xffn, DATA);
    expect(m.engine.run(1e7)).toEqual(TRAPPED);
    expect(m.engine.instructions).toBe(rounds * 4 + 1);
    expect(m.shadow.slotBits(RDX.offset)).toBe(0xffn);
    expect(m.shadow.cost.steps).toBeLessThan(20);
  });

  it('leaves such code where the register is used again', () => {
    // mov rax, [rbx]; cmp r12d, 1; jne +4; mov [rbx+16], rdx
    const m = machine([...LOAD, 0x41, 0x83, 0xfc, 0x01, 0x75, 0x04, 0x48, 0x89, 0x53, 0x10], tier, { policy: TAINT });
    m.start(3000);
    m.cpu.setNum(RDX, 77);
    m.shadow.shade(RDX.offset, 0xffffn, DATA);
    expect(m.engine.run(1e7)).toEqual(TRAPPED);
    expect(word(m, 16)).toBe(0);
    expect(m.bytes.bitsOf(DATA + 16, 8)).toBe(0xffff_ffff_ffff_ffffn);
    expect(m.shadow.cost.steps).toBeLessThan(40);
  });

  it('frames are no special memory to it', () => {
    // call +0; pop rax; sub rsp, 64; mov rcx, [rsp+8]; add rsp, 64
    const code = [0xe8, 0, 0, 0, 0, 0x58, 0x48, 0x83, 0xec, 0x40, 0x48, 0x8b, 0x4c, 0x24, 0x08, 0x48, 0x83, 0xc4, 0x40];
    const m = run(code, tier, () => {});
    expect(m.stop).toEqual(TRAPPED);
    expect(m.bytes.firstIn(DATA, DATA_BYTES)).toBeUndefined();
  });
});

/** mov eax, [rbx]; test eax, eax; je +0; mov [rbx+8], eax; mov ecx, [rbx+8]; test ecx, ecx; je +0 */
const TWO_USES = [0x8b, 0x03, 0x85, 0xc0, 0x74, 0x00, 0x89, 0x43, 0x08, 0x8b, 0x4b, 0x08, 0x85, 0xc9, 0x74, 0x00];

describe('snapshots of shadow', () => {
  it.each([['undefined values', {}, TWO_USES], ['taint', { policy: TAINT }, [...LOAD, 0x48, 0x89, 0x43, 0x10, 0x8b, 0x4b, 0x10]]] as const)('%s: what follows is the same again', (_, options, code) => {
    const { engine, bytes, start, cpu, space, shadow } = machine(code, 'interpreted', options);
    start(20);
    bytes.add(DATA, 4);
    shadow.runsFor(bytes);
    // In the middle of the code, while a register has shadow.
    expect(engine.run(2)).toEqual({ kind: 'budget' });
    expect(shadow.any).toBe(true);
    const history = new SpaceHistory(space, new PageStore());
    const [snapshot, registers, kept] = [history.capture(), cpu.bytes().slice(), shadow.capture(ALL_DATA)];
    const goOn = (): { stops: Stop[]; after: unknown } => {
      const stops: Stop[] = [];
      for (let i = 0; i < 60 && stops.at(-1)?.kind !== 'trap'; i++) stops.push(engine.run(9));
      bytes.add(DATA + 0x100, 3);
      shadow.shade(RDX.offset, 1n, 5);
      shadow.runsFor({});
      return { stops, after: { ...shadow.capture(ALL_DATA), owner: undefined } };
    };
    const { instructions } = engine;
    const first = goOn();
    history.restore(snapshot);
    cpu.bytes().set(registers);
    engine.instructions = instructions;
    shadow.restore(kept, ALL_DATA);
    expect(shadow.capture(ALL_DATA)).toEqual(kept);
    expect(goOn()).toEqual(first);
    expect(first.stops.filter(({ kind }) => kind === 'undefined').length > 0).toBe(code === TWO_USES);
  });
});

/** What becomes of translated code when an address space is restored. */
import { describe, expect, it } from 'vitest';
import { PAGE_SIZE, guestAddr } from '../../base/types.js';
import { RAX, RBX, RCX, RDX, RSP } from '../../layout/cpuState.js';
import { AddressSpace, PROT, anonymousMapping, type MappableFile } from '../addressSpace.js';
import { Cpu } from '../cpu.js';
import { Engine } from '../engine.js';
import { LinearMemory } from '../linearMemory.js';
import { hashSpace } from './hashSpace.js';
import { PageStore } from './pageStore.js';
import { SpaceHistory } from './spaceHistory.js';

const CODE = guestAddr(0x400000);
const DATA = guestAddr(0x500000);
const DATA_PAGES = 64;
const ALL = PROT.READ | PROT.WRITE | PROT.EXEC;

const TIERS = [['interpreted', { hotThreshold: 30, noCompiler: true }], ['compiled', { hotThreshold: 2, noCompiler: false }]] as const;

/** mov ecx, 30000; again: add rax, rcx; mov [rdx], rax; add rdx, 264; and rdx, 0x53fff8; dec ecx; jnz again; int3 */
const LOOP = [
  0xb9, 0x30, 0x75, 0, 0, 0x48, 0x01, 0xc8, 0x48, 0x89, 0x02, 0x48, 0x81, 0xc2, 0x08, 0x01, 0, 0, 0x48, 0x81, 0xe2, 0xf8, 0xff, 0x53, 0,
  0xff, 0xc9, 0x75, 0xe8, 0xcc,
];
const LOOP_INSTRUCTIONS = 1 + 30_000 * 6 + 1;
/**
 * mov ecx, 3000; again: add eax, 1; cmp ecx, 1000; jne skip; mov byte [rip + imm of add], 2; skip: dec ecx; jnz again;
 * int3
 */
const SELF_MODIFYING = [
  0xb9, 0xb8, 0x0b, 0, 0, 0x83, 0xc0, 0x01, 0x81, 0xf9, 0xe8, 0x03, 0, 0, 0x75, 0x07,
  0xc6, 0x05, 0xf0, 0xff, 0xff, 0xff, 0x02, 0xff, 0xc9, 0x75, 0xea, 0xcc,
];

interface MachineState {
  readonly snapshot: ReturnType<SpaceHistory['capture']>;
  readonly registers: Uint8Array;
  readonly instructions: number;
}

class TestMachine {
  readonly linear = new LinearMemory();
  readonly space = new AddressSpace(this.linear);
  readonly cpu = new Cpu(this.linear);
  readonly engine: Engine;
  readonly history = new SpaceHistory(this.space, new PageStore());

  constructor(options: { hotThreshold: number; noCompiler: boolean }, file?: MappableFile) {
    const place = { start: CODE, end: guestAddr(CODE + PAGE_SIZE) };
    if (file === undefined) this.space.map(anonymousMapping({ ...place, prot: ALL }));
    else this.space.map(anonymousMapping({ ...place, prot: ALL, file, device: 1, inode: 2, name: '/code' }));
    this.space.map(anonymousMapping({ start: DATA, end: guestAddr(DATA + DATA_PAGES * PAGE_SIZE), prot: PROT.READ | PROT.WRITE }));
    this.engine = new Engine(this.linear, this.cpu, this.space, options);
    this.cpu.rip = CODE;
    this.cpu.setNum(RSP, DATA + 4096);
    this.cpu.setNum(RDX, DATA);
  }

  load(code: readonly number[]): this {
    this.space.poke(CODE, Uint8Array.from(code));
    return this;
  }

  state(): MachineState {
    return { snapshot: this.history.capture(), registers: this.cpu.bytes().slice(), instructions: this.engine.instructions };
  }

  go(to: MachineState): void {
    this.history.restore(to.snapshot);
    this.cpu.bytes().set(to.registers);
    this.engine.instructions = to.instructions;
  }

  /** Runs to the breakpoint instruction at the end; everything that can be seen then. */
  finish(): unknown {
    expect(this.engine.run(1e7)).toMatchObject({ kind: 'trap', vector: 3 });
    return this.outcome();
  }

  outcome(): unknown {
    const { cpu, engine } = this;
    return { instructions: engine.instructions, registers: [RAX, RBX, RCX, RDX].map((r) => cpu.big(r)), rip: cpu.rip, memory: hashSpace(this.space) };
  }
}

describe.each(TIERS)('restored code, %s', (_tier, options) => {
  it('runs again with the same results, without being translated again', () => {
    const machine = new TestMachine(options).load(LOOP);
    const states = [0, 7, 3000, 70_001, 40_000, 3].map((count) => {
      expect(machine.engine.run(count)).toEqual({ kind: 'budget' });
      return { state: machine.state(), outcome: machine.outcome() };
    });
    const end = machine.finish();
    expect(machine.engine.instructions).toBe(LOOP_INSTRUCTIONS);
    const { blocks } = machine.engine.stats;
    for (const which of [3, 0, 5, 1, 4, 2, 0]) {
      const { state, outcome } = states[which] as (typeof states)[0];
      machine.go(state);
      expect(machine.outcome()).toEqual(outcome);
      expect(machine.finish()).toEqual(end);
    }
    expect(machine.engine.stats.blocks).toBe(blocks);
  });

  it('that has changed itself since is what it was', () => {
    const machine = new TestMachine(options).load(SELF_MODIFYING);
    const states = [0, 5000, 4000, 500].map((count) => {
      expect(machine.engine.run(count)).toEqual({ kind: 'budget' });
      return { state: machine.state(), outcome: machine.outcome() };
    });
    const end = machine.finish();
    expect(machine.cpu.num(RAX)).toBe(2001 + 2 * 999);
    for (const which of [0, 3, 1, 2, 3, 0]) {
      const { state, outcome } = states[which] as (typeof states)[0];
      machine.go(state);
      expect(machine.outcome()).toEqual(outcome);
      expect(machine.finish()).toEqual(end);
    }
  });

  it('from a file need not be translated again, although its page is not there yet', () => {
    const machine = new TestMachine(options, fileOf(LOOP));
    const start = machine.state();
    const end = machine.finish();
    const { blocks, regions } = machine.engine.stats;
    machine.go(start);
    expect(machine.space.isResident(CODE)).toBe(false);
    expect(machine.finish()).toEqual(end);
    expect(machine.engine.stats).toMatchObject({ blocks, regions });
  });

  it('from a file is what the file has, even if it was changed in memory or the file has changed', () => {
    const file = fileOf(SELF_MODIFYING);
    const machine = new TestMachine(options, file);
    const start = machine.state();
    const end = machine.finish();
    machine.go(start);
    expect(machine.finish()).toEqual(end);
    machine.go(start);
    file.bytes[7] = 5;
    machine.finish();
    expect(machine.cpu.num(RAX)).toBe(5 * 2001 + 2 * 999);
  });

  it('is dropped if the file is changed after the restore', () => {
    const file = fileOf([0xb8, 7, 0, 0, 0, 0xcc]); // mov eax, 7; int3
    const machine = new TestMachine(options, file);
    const start = machine.state();
    machine.finish();
    for (const [value, notice] of [[8, () => machine.space.fileChanged(file, 1, 1)], [9, () => machine.space.peek(CODE, 1)]] as const) {
      machine.go(start);
      file.bytes[1] = value;
      notice();
      machine.finish();
      expect(machine.cpu.num(RAX)).toBe(value);
    }
  });
});

describe('compiled code', () => {
  it('is not taken for bad because pages are closed after every snapshot', () => {
    const machine = new TestMachine({ hotThreshold: 2, noCompiler: false }).load(LOOP);
    machine.engine.run(30_000);
    const middle = machine.state();
    const rounds = Array.from({ length: 120 }, () => {
      machine.go(middle);
      machine.engine.run(6000);
      return machine.engine.stats.regions;
    });
    expect(rounds.at(-1)).toBe(rounds[10]);
  });
});

function fileOf(code: readonly number[]): MappableFile & { readonly bytes: Uint8Array } {
  const bytes = Uint8Array.from([...code, ...new Uint8Array(PAGE_SIZE - code.length)]);
  return {
    path: '/code', device: 1, inode: 2, size: bytes.length, bytes,
    read(offset, target) {
      target.set(bytes.subarray(offset, offset + target.length));
      return Math.max(0, Math.min(target.length, bytes.length - offset));
    },
  };
}

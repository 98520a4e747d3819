/** Our side: the same cases in the engine, without a kernel. One machine is built per configuration and reused. */
import { assert, assertNever } from '../../src/base/assert.js';
import { guestAddr, USER_SPACE_END } from '../../src/base/types.js';
import { flagsFromState } from '../../src/ir/flags.js';
import {
  ARITHMETIC_FLAGS, CC_OP, CC_X, CC_Y, CC_Z, DF, FLAG, FPU_CONTROL, FPU_DP, FPU_IP, FPU_OPCODE, FPU_REG, FPU_STATUS, FPU_TAGS,
  FS_BASE, GPR, GS_BASE, MXCSR, OTHER_FLAGS, RIP, type Slot, XMM,
} from '../../src/layout/cpuState.js';
import { GUEST_BASE, STATE_BASE } from '../../src/layout/memoryMap.js';
import { AddressSpace, anonymousMapping, PROT } from '../../src/machine/addressSpace.js';
import { Cpu } from '../../src/machine/cpu.js';
import { Engine } from '../../src/machine/engine.js';
import { DEFAULT_ENGINE_OPTIONS, type EngineOptions } from '../../src/machine/engineOptions.js';
import { PLAIN } from '../../src/machine/instrumentation.js';
import { LinearMemory } from '../../src/machine/linearMemory.js';
import type { ShadowFollower } from '../../src/machine/shadow/shadowFollower.js';
import type { ShadowPolicy } from '../../src/machine/shadow/shadowPolicy.js';
import type { UnwrittenBytes } from '../../src/machine/shadow/unwrittenBytes.js';
import { type Stop, VECTOR } from '../../src/machine/stop.js';
import { BACKGROUND, codeImage, FX, FX_OFFSET, MachineState, MEMORY, type Outcome, type Program, SLOT_SIZE, type TestCase } from './machineState.js';

export interface EngineConfiguration {
  readonly name: string;
  readonly options: EngineOptions;
}

export const CONFIGURATIONS: readonly EngineConfiguration[] = [
  { name: 'interpreter', options: { ...DEFAULT_ENGINE_OPTIONS, noCompiler: true } },
  { name: 'compiler', options: { ...DEFAULT_ENGINE_OPTIONS, hotThreshold: 2 } },
];

/** A block that has run this often beyond the threshold makes the compiler work off its queue, however short. */
const IMPATIENCE = 64;
const NOP = 0x90;

const MAX_PROGRAMS = 32768;
/** More than any program of ours executes, repetitions of string instructions included. */
const INSTRUCTION_LIMIT = 20_000;
const EFLAGS_FIXED = 2;
const PAGE_FAULT = 14;
const NON_CANONICAL = 1n << 47n;
const PAGE_FAULT_ERROR = { PROTECTION: 1, WRITE: 2, USER: 4, FETCH: 16 };

export class EngineRunner {
  private readonly linear = new LinearMemory();
  private readonly cpu = new Cpu(this.linear);
  private readonly space = new AddressSpace(this.linear);
  private readonly engine: Engine;
  private readonly data: Uint8Array;
  private readonly before = new Uint8Array(MEMORY.dataSize);

  constructor(readonly configuration: EngineConfiguration) {
    const { data, dataSize, readOnly, readOnlySize, code } = MEMORY;
    this.map(data, dataSize, PROT.READ | PROT.WRITE);
    this.map(readOnly, readOnlySize, PROT.READ);
    this.map(code, MAX_PROGRAMS * SLOT_SIZE, PROT.READ | PROT.EXEC);
    this.engine = new Engine(this.linear, this.cpu, this.space, configuration.options);
    // Once through the front door, so that the pages count as written; later straight into the memory.
    assert(this.space.poke(data, BACKGROUND), 'the data area is mapped');
    this.data = this.linear.u8.subarray(GUEST_BASE + data, GUEST_BASE + data + dataSize);
  }

  get stats(): Engine['stats'] {
    return this.engine.stats;
  }

  run(cases: readonly TestCase[]): Outcome[] {
    if (cases.length === 0) return [];
    const programs = [...new Set(cases.map((c) => c.program))];
    assert(programs.length < MAX_PROGRAMS, 'the programs fit into the code area');
    const last = flushProgram(programs);
    assert(this.space.poke(MEMORY.code, codeImage([...programs, last], (p) => p.bytes)), 'the code area is mapped');
    if (!this.configuration.options.noCompiler) this.warmUp(cases, last);
    return cases.map((c) => this.runOnce(c));
  }

  /** Runs every program often enough to be compiled, and then one more that has everything still waiting compiled. */
  private warmUp(cases: readonly TestCase[], last: Program): void {
    const threshold = this.configuration.options.hotThreshold;
    const seen = new Set<Program>();
    for (const c of cases) {
      if (seen.has(c.program)) continue;
      seen.add(c.program);
      for (let i = 0; i < threshold; i++) this.runOnce(c);
    }
    this.compileWaiting(last);
  }

  /** `last` is a program that does nothing, behind the others: it runs until all that waits has been compiled. */
  private compileWaiting(last: Program): void {
    const state = new MachineState();
    state.rip = last.address;
    for (let i = 0; i < this.configuration.options.hotThreshold * IMPATIENCE; i++) this.runOnce({ name: last.name, program: last, state, patches: [] });
  }

  /** Puts programs into the code area, executes them with `run` until they are hot, and compiles them. */
  placeHot(programs: readonly Program[], run: () => void): void {
    const last = flushProgram(programs);
    this.place([...programs, last]);
    if (this.configuration.options.noCompiler) return;
    for (let i = 0; i < this.configuration.options.hotThreshold; i++) run();
    this.compileWaiting(last);
  }

  private runOnce(c: TestCase): Outcome {
    this.load(c);
    let stop: Stop;
    try {
      stop = this.engine.run(INSTRUCTION_LIMIT);
    } catch (error) {
      return { ...this.outcome({ kind: 'interrupted' }), note: `exception: ${String(error)}` };
    }
    return this.outcome(stop);
  }

  private map(start: number, size: number, prot: number): void {
    this.space.map(anonymousMapping({ start: guestAddr(start), end: guestAddr(start + size), prot }));
  }

  /** The machine right before a case that is executed by hand; its program must be in the code area (`place`). */
  prepare(c: TestCase): void {
    this.load(c);
  }

  /** From now on shadow is followed. */
  follow(policy: ShadowPolicy): void {
    this.engine.instrument({ ...PLAIN, shadow: { policy } });
  }

  get shadow(): { readonly shadow: ShadowFollower; readonly bytes: UnwrittenBytes } {
    const [shadow, bytes] = [this.engine.shadow, this.space.unwritten];
    assert(shadow !== undefined && bytes !== undefined, 'shadow is followed');
    return { shadow, bytes };
  }

  /** Executes what was prepared to its end. */
  finish(): Outcome {
    return this.outcome(this.engine.run(INSTRUCTION_LIMIT));
  }

  /** Puts programs into the code area. */
  place(programs: readonly Program[]): void {
    assert(this.space.poke(MEMORY.code, codeImage(programs, (p) => p.bytes)), 'the code area is mapped');
  }

  /** Executes one instruction of what was prepared. */
  step(): Stop {
    return this.engine.run(1);
  }

  /** The CPU state, and the data area, as they are now: to look at and to change. */
  get memory(): { readonly state: Uint8Array; readonly data: Uint8Array; readonly space: AddressSpace } {
    return { state: this.cpu.bytes(), data: this.data, space: this.space };
  }

  private load(c: TestCase): void {
    const { cpu } = this;
    const { state } = c;
    this.data.set(BACKGROUND);
    for (const patch of c.patches) this.data.set(patch.bytes, patch.offset);
    this.before.set(this.data);
    cpu.bytes().fill(0);
    this.put(GPR[0] as Slot, state.bytes.subarray(0, 128));
    cpu.setNum(RIP, state.rip);
    cpu.setI32(CC_OP, 0);
    cpu.setBig(CC_X, BigInt(state.eflags & ARITHMETIC_FLAGS));
    cpu.setI32(DF, (state.eflags & FLAG.DF) !== 0 ? 1 : 0);
    cpu.setI32(OTHER_FLAGS, state.eflags & ~(ARITHMETIC_FLAGS | FLAG.DF | EFLAGS_FIXED));
    cpu.setNum(FS_BASE, MEMORY.fsBase);
    cpu.setNum(GS_BASE, MEMORY.gsBase);
    this.loadFloatingPoint(state);
  }

  private loadFloatingPoint(state: MachineState): void {
    const { cpu } = this;
    cpu.setMxcsr(state.mxcsr);
    cpu.setI32(FPU_CONTROL, state.fx16(FX.FCW));
    cpu.setI32(FPU_STATUS, state.fx16(FX.FSW));
    cpu.setI32(FPU_TAGS, state.tags);
    cpu.setI32(FPU_OPCODE, 0);
    cpu.setNum(FPU_IP, 0);
    cpu.setNum(FPU_DP, 0);
    const top = (state.fx16(FX.FSW) >> 11) & 7;
    for (let i = 0; i < 8; i++) this.put(FPU_REG[(top + i) & 7] as Slot, state.st(i));
    for (let i = 0; i < 16; i++) this.put(XMM[i] as Slot, state.xmm(i));
  }

  private put(slot: Slot, bytes: Uint8Array): void {
    this.linear.u8.set(bytes, STATE_BASE + slot.offset);
  }

  private slotBytes(slot: Slot, size: number): Uint8Array {
    return this.linear.u8.subarray(STATE_BASE + slot.offset, STATE_BASE + slot.offset + size);
  }

  private outcome(stop: Stop): Outcome {
    return { state: this.save(), changes: this.changes(), ...describeStop(stop) };
  }

  private changes(): Map<number, bigint> {
    const changes = new Map<number, bigint>();
    if (Buffer.compare(this.data, this.before) === 0) return changes;
    const { data, before } = this;
    for (let i = 0; i < data.length; i++) {
      if (data[i] === before[i]) continue;
      const start = i & ~7;
      changes.set(start, this.linear.view.getBigUint64(GUEST_BASE + MEMORY.data + start, true));
      i = start + 7;
    }
    return changes;
  }

  private save(): MachineState {
    const { cpu } = this;
    const state = new MachineState();
    state.bytes.set(this.slotBytes(GPR[0] as Slot, 128));
    state.view.setBigUint64(128, cpu.big(RIP), true);
    const arithmetic = flagsFromState(cpu.lo(CC_OP), cpu.big(CC_X), cpu.big(CC_Y), cpu.big(CC_Z));
    state.eflags = arithmetic | (cpu.lo(DF) !== 0 ? FLAG.DF : 0) | cpu.lo(OTHER_FLAGS) | EFLAGS_FIXED;
    state.mxcsr = cpu.lo(MXCSR);
    state.setFx16(FX.FCW, cpu.lo(FPU_CONTROL));
    state.setFx16(FX.FSW, cpu.lo(FPU_STATUS));
    state.tags = cpu.lo(FPU_TAGS);
    const top = (cpu.lo(FPU_STATUS) >> 11) & 7;
    for (let i = 0; i < 8; i++) state.bytes.set(this.slotBytes(FPU_REG[(top + i) & 7] as Slot, 10), FX_OFFSET + FX.ST + i * 16);
    for (let i = 0; i < 16; i++) state.bytes.set(this.slotBytes(XMM[i] as Slot, 16), FX_OFFSET + FX.XMM + i * 16);
    return state;
  }
}

/** A program that does nothing, in a slot behind the others. */
function flushProgram(programs: readonly Program[]): Program {
  const address = Math.max(...programs.map((p) => p.address)) + SLOT_SIZE;
  const bytes = Uint8Array.of(NOP);
  return { name: 'flush', mnemonic: 'nop', address, bytes, nativeBytes: bytes };
}

/** A stop in the terms of the hardware. */
function describeStop(stop: Stop): Pick<Outcome, 'trap' | 'error' | 'address' | 'note'> {
  const plain = { error: 0, address: 0n, note: '' };
  switch (stop.kind) {
    case 'trap':
      return { ...plain, trap: stop.vector };
    case 'pageFault':
      return stop.address >= NON_CANONICAL && stop.address < 2n ** 64n - NON_CANONICAL
        ? { ...plain, trap: VECTOR.GP }
        : { ...plain, trap: PAGE_FAULT, address: stop.address, error: pageFaultError(stop) };
    case 'unknownInstruction':
      return { ...plain, trap: VECTOR.UD, note: `not lifted: ${stop.text}` };
    case 'budget':
    case 'syscall':
    case 'interrupted':
    case 'breakpoint':
    case 'watched':
    case 'astray':
    case 'undefined':
      return { ...plain, trap: -1, note: `stopped: ${stop.kind}` };
    default:
      return assertNever(stop);
  }
}

function pageFaultError(stop: Extract<Stop, { kind: 'pageFault' }>): number {
  const { PROTECTION, WRITE, USER, FETCH } = PAGE_FAULT_ERROR;
  const present = stop.mapped || stop.address >= BigInt(USER_SPACE_END);
  return USER | (present ? PROTECTION : 0) | (stop.access === 'write' ? WRITE : stop.access === 'execute' ? FETCH : 0);
}

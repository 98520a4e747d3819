/** Signal frames and siginfo beside those of the machine the tests run on. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { guestAddr } from '../../base/types.js';
import { ccOp } from '../../ir/flags.js';
import {
  CC_OP, CC_X, CC_Y, DF, FPU_CONTROL, FPU_REG, FPU_STATUS, FPU_TAGS, GPR, MXCSR, RAX, RDI, RDX, RIP, RSI, RSP, XMM,
  type Slot,
} from '../../layout/cpuState.js';
import { PROT } from '../../machine/addressSpace.js';
import type { Cpu } from '../../machine/cpu.js';
import { VECTOR, type Access, type Stop } from '../../machine/stop.js';
import { readEflags } from './eflags.js';
import { faultOf } from './faults.js';
import { infoAddress } from './siginfo.js';
import { FRAME } from './signalFrame.js';
import { SIG, setOf } from '../../base/signalNumbers.js';
import { CODE, DATA, RESTORER, TestMachine } from './testMachine.js';

/** Compiles fixtures/NAME.c, runs it, and returns the lines it prints. */
function runNative(name: string): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'culprit-signals-'));
  try {
    const program = join(directory, name);
    const source = fileURLToPath(new URL(`./fixtures/${name}.c`, import.meta.url));
    execFileSync('gcc', ['-O1', '-w', '-o', program, source]);
    return execFileSync(program, { encoding: 'utf8' }).trim().split('\n');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const NONE = 0x60_0000;
const CONSTANT = 0x70_0000;
const BEYOND = 0x80_0000;
const WILD = 0x4141414141414141n;

interface Case {
  readonly stop: Stop;
  /** The instruction at rip. */
  readonly code?: readonly number[];
  readonly prepare?: (machine: TestMachine) => void;
}

function access(address: number | bigint, kind: Access, mapped = false): Case {
  return { stop: { kind: 'pageFault', address: BigInt(address), access: kind, mapped } };
}

function trap(vector: (typeof VECTOR)[keyof typeof VECTOR], code: readonly number[] = [], prepare = (_: TestMachine): void => {}): Case {
  return { stop: { kind: 'trap', vector }, code, prepare };
}

const CASES: Readonly<Record<string, Case>> = {
  'unmapped-read': access(0x10, 'read'),
  'unmapped-write': access(0x10, 'write'),
  'unmapped-execute': access(0x10, 'execute'),
  'constant-write': access(CONSTANT, 'write', true),
  'data-execute': access(DATA, 'execute', true),
  'none-read': access(NONE, 'read', true),
  'none-write': access(NONE, 'write', true),
  'none-execute': access(NONE, 'execute', true),
  'beyond-file': access(BEYOND, 'read', true),
  'kernel-read': access(0xffff888000000000n, 'read'),
  'kernel-execute': access(0xffff888000000000n, 'execute'),
  'last-page-read': access(0x7ffffffff000, 'read'),
  'noncanonical-read': {
    ...access(WILD, 'read'), code: [0x8b, 0x00], prepare: (m) => m.cpu.setBig(GPR[0] as Slot, WILD),
  },
  'noncanonical-rbp': {
    ...access(WILD, 'read'), code: [0x8b, 0x45, 0x00], prepare: (m) => m.cpu.setBig(GPR[5] as Slot, WILD),
  },
  'noncanonical-push': { ...access(WILD - 8n, 'write'), code: [0x50], prepare: (m) => m.cpu.setBig(RSP, WILD) },
  divide: trap(VECTOR.DE),
  step: trap(VECTOR.DB),
  int3: trap(VECTOR.BP),
  int4: trap(VECTOR.OF),
  ud2: trap(VECTOR.UD),
  hlt: trap(VECTOR.GP, [0xf4]),
  int81: trap(VECTOR.GP, [0xcd, 0x81]),
  alignment: trap(VECTOR.AC),
  'x87-divide': trap(VECTOR.MF, [], ({ cpu }) => {
    cpu.setI32(FPU_CONTROL, 0x33b);
    cpu.setI32(FPU_STATUS, 0xb884);
  }),
  'sse-divide': trap(VECTOR.XM, [], ({ cpu }) => cpu.setMxcsr((0x1f80 & ~0x200) | 4)),
};

function machineFor({ code, prepare, stop }: Case): TestMachine {
  const machine = new TestMachine();
  machine.map(NONE, 1, PROT.NONE);
  machine.map(CONSTANT, 1, PROT.READ);
  machine.map(BEYOND, 1, PROT.READ);
  // The native program has touched these: only then they are in the hardware's tables.
  for (const page of [CONSTANT, DATA]) machine.space.poke(page, Uint8Array.of(1));
  machine.space.markAbsent(BEYOND, 4096);
  machine.space.poke(CODE, Uint8Array.from(code ?? []));
  machine.cpu.rip = guestAddr(CODE);
  if (stop.kind === 'pageFault' && stop.access === 'execute') machine.cpu.setBig(RIP, stop.address);
  prepare?.(machine);
  return machine;
}

/** The line that fixtures/faults.c prints. */
function describeFault(name: string, { cpu, space }: TestMachine, stop: Stop): string {
  const fault = faultOf(stop, cpu, space);
  if (fault === undefined) return `${name} survived`;
  const { info, trapNumber, errorCode, cr2, resumes } = fault;
  const at = infoAddress(info);
  const address = at === 0n ? '0' : at === cpu.big(RIP) ? 'rip' : at === cr2 ? 'cr2' : '?';
  return `${name} ${info.signal} ${info.code} ${address} ${trapNumber} ${errorCode.toString(16)} ${resumes ? 1 : 0}`;
}

it('faults have signal, code, address, trap number, error code and RF as natively', () => {
  const ours = Object.entries(CASES).map(([name, c]) => describeFault(name, machineFor(c), c.stop));
  expect(ours).toEqual(runNative('faults'));
});

const HANDLER = CODE + 0x800;

/** Registers and memory image as fixtures/frame.c sets them up before its ud2. */
function prepareLikeNative({ cpu, signals }: TestMachine): void {
  [8, 9, 10, 11, 12, 13, 14, 15, 7, 6, 5, 3, 2, 0, 1].forEach((n, i) => {
    cpu.setBig(GPR[n] as Slot, 0x1000000000000001n + BigInt(i));
  });
  cpu.setI32(DF, 1);
  cpu.setI32(CC_OP, ccOp('SUB', 8));
  cpu.setBig(CC_X, 0x100000000000000dn);
  cpu.setBig(CC_Y, 0x100000000000000en);
  cpu.setMxcsr(0x3fa1);
  cpu.setI32(FPU_CONTROL, 0x27f);
  cpu.setI32(FPU_STATUS, 6 << 11);
  cpu.setI32(FPU_TAGS, 0xc0);
  setBytes(cpu, FPU_REG[6] as Slot, '35c26821a2da0fc90040');
  setBytes(cpu, FPU_REG[7] as Slot, '0000000000000080ff3f');
  for (const n of [3, 15]) setBytes(cpu, XMM[n] as Slot, '887766554433221100ffeeddccbbaa99');
  signals.thread.blocked = setOf(SIG.USR2, 64);
}

function setBytes(cpu: Cpu, { offset }: Slot, hex: string): void {
  cpu.bytes().set(Buffer.from(hex, 'hex'), offset);
}

describe('a frame beside a native one', () => {
  const native = new Map<string, string>();
  const machine = new TestMachine();
  let frame = 0;
  let before = 0;

  beforeAll(() => {
    for (const line of runNative('frame')) native.set(...(line.split(' ') as [string, string]));
    machine.handle(SIG.ILL, HANDLER, 4, setOf(SIG.USR1));
    prepareLikeNative(machine);
    before = machine.cpu.num(RSP);
    expect(machine.signals.fault({ kind: 'trap', vector: 6 })).toBe('continue');
    frame = machine.cpu.num(RSP);
  });

  it('gives the handler the same registers', () => {
    const { cpu } = machine;
    const seen = {
      rdi: cpu.num(RDI), rsi: cpu.num(RSI) - frame, rdx: cpu.num(RDX) - frame, rax: cpu.num(RAX),
      align: frame % 16, flags: readEflags(cpu), mxcsr: cpu.lo(MXCSR), control: cpu.lo(FPU_CONTROL),
      fpalign: machine.space.readNum64(frame + FRAME.fpState) % 64,
    };
    for (const [name, value] of Object.entries(seen)) expect([name, value.toString(16)]).toEqual([name, native.get(name)]);
    expect(cpu.rip).toBe(HANDLER);
    expect(cpu.lo(XMM[3] as Slot)).toBe(0);
  });

  // The flags of the alternate stack, too: a program inherits them from its parent.
  it('has the same bytes, apart from addresses and what a CPU with XSAVE adds', () => {
    const ours = machine.space.read(frame, FRAME.size);
    const theirs = Uint8Array.from(Buffer.from(native.get('frame') as string, 'hex'));
    const rsp = FRAME.registers + 15 * 8;
    const differing = [
      [FRAME.restorer, 8], [FRAME.flags, 1], [FRAME.stack + 8, 8], [rsp, 16], [FRAME.fpState, 8], [FRAME.reserved, 64],
      [FRAME.siginfo + 16, 8],
    ] as const;
    for (const [at, length] of differing) for (const bytes of [ours, theirs]) bytes.fill(0, at, at + length);
    expect(Buffer.from(ours).toString('hex')).toBe(Buffer.from(theirs).toString('hex'));
  });

  it('has the same floating-point image', () => {
    // Behind the registers XSAVE leaves what lay on the stack.
    const length = 160 + 16 * 16;
    const ours = machine.space.read(machine.space.readNum64(frame + FRAME.fpState), length);
    const theirs = Uint8Array.from(Buffer.from(native.get('fx') as string, 'hex').subarray(0, length));
    for (const image of [ours, theirs]) {
      // Where the last x87 instruction was: Intel keeps it always, AMD after an exception only.
      image.fill(0, 6, 24);
      // Which bits of MXCSR exist: AMD has one more.
      image.fill(0, 28, 32);
      // What the C library left in registers depends on the functions that it chose for this CPU.
      for (let n = 0; n < 16; n++) if (n !== 3 && n !== 15) image.fill(0, 160 + n * 16, 176 + n * 16);
    }
    expect(Buffer.from(ours).toString('hex')).toBe(Buffer.from(theirs).toString('hex'));
  });

  it('holds the addresses', () => {
    const { space } = machine;
    expect(space.readNum64(frame)).toBe(RESTORER);
    expect(space.readNum64(frame + FRAME.flags)).toBe(6);
    expect(space.readNum64(frame + FRAME.registers + 15 * 8)).toBe(before);
    expect(space.readNum64(frame + FRAME.registers + 16 * 8)).toBe(CODE + 0x10);
    expect(space.readNum64(frame + FRAME.siginfo + 16)).toBe(CODE + 0x10);
    expect(space.readNum64(frame + FRAME.fpState) + 512).toBeLessThanOrEqual(before - 128);
  });
});

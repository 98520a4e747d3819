/** Compares what the engine did with what the CPU did, field by field, leaving out what is undefined. */
import { ARITHMETIC_FLAGS, FLAG } from '../../src/layout/cpuState.js';
import { type Approximation, approximation } from './approximations.js';
import type { Encoding } from './encodings.js';
import { EFLAGS_OFFSET, FX, FX_OFFSET, FX_SIZE, type MachineState, MEMORY, type Outcome, REGISTER_NAMES, type TestCase } from './machineState.js';
import { undefinedEflags, undefinedFsw } from './undefinedFlags.js';

export interface Difference {
  readonly field: string;
  readonly before: string;
  readonly cpu: string;
  readonly engine: string;
}

/** What may differ. */
export interface Tolerance {
  readonly eflags: number;
  /** EFLAGS if the program ends in an exception. */
  readonly eflagsOnFault: number;
  readonly fsw: number;
  readonly approximation: Approximation | undefined;
  /** How much of memory it reads is different on Intel and AMD, so it may fault on one of them only. */
  readonly reachDiffers: boolean;
  /** An MMX register is stored: if that faults, Intel has made the stack of the FPU one of MMX registers already. */
  readonly storesMmx: boolean;
}

export function storesMmx(encoding: Encoding): boolean {
  return /^(Mov(d|q|ntq)_.*_mm$|Maskmovq)/.test(encoding.form.name);
}

const PAGE_FAULT = 14;
const LEFT_THROUGH_INT3 = 3;
/** RF is set in the flags of a fault; IF is the kernel's. */
const COMPARED_EFLAGS = 0xffffffff & ~(FLAG.RF | FLAG.IF | FLAG.TF);
/** #SS is #GP for the stack; our engine does not tell them apart. */
const EXCEPTION_NAMES: ReadonlyMap<number, string> = new Map([
  [-1, 'none'], [0, '#DE'], [1, '#DB'], [3, 'none (int3)'], [6, '#UD'], [7, '#NM'], [12, '#GP'], [13, '#GP'], [14, '#PF'], [16, '#MF'], [17, '#AC'], [19, '#XM'],
]);

/** For a single instruction that starts in a state. */
export function toleranceOf(encoding: Encoding, before: MachineState): Tolerance {
  return {
    eflags: undefinedEflags(encoding, before),
    // On Intel a repeated comparison that faults half way has the flags from before it; on AMD those of the last
    // comparison.
    eflagsOnFault: encoding.repeated ? ARITHMETIC_FLAGS : 0,
    fsw: undefinedFsw(encoding),
    approximation: approximation(encoding.mnemonic),
    // movsxd to 16 bits reads 2 bytes on Intel, and 4 on AMD.
    reachDiffers: encoding.form.name === 'Movsxd_r16_rm16',
    storesMmx: storesMmx(encoding),
  };
}

export function compareOutcomes(tolerance: Tolerance, c: TestCase, cpu: Outcome, engine: Outcome): Difference[] {
  const differences: Difference[] = [];
  const check = (field: string, before: string, expected: string, got: string): void => {
    if (expected !== got) differences.push({ field, before, cpu: expected, engine: got });
  };
  if (tolerance.reachDiffers && (cpu.trap === PAGE_FAULT) !== (engine.trap === PAGE_FAULT)) return [];
  check('exception', '', describeEnd(cpu), describeEnd(engine));
  if (differences.length > 0) return differences;
  if (sameAtFirstSight(cpu, engine)) return [];
  compareIntegers(tolerance, c.state, cpu, engine, check);
  compareVectors(tolerance, c.state, cpu.state, engine.state, check);
  if (!tolerance.storesMmx || cpu.trap === LEFT_THROUGH_INT3) compareFpu(tolerance, c.state, cpu.state, engine.state, check);
  compareMemory(c, cpu, engine, check);
  return differences;
}

/** Saves the detailed look in most cases: everything equal, undefined or not. */
function sameAtFirstSight(cpu: Outcome, engine: Outcome): boolean {
  if (cpu.changes.size !== engine.changes.size) return false;
  for (const [offset, value] of cpu.changes) if (engine.changes.get(offset) !== value) return false;
  const a = cpu.state;
  const b = engine.state;
  const same = (from: number, to: number): boolean => Buffer.compare(a.bytes.subarray(from, to), b.bytes.subarray(from, to)) === 0;
  const stackFrom = FX_OFFSET + FX.ST;
  const fpuIsSame = same(FX_OFFSET, FX_OFFSET + FX.FTW + 1) && Array.from({ length: 8 }, (_, i) => stackFrom + i * 16).every((at) => same(at, at + 10));
  return same(0, EFLAGS_OFFSET) && ((a.eflags ^ b.eflags) & COMPARED_EFLAGS) === 0 && a.mxcsr === b.mxcsr && fpuIsSame &&
    same(FX_OFFSET + FX.XMM, FX_OFFSET + FX_SIZE);
}

type Check = (field: string, before: string, expected: string, got: string) => void;

function describeEnd(o: Outcome): string {
  const name = EXCEPTION_NAMES.get(o.trap) ?? `exception ${o.trap}`;
  const note = o.note === '' ? '' : ` (${o.note})`;
  if (o.trap !== PAGE_FAULT) return name + note;
  const fetch = (o.error & 16) !== 0;
  // Of an access that reads and writes, the CPU reports the write; we the read, and no program can tell.
  if ((o.error & 1) === 0) return `${name} ${fetch ? 'fetch' : 'access'} at ${hex(o.address)}, not mapped${note}`;
  return `${name} ${fetch ? 'fetch' : (o.error & 2) !== 0 ? 'write' : 'read'} at ${hex(o.address)}, not permitted${note}`;
}

function compareIntegers(tolerance: Tolerance, before: MachineState, cpu: Outcome, engine: Outcome, check: Check): void {
  REGISTER_NAMES.forEach((name, i) => check(name, hex(before.gpr(i)), hex(cpu.state.gpr(i)), hex(engine.state.gpr(i))));
  check('rip', hex(before.rip), hex(cpu.state.rip), hex(engine.state.rip));
  const mask = COMPARED_EFLAGS & ~(cpu.trap === LEFT_THROUGH_INT3 ? tolerance.eflags : tolerance.eflagsOnFault);
  check('eflags', flagText(before.eflags), flagText(cpu.state.eflags & mask), flagText(engine.state.eflags & mask));
}

function compareVectors(tolerance: Tolerance, before: MachineState, cpu: MachineState, engine: MachineState, check: Check): void {
  const close = tolerance.approximation;
  for (let i = 0; i < 16; i++) {
    if (close?.vector?.(cpu.xmm(i), engine.xmm(i)) === true) continue;
    check(`xmm${i}`, hexBytes(before.xmm(i)), hexBytes(cpu.xmm(i)), hexBytes(engine.xmm(i)));
  }
  check('mxcsr', hex(before.mxcsr), hex(cpu.mxcsr), hex(engine.mxcsr));
}

function compareFpu(tolerance: Tolerance, before: MachineState, cpu: MachineState, engine: MachineState, check: Check): void {
  const close = tolerance.approximation;
  const mask = 0xffff & ~tolerance.fsw & ~(close?.ignoredStatus ?? 0);
  check('fcw', hex(before.fx16(FX.FCW)), hex(cpu.fx16(FX.FCW)), hex(engine.fx16(FX.FCW)));
  check('fsw', hex(before.fx16(FX.FSW)), hex(cpu.fx16(FX.FSW) & mask), hex(engine.fx16(FX.FSW) & mask));
  check('ftw', hex(before.tags), hex(cpu.tags), hex(engine.tags));
  for (let i = 0; i < 8; i++) {
    if (close?.extended?.(cpu.st(i), engine.st(i)) === true) continue;
    check(`st${i}`, hexBytes(before.st(i)), hexBytes(cpu.st(i)), hexBytes(engine.st(i)));
  }
}

function compareMemory(c: TestCase, cpu: Outcome, engine: Outcome, check: Check): void {
  const offsets = new Set([...cpu.changes.keys(), ...engine.changes.keys()]);
  const ignored = c.ignoredMemory;
  for (const offset of [...offsets].sort((a, b) => a - b)) {
    const mask = ignored === undefined ? ~0n : maskAround(ignored.offset - offset, ignored.size);
    check(`[${hex(MEMORY.data + offset)}]`, '', word(cpu.changes.get(offset), mask), word(engine.changes.get(offset), mask));
  }
}

/** All bits of 8 bytes except those of `size` bytes from `start`. */
function maskAround(start: number, size: number): bigint {
  let mask = 0n;
  for (let i = 0; i < 8; i++) if (i < start || i >= start + size) mask |= 0xffn << BigInt(i * 8);
  return mask;
}

function word(value: bigint | undefined, mask: bigint): string {
  return value === undefined ? 'unchanged' : hex(value & mask);
}

function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

/** Most significant byte first. */
export function hexBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes).reverse().toString('hex');
}

export function flagText(flags: number): string {
  const names = Object.entries(FLAG).filter(([, bit]) => (flags & bit) !== 0).map(([name]) => name);
  return `${hex(flags >>> 0)} ${names.join(' ')}`;
}

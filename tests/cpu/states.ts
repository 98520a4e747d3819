/** Random states for an encoding: registers, flags, floating point, and what its memory operand holds. */
import { CpuidFeature, MemorySize } from 'iced-x86';
import { faultingAddress, place, wantedAddress } from './addressing.js';
import type { Encoding } from './encodings.js';
import { FX, FX_OFFSET, FX_SIZE, MachineState, MEMORY, type Patch, type TestCase } from './machineState.js';
import { type Draft, MEMORY_RULES, REGISTER_RULES } from './operandRules.js';
import { Random } from './random.js';
import { fillVector, float32, float64, float80, integer, type VectorFlavour } from './values.js';

const RSP = 4;
const ARITHMETIC_FLAGS = 0x8d5;
const DIRECTION_FLAG = 0x400;
/** IF, and the bit that is always set. */
const FIXED_FLAGS = 0x202;
const MXCSR_DEFAULT = 0x1f80;
const FPU_CONTROL_DEFAULT = 0x37f;
/** Memory operands larger than this are not made to fault half way: how much is written then differs between CPUs. */
const LARGEST_FAULTING = 16;

export function makeCase(encoding: Encoding, n: number, seed: string): TestCase {
  const name = `${encoding.name}/${n}`;
  const r = new Random(`${seed}/${name}`);
  const state = randomState(r, encoding.address, usesFloatingPoint(encoding) ? flavours(encoding) : null);
  const patches: Patch[] = [];
  const write = (address: number, bytes: Uint8Array): void => addPatch(patches, address, bytes);
  const early: Draft = { encoding, state, r, operandAddress: null, write };
  REGISTER_RULES.get(encoding.mnemonic)?.(early);
  const operandAddress = placeOperand(encoding, state, r, write);
  MEMORY_RULES.get(encoding.mnemonic)?.({ ...early, operandAddress });
  return { name, program: encoding, state, patches, ignoredMemory: ignoredMemory(encoding, operandAddress) };
}

/**
 * Registers and flags of any value, rsp in the data area. Without flavours, floating point is the same in all cases.
 */
export function randomState(r: Random, address: number, vectors: readonly VectorFlavour[] | null): MachineState {
  const state = new MachineState();
  for (let i = 0; i < 16; i++) state.setGpr(i, integer(r));
  state.setGpr(RSP, BigInt(MEMORY.data + 0x1800 + (r.oneIn(4) ? r.below(64) : r.below(16) * 8)));
  state.rip = address;
  state.eflags = (r.u32() & ARITHMETIC_FLAGS) | FIXED_FLAGS | (r.oneIn(4) ? DIRECTION_FLAG : 0);
  if (vectors !== null) fillFloatingPoint(state, r, vectors);
  else state.bytes.set(BYSTANDERS, FX_OFFSET);
  return state;
}

/** The mask of valid MXCSR bits, which tells the CPU's features. */
function ignoredMemory(encoding: Encoding, operandAddress: number | null): TestCase['ignoredMemory'] {
  if (operandAddress === null || !encoding.mnemonic.startsWith('fxsave')) return undefined;
  return { offset: operandAddress + 28 - MEMORY.data, size: 4 };
}

function addPatch(patches: Patch[], address: number, bytes: Uint8Array): void {
  const offset = address - MEMORY.data;
  const from = Math.max(offset, 0);
  const to = Math.min(offset + bytes.length, MEMORY.dataSize);
  if (from < to) patches.push({ offset: from, bytes: bytes.slice(from - offset, to - offset) });
}

function placeOperand(encoding: Encoding, state: MachineState, r: Random, write: Draft['write']): number | null {
  const { memory, form } = encoding;
  if (memory === null) return null;
  const bytes = Math.max(form.memory.bytes, 1);
  const faults = bytes <= LARGEST_FAULTING && r.oneIn(12);
  const wanted = faults ? faultingAddress(r, bytes) : bytes > LARGEST_FAULTING && !r.oneIn(6) ? wantedAddress(r, bytes) & ~15 : wantedAddress(r, bytes);
  const address = place(state, r, memory, wanted);
  write(address, operandBytes(encoding, r));
  return address;
}

function operandBytes(encoding: Encoding, r: Random): Uint8Array {
  const { elementType, bytes } = encoding.form.memory;
  if (elementType === MemorySize.Float80) return float80(r);
  const target = new Uint8Array((bytes + 15) & ~15);
  const flavour = elementType === MemorySize.Float32 ? 'float32' : elementType === MemorySize.Float64 ? 'float64' : r.pick(flavours(encoding));
  fillVector(r, target, flavour);
  return target.subarray(0, bytes);
}

/** What the contents of vector registers should look like, mostly. */
function flavours(encoding: Encoding): readonly VectorFlavour[] {
  const { elementType } = encoding.form.memory;
  const { mnemonic } = encoding;
  if (elementType === MemorySize.Float32 || /(ps|ss)(2|$)/.test(mnemonic)) {
    return /2(pd|sd)/.test(mnemonic) ? ['float32', 'float64'] : ['float32', 'float32', 'float32', 'float64'];
  }
  if (elementType === MemorySize.Float64 || /(pd|sd)(2|$)/.test(mnemonic)) return ['float64', 'float64', 'float64', 'float32'];
  return ['integer', 'integer', 'integer', 'float32', 'float64'];
}

function fillFloatingPoint(state: MachineState, r: Random, kinds: readonly VectorFlavour[]): void {
  for (let i = 0; i < 16; i++) fillVector(r, state.xmm(i), r.pick(kinds));
  // Equal operands are rare otherwise.
  if (r.oneIn(4)) state.xmm(r.below(16)).set(state.xmm(r.below(16)));
  state.mxcsr = chooseMxcsr(r);
  state.view.setUint32(FX_OFFSET + FX.MXCSR_MASK, 0xffff, true);
  fillFpu(state, r);
}

const INTEGER_FEATURES: ReadonlySet<CpuidFeature> = new Set([
  CpuidFeature.INTEL8086, CpuidFeature.INTEL186, CpuidFeature.INTEL286, CpuidFeature.INTEL386, CpuidFeature.INTEL486, CpuidFeature.X64,
  CpuidFeature.CMOV, CpuidFeature.POPCNT, CpuidFeature.BMI1, CpuidFeature.LZCNT, CpuidFeature.CX8, CpuidFeature.CMPXCHG16B,
]);

/** Whether vector or x87 registers matter; if not, they are the same in all cases (and must stay so). */
function usesFloatingPoint(encoding: Encoding): boolean {
  return !encoding.form.features.every((f) => INTEGER_FEATURES.has(f)) || encoding.mnemonic === 'wait';
}

function bystanders(): Uint8Array {
  const state = new MachineState();
  fillFloatingPoint(state, new Random('bystanders'), ['integer']);
  return state.bytes.slice(FX_OFFSET, FX_OFFSET + FX_SIZE);
}
const BYSTANDERS = bystanders();

function chooseMxcsr(r: Random): number {
  const choice = r.below(8);
  if (choice < 2) return MXCSR_DEFAULT;
  if (choice < 4) return MXCSR_DEFAULT | 0x20;
  const sticky = r.below(64);
  const rounding = r.below(4) << 13;
  const flush = r.oneIn(3) ? r.below(2) << 15 : 0;
  const denormalsAreZero = r.oneIn(3) ? 0x40 : 0;
  const masks = r.oneIn(3) ? r.below(64) << 7 : MXCSR_DEFAULT;
  return sticky | rounding | flush | denormalsAreZero | masks;
}

function fillFpu(state: MachineState, r: Random): void {
  const control = r.oneIn(2) ? FPU_CONTROL_DEFAULT : (r.below(4) << 10) | (r.pick([0, 2, 3]) << 8) | 0x40 | (r.oneIn(4) ? r.below(64) : 0x3f);
  const top = r.below(8);
  const raised = r.oneIn(2) ? 0 : r.below(128);
  // The summary bits follow from the rest, or the CPU would make them follow.
  const pending = (raised & ~control & 0x3f) !== 0 && r.oneIn(4);
  const flags = pending ? raised : raised & ~(~control & 0x3f);
  state.setFx16(FX.FCW, control);
  state.setFx16(FX.FSW, (top << 11) | (r.below(8) << 8) | (r.below(2) << 14) | flags | (pending ? 0x8080 : 0));
  state.tags = r.oneIn(3) ? r.below(256) : r.oneIn(2) ? 0xff : validFrom(top, 2 + r.below(4));
  for (let i = 0; i < 8; i++) state.st(i).set(stackValue(r));
}

/** Tags of a stack that holds `count` values. */
function validFrom(top: number, count: number): number {
  let tags = 0;
  for (let i = 0; i < count; i++) tags |= 1 << ((top + i) & 7);
  return tags;
}

/** Mostly 80-bit numbers; sometimes what MMX leaves behind. */
function stackValue(r: Random): Uint8Array {
  const bytes = float80(r);
  const view = new DataView(bytes.buffer);
  const choice = r.below(8);
  if (choice === 0) {
    view.setBigUint64(0, integer(r), true);
    view.setUint16(8, 0xffff, true);
  } else if (choice === 1) {
    view.setUint32(0, float32(r), true);
  } else if (choice === 2) {
    view.setBigUint64(0, float64(r) | (1n << 63n), true);
  }
  return bytes;
}

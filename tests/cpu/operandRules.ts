/**
 * What particular instructions need so that a random state shows something: a divisor that divides,
 * a return address that leads somewhere, a count that ends. Data, by mnemonic.
 */
import { Register } from 'iced-x86';
import type { Addressing } from './addressing.js';
import type { Form } from './forms.js';
import type { Encoding } from './encodings.js';
import { type MachineState, MEMORY } from './machineState.js';
import type { Random } from './random.js';
import { integer } from './values.js';

const RAX = 0, RCX = 1, RDX = 2, RBX = 3, RSP = 4, RBP = 5, RSI = 6, RDI = 7;
const TRAP_FLAG = 0x100n;
const MXCSR_VALID = 0xffffn;
const MXCSR_RESERVED = 0x8000_0000n;

/** Immediate operands: any value, except where the result would be undefined or the effect too far away. */
export function chooseImmediate(form: Form, bits: number, r: Random): bigint {
  const { mnemonicName } = form;
  // A count beyond the operand size makes the result undefined.
  if ((mnemonicName === 'shld' || mnemonicName === 'shrd') && form.name.includes('r16')) return BigInt(r.below(17));
  if (mnemonicName === 'enter' && bits === 16) return BigInt(r.below(256));
  if (mnemonicName === 'enter') return BigInt(r.pick([0, 0, 1, 2, 3, 31]));
  if (mnemonicName === 'ret') return BigInt.asIntN(16, BigInt(r.below(0x10000)));
  return BigInt.asIntN(bits, integer(r));
}

/** What a rule may look at and change. */
export interface Draft {
  readonly encoding: Encoding;
  readonly state: MachineState;
  readonly r: Random;
  /** Where the memory operand lies, if there is one. */
  readonly operandAddress: number | null;
  /** Writes into the data area, as far as it reaches. */
  write(address: number, bytes: Uint8Array): void;
}

type Rule = (d: Draft) => void;

/** Number 0..15 of a general register operand, low or high byte and all widths. */
export function gprNumber(register: Register): number | null {
  if (register >= Register.RAX && register <= Register.R15) return register - Register.RAX;
  if (register >= Register.EAX && register <= Register.R15D) return register - Register.EAX;
  if (register >= Register.AX && register <= Register.R15W) return register - Register.AX;
  if (register >= Register.SPL && register <= Register.R15L) return register - Register.SPL + 4;
  if (register >= Register.AL && register <= Register.BH) return (register - Register.AL) % 4;
  return null;
}

function u64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt.asUintN(64, value), true);
  return bytes;
}

function operandRegister(d: Draft, i: number): number | null {
  const register = d.encoding.registers[i];
  return register === undefined ? null : gprNumber(register);
}

/** The upper half of the dividend as a sign or zero extension, most of the time. */
const divide: Rule = (d) => {
  const { state, r } = d;
  if (r.oneIn(4)) return;
  const signed = d.encoding.mnemonic === 'idiv';
  if (d.encoding.form.name.includes('rm8')) {
    const small = BigInt(r.below(0x300));
    state.setGpr(RAX, (state.gpr(RAX) & ~0xffffn) | (signed && r.oneIn(2) ? BigInt.asUintN(16, -small) : small));
    return;
  }
  const negative = signed && r.oneIn(2);
  if (r.oneIn(4)) {
    const divisor = operandRegister(d, 0);
    if (divisor !== null && divisor !== RAX && divisor !== RDX) state.setGpr(RDX, state.gpr(divisor) - BigInt(r.below(3)));
    return;
  }
  if (negative) state.setGpr(RAX, state.gpr(RAX) | 0x8000_8000_8000_8000n);
  state.setGpr(RDX, negative ? -1n : BigInt(r.pick([0, 0, 0, 1])));
};

/** Half of the time the comparison succeeds. */
const compareExchange: Rule = (d) => {
  const { state, r, operandAddress } = d;
  const register = operandRegister(d, 0);
  // Whether a failing comparison clears the upper half of the register is different on Intel and AMD.
  if (register !== null && d.encoding.form.name === 'Cmpxchg_rm32_r32') state.setGpr(register, state.gpr(register) & 0xffff_ffffn);
  if (r.oneIn(2)) return;
  if (register !== null) state.setGpr(RAX, state.gpr(register));
  else if (operandAddress !== null) d.write(operandAddress, u64(state.gpr(RAX)));
};

const compareExchangeWide: Rule = (d) => {
  const { state, r, operandAddress } = d;
  if (r.oneIn(2) || operandAddress === null) return;
  const half = d.encoding.mnemonic === 'cmpxchg8b' ? 4 : 8;
  d.write(operandAddress, u64(state.gpr(RAX)).subarray(0, half));
  d.write(operandAddress + half, u64(state.gpr(RDX)).subarray(0, half));
};

/** A register as bit offset reaches beyond the operand: keep it in the neighbourhood. */
const bitTest: Rule = (d) => {
  const register = operandRegister(d, 1);
  if (d.operandAddress !== null && register !== null) d.state.setGpr(register, BigInt(d.r.below(8192) - 4096));
};

/** False for combinations of operands where a rule for a register and the address would contradict each other. */
export function isUsable(form: Form, memory: Addressing | null, registers: readonly (Register | undefined)[]): boolean {
  if (memory === null) return true;
  const addresses = (n: number | null): boolean => n !== null && (n === memory.base || n === memory.index);
  const offset = registers[1];
  if (MEMORY_RULES.get(form.mnemonicName) === bitTest) return offset === undefined || !addresses(gprNumber(offset));
  if (REGISTER_RULES.get(form.mnemonicName) === shiftDouble) return !addresses(RCX);
  return true;
}

/** Code addresses on the stack, in a register or in memory. */
const returnTarget: Rule = (d) => {
  d.write(Number(d.state.gpr(RSP)), u64(BigInt(d.encoding.target)));
};

const indirectTarget: Rule = (d) => {
  const target = BigInt(d.encoding.target);
  const register = operandRegister(d, 0);
  if (register !== null) d.state.setGpr(register, target);
  else if (d.operandAddress !== null) d.write(d.operandAddress, u64(target));
};

/** Trapping after every instruction is no state that a case can be in. */
const popFlags: Rule = (d) => {
  d.write(Number(d.state.gpr(RSP)), u64(d.r.u64() & ~TRAP_FLAG));
};

const counter: Rule = (d) => {
  const { state, r } = d;
  state.setGpr(RCX, r.oneIn(4) ? integer(r) : BigInt(r.below(3)));
};

/** A count beyond the operand size makes the result undefined. */
const shiftDouble: Rule = (d) => {
  if (d.encoding.form.name.includes('rm16')) d.state.setGpr(RCX, (d.state.gpr(RCX) & ~0x1fn) | BigInt(d.r.below(17)));
};

const frame: Rule = (d) => {
  d.state.setGpr(RBP, BigInt(MEMORY.data + 0x1400 + d.r.below(0x200)));
};

/** A value for MXCSR with no reserved bit set, most of the time; else one that is reserved on every CPU. */
function mxcsrValue(r: Random): Uint8Array {
  return u64((r.u64() & MXCSR_VALID) | (r.oneIn(8) ? MXCSR_RESERVED : 0n)).subarray(0, 4);
}

const loadMxcsr: Rule = (d) => {
  if (d.operandAddress !== null) d.write(d.operandAddress, mxcsrValue(d.r));
};

/** A table that fits whatever al says. */
const translate: Rule = (d) => {
  const base = MEMORY.data + 0x400 + d.r.below(0x100) - segmentBase(d.encoding);
  d.state.setGpr(RBX, BigInt(base));
};

const maskedMove: Rule = (d) => {
  const address = MEMORY.data + 0x300 + d.r.below(0x100) - segmentBase(d.encoding);
  d.state.setGpr(RDI, BigInt(address) | (d.encoding.narrowString ? d.r.u64() & ~0xffff_ffffn : 0n));
};

const restoreImage: Rule = (d) => {
  if (d.operandAddress !== null) d.write(d.operandAddress + 24, mxcsrValue(d.r));
};

/** Digits that are digits: what others do is undefined. */
const decimal: Rule = (d) => {
  if (d.operandAddress === null) return;
  const bytes = new Uint8Array(10);
  for (let i = 0; i < 9; i++) bytes[i] = d.r.below(10) | (d.r.below(10) << 4);
  bytes[9] = d.r.oneIn(2) ? 0x80 : 0;
  d.write(d.operandAddress, bytes);
};

export function segmentBase(encoding: Encoding): number {
  return encoding.stringSegment === 'fs' ? MEMORY.fsBase : encoding.stringSegment === 'gs' ? MEMORY.gsBase : 0;
}

/** Pointers into the data area, and a count that is small most of the time. */
const string: Rule = (d) => {
  const { state, r, encoding } = d;
  const narrow = (v: number): bigint => (encoding.narrowString ? BigInt(v) | (r.u64() & ~0xffff_ffffn) : BigInt(v));
  // One of the two pointers runs out of the area: which access faults first if both do is not defined.
  const runsOut = r.oneIn(8) ? r.below(2) : -1;
  const inside = (): number => MEMORY.data + 0x600 + r.below(0x600);
  const source = runsOut === 0 ? MEMORY.data + 0x1ff0 : inside();
  const near = runsOut === -1 && r.oneIn(2);
  const target = near ? source + r.below(64) - 32 : runsOut === 1 ? MEMORY.data + r.pick([0x1ff0, 0x8]) : inside();
  state.setGpr(RSI, narrow(source - segmentBase(encoding)));
  state.setGpr(RDI, narrow(target));
  state.setGpr(RCX, narrow(runsOut !== -1 ? r.below(40) : r.below(r.oneIn(2) ? 4 : 40)));
  if (r.oneIn(2)) makeRunsEqual(d, source, target);
};

/** Comparisons that go on for a while. */
function makeRunsEqual(d: Draft, source: number, target: number): void {
  const fill = d.r.below(256);
  const bytes = new Uint8Array(64).fill(fill);
  d.write(source - 32, bytes);
  d.write(target - 32, bytes);
  if (d.r.oneIn(2)) d.state.setGpr(RAX, BigInt(fill) * 0x0101_0101_0101_0101n);
}

const STRING_NAMES = ['movs', 'stos', 'lods', 'cmps', 'scas'].flatMap((name) => ['b', 'w', 'd', 'q'].map((size) => name + size));

/** Rules that choose register values, before the memory operand is placed. */
export const REGISTER_RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['div', divide], ['idiv', divide],
  ['jrcxz', counter], ['jecxz', counter], ['loop', counter], ['loope', counter], ['loopne', counter],
  ['shld', shiftDouble], ['shrd', shiftDouble],
  ['leave', frame], ['enter', frame], ['xlatb', translate], ['maskmovq', maskedMove], ['maskmovdqu', maskedMove],
]);

/** Rules that depend on where the memory operand and the stack are. */
export const MEMORY_RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['cmpxchg', compareExchange], ['cmpxchg8b', compareExchangeWide], ['cmpxchg16b', compareExchangeWide],
  ['bt', bitTest], ['bts', bitTest], ['btr', bitTest], ['btc', bitTest],
  ['ret', returnTarget], ['jmp', indirectTarget], ['call', indirectTarget],
  ['popf', popFlags], ['popfq', popFlags], ['ldmxcsr', loadMxcsr], ['fxrstor', restoreImage], ['fxrstor64', restoreImage],
  ['fbld', decimal],
  ...STRING_NAMES.map((name): [string, Rule] => [name, (d) => (isStringForm(d.encoding) ? string(d) : undefined)]),
]);

/** movsd and cmpsd are also SSE instructions. */
function isStringForm(encoding: Encoding): boolean {
  return !encoding.form.name.includes('xmm');
}

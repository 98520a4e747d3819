/** One step up the stack: the caller's registers from those of a frame and its rules. */
import { evaluateNumber } from './expression.js';
import type { CfaRule, FrameRules, RegisterRule } from './frameRules.js';
import type { ProgramState } from './location.js';

/** What unwinding needs: registers by DWARF number, and memory. */
interface FrameState {
  readonly bias: bigint;
  register(number: number): bigint | undefined;
  memory(address: bigint, size: number): Uint8Array | undefined;
}

export type Unwound =
  /** `registers`: general ones that the caller has, by DWARF number, 16 being its pc. */
  | { readonly kind: 'frame'; readonly registers: ReadonlyMap<number, bigint>; readonly cfa: bigint; readonly isSignalFrame: boolean }
  | { readonly kind: 'outermost' }
  | { readonly kind: 'failed'; readonly reason: string };

/** DWARF's numbers of x86-64 registers: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, and the return address. */
const RSP = 7;
/**
 * What has no rule is left as it was. For registers that calls may overwrite this is a guess, but compilers that know
 * what a function does rely on it, and say of others that what was in them is lost.
 */
const GENERAL = Array.from({ length: 16 }, (_, register) => register);
const POINTER_SIZE = 8;

export function unwind(rules: FrameRules, state: FrameState): Unwound {
  const cfa = cfaOf(rules.cfa, state);
  if (cfa === undefined) return { kind: 'failed', reason: 'the frame cannot be found' };
  if (rules.registers.get(rules.returnRegister)?.kind === 'undefined') return { kind: 'outermost' };
  const registers = new Map<number, bigint>();
  for (const register of GENERAL) putIfKnown(registers, register, register === RSP ? cfa : state.register(register));
  for (const [register, rule] of rules.registers) {
    registers.delete(register);
    putIfKnown(registers, register, apply(rule, register, cfa, state));
  }
  const pc = registers.get(rules.returnRegister);
  if (pc === undefined) return { kind: 'failed', reason: 'the return address cannot be read' };
  return pc === 0n ? { kind: 'outermost' } : { kind: 'frame', registers, cfa, isSignalFrame: rules.isSignalFrame };
}

/** The canonical frame address by a rule. */
export function cfaOf(rule: CfaRule, state: FrameState): bigint | undefined {
  if (rule.kind === 'expression') return evaluateNumber(rule.expression, undefined, withoutFrame(state));
  const base = state.register(rule.register);
  return base === undefined ? undefined : BigInt.asUintN(64, base + BigInt(rule.offset));
}

/** Where a register of the caller is kept in memory; undefined if it is nowhere there. */
export function savedAddress(rule: RegisterRule, cfa: bigint, state: FrameState): bigint | undefined {
  if (rule.kind === 'offset') return BigInt.asUintN(64, cfa + BigInt(rule.offset));
  return rule.kind === 'expression' ? evaluateNumber(rule.expression, undefined, withoutFrame(state), [cfa]) : undefined;
}

function apply(rule: RegisterRule, register: number, cfa: bigint, state: FrameState): bigint | undefined {
  switch (rule.kind) {
    case 'undefined': return undefined;
    case 'same': return state.register(register);
    case 'offset': return load(state, cfa + BigInt(rule.offset));
    case 'valueOffset': return BigInt.asUintN(64, cfa + BigInt(rule.offset));
    case 'register': return state.register(rule.register);
    case 'expression': return load(state, evaluateNumber(rule.expression, undefined, withoutFrame(state), [cfa]));
    case 'valueExpression': return evaluateNumber(rule.expression, undefined, withoutFrame(state), [cfa]);
  }
}

function putIfKnown(registers: Map<number, bigint>, register: number, value: bigint | undefined): void {
  if (value !== undefined) registers.set(register, value);
}

function load(state: FrameState, address: bigint | undefined): bigint | undefined {
  const bytes = address === undefined ? undefined : state.memory(BigInt.asUintN(64, address), POINTER_SIZE);
  return bytes === undefined ? undefined : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigUint64(0, true);
}

/** Rules may not ask for what they are there to find. */
function withoutFrame(state: FrameState): ProgramState {
  const nothing = (): undefined => undefined;
  return {
    bias: state.bias,
    register: (number) => state.register(number),
    memory: (address, size) => state.memory(address, size),
    frameBase: nothing,
    cfa: nothing,
    tlsAddress: nothing,
    entryValue: nothing,
  };
}

/** What is known of a call by its registers and the stack (System V ABI), and what questions about it come to. */
import { guestAddr } from '../../../base/types.js';
import type { State } from '../../../replay/timeline/state.js';
import type { CallQuestion, Comparison, ReadAs } from './callCondition.js';

const ARGUMENTS = ['rdi', 'rsi', 'rdx', 'rcx', 'r8', 'r9'];
const VECTOR_ARGUMENTS = 8;

type Compared = Extract<CallQuestion, { kind: 'argument' | 'result' }>;

/** Where the thread stands right behind a call: at a function's first instruction, or back in the caller. */
export function answer(question: Compared, state: State, thread: number): boolean {
  const { kind, index, as, comparison, value } = question;
  const isFloat = as?.kind === 'float' || (as === undefined && typeof value === 'number');
  if (isFloat) {
    const bits = kind === 'result' ? state.register(thread, 'xmm0') : vectorArgument(state, thread, index);
    return bits !== undefined && compare(floatOf(bits, as?.bytes ?? 8), comparison, Number(value));
  }
  const bits = kind === 'result' ? state.register(thread, 'rax') : integerArgument(state, thread, index);
  return bits !== undefined && compare(integerOf(bits, as, value), comparison, typeof value === 'bigint' && as?.kind === 'unsigned' ? BigInt.asUintN(as.bytes * 8, value) : value);
}

/** At a function's first instruction: where it returns to. */
export function returnAddress(state: State, thread: number, stack: bigint): bigint | undefined {
  return pointerAt(state, thread, stack);
}

function integerArgument(state: State, thread: number, index: number): bigint | undefined {
  const register = ARGUMENTS[index - 1];
  return register === undefined ? onStack(state, thread, index - ARGUMENTS.length) : state.register(thread, register);
}

/** Floating-point arguments are counted by themselves. */
function vectorArgument(state: State, thread: number, index: number): bigint | undefined {
  return index <= VECTOR_ARGUMENTS ? state.register(thread, `xmm${index - 1}`) : onStack(state, thread, index - VECTOR_ARGUMENTS);
}

/** The first lies above the return address. */
function onStack(state: State, thread: number, index: number): bigint | undefined {
  const stack = state.register(thread, 'rsp');
  return stack === undefined ? undefined : pointerAt(state, thread, stack + BigInt(index) * 8n);
}

function pointerAt(state: State, thread: number, address: bigint): bigint | undefined {
  const bytes = state.read(thread, guestAddr(Number(address)), 8);
  return bytes === null ? undefined : new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
}

/**
 * Without a cast all of a register counts, and its sign as that of the other side. What the function has for its type
 * is not known: an `int` of -1 has zeros above it, and is -1 all the same where a negative number is asked for.
 */
function integerOf(bits: bigint, as: ReadAs | undefined, value: bigint | number): bigint {
  if (as !== undefined) return as.kind === 'signed' ? BigInt.asIntN(as.bytes * 8, bits) : BigInt.asUintN(as.bytes * 8, bits);
  const isBig = value >= 1n << 63n;
  if (isBig) return BigInt.asUintN(64, bits);
  if (value < 0 && bits >> 32n === 0n) return BigInt.asIntN(32, bits);
  return BigInt.asIntN(64, bits);
}

function floatOf(bits: bigint, bytes: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt.asUintN(64, bits), true);
  return bytes === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true);
}

function compare(left: bigint | number, comparison: Comparison, right: bigint | number): boolean {
  const [isLess, isMore] = [left < right, left > right];
  const isEqual = !isLess && !isMore && !Number.isNaN(left) && !Number.isNaN(right);
  switch (comparison) {
    case '==': return isEqual;
    case '!=': return !isEqual;
    case '<': return isLess;
    case '<=': return isLess || isEqual;
    case '>': return isMore;
    case '>=': return isMore || isEqual;
  }
}

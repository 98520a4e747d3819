/**
 * Hooks: instructions that no program has, put into its code by an interceptor (machine/hooks.ts). One is `ud1 eax,
 * [rax + number]`, which is undefined on every processor, with a number of ours. Since they are code, copies of memory
 * have them, recordings have them, and a reader of the code knows what is executed there.
 *
 *   call   at the beginning of a function: does what the function would, and returns to its caller
 *   look   looks at registers and goes on
 *   make   does something that a function begins or ends with, and goes on: rax is its result, and rcx how many bytes
 *          are still to be cleared or copied
 *   fill, copy, move, compare   the same, unless the rdx bytes at rdi (and those at rsi, but for fill) are in order: in
 *                               blocks, written if they are to be read, and so on
 *   string, secondString, bothStrings   look whether all of the string that rdi, rsi, or each of them points to has
 *                                       been written, where that is known, and go on
 *
 * Where the address of a local variable is taken (`lea rax, [rbp - 64]`), a bit of the instruction that means nothing
 * there (REX.X) says that a checker wants to move the pointer. To all others it is the same instruction. So is `mov
 * rax, rsp`, where a function has made room for an array or for alloca, or is about to.
 *
 * Without a handler, those that need one are what they are to a processor.
 */
import { guestAddr } from '../base/types.js';
import { RBP, RDI, RSI, RSP, SCRATCH_X, type Slot } from '../layout/cpuState.js';
import type { End } from '../ir/ir.js';
import { LOOK } from '../ir/lookFlags.js';
import { SYS } from '../ir/sysCalls.js';
import type { Lift } from './lift.js';

export type HookKind = 'call' | 'look' | 'make' | 'string' | 'secondString' | 'bothStrings' | BytesHook;
/** How functions use the bytes that they are given. */
export type BytesHook = 'fill' | 'copy' | 'move' | 'compare';

const NUMBERS: Readonly<Record<HookKind, number>> = {
  call: 0x4b4f_4f48, look: 0x4b4f_4f4c, make: 0x4b4f_4f4d, string: 0x4b4f_4f53, secondString: 0x4b4f_4f54, bothStrings: 0x4b4f_4f55, fill: 0x4b4f_4f56, copy: 0x4b4f_4f57, move: 0x4b4f_4f58, compare: 0x4b4f_4f59,
};
/** What has to be so that no handler looks: bits of ir/lookFlags.ts. */
export const BYTES_HOOKS: Readonly<Record<BytesHook, number>> = {
  fill: 0, copy: LOOK.SECOND | LOOK.APART | LOOK.SECOND_WRITTEN, move: LOOK.SECOND | LOOK.SECOND_WRITTEN, compare: LOOK.SECOND | LOOK.FIRST_WRITTEN | LOOK.SECOND_WRITTEN,
};
const BYTES: ReadonlyMap<unknown, number> = new Map(Object.entries(BYTES_HOOKS).map(([kind, flags]) => [NUMBERS[kind as BytesHook], flags]));
const STRINGS: ReadonlyMap<unknown, readonly Slot[]> = new Map([[NUMBERS.string, [RDI]], [NUMBERS.secondString, [RSI]], [NUMBERS.bothStrings, [RDI, RSI]]]);
/** ud1 eax, [rax + disp32]. */
const OPCODE = [0x0f, 0xb9, 0x80];
export const HOOK_BYTES = 7;

export function hookCode(kind: HookKind): Uint8Array {
  const code = new Uint8Array(HOOK_BYTES);
  code.set(OPCODE);
  new DataView(code.buffer).setUint32(OPCODE.length, NUMBERS[kind], true);
  return code;
}

/** Undefined: it is only an undefined instruction. */
export function liftHook(l: Lift): { readonly end: End | undefined } | undefined {
  const { insn } = l;
  const number = insn.length === HOOK_BYTES && insn.isMemory(1) ? insn.displacement : undefined;
  if (number === NUMBERS.call) return { end: callHook(l) };
  if (number === NUMBERS.make) return { end: makeHook(l) };
  const strings = STRINGS.get(number);
  if (strings !== undefined) {
    for (const register of strings) l.b.op('init.string', l.b.get(register));
    return { end: undefined };
  }
  const bytes = BYTES.get(number);
  if (bytes !== undefined) {
    l.b.opImm('sys.look', bytes, l.b.i64(insn.address));
    return { end: undefined };
  }
  if (number !== NUMBERS.look) return undefined;
  l.b.opImm('sys.hook', SYS.HOOK_LOOK, l.b.i64(insn.address));
  return { end: undefined };
}

/** It is a block of its own: its handler wants to know the time. */
function makeHook({ b, insn }: Lift): End {
  b.opImm('sys.hook', SYS.HOOK_MAKE, b.i64(insn.address));
  return { kind: 'jump', target: guestAddr(insn.address + HOOK_BYTES) };
}

/** The return address is fetched first: nothing may fail afterwards. */
function callHook({ b, insn }: Lift): End {
  const rsp = b.get(RSP);
  const target = b.opImm('load64', 0, rsp);
  b.opImm('sys.hook', SYS.HOOK_CALL, b.i64(insn.address));
  b.set(RSP, b.op('i64.add', rsp, b.i64(8)));
  return { kind: 'indirect', target, via: 'return' };
}

const REX_W_X = 0x4a;
const REX_W = 0x48;
/** Of REX.R, which the register that is written may need. */
const REX_R = 0x04;
const LEA = 0x8d;
/** mod and rm of ModRM: [rbp + disp8], [rbp + disp32]. */
const RM_MASK = 0xc7;
const FRAME_OPERANDS: readonly number[] = [0x45, 0x85];

/** The first bytes of an instruction that takes the address of a variable, with the hook or without. */
function takesAddress(bytes: Uint8Array, at: number, prefix: number): boolean {
  return ((bytes[at] ?? 0) & ~REX_R) === prefix && bytes[at + 1] === LEA && FRAME_OPERANDS.includes((bytes[at + 2] ?? 0) & RM_MASK);
}

/** mov reg, rsp: the opcode, and ModRM without the register that is written. */
const MOVE = 0x89;
const FROM_STACK = 0xe0;
const REGISTER_MASK = 0xf8;

function takesStack(bytes: Uint8Array, at: number, prefix: number): boolean {
  return bytes[at] === prefix && bytes[at + 1] === MOVE && ((bytes[at + 2] ?? 0) & REGISTER_MASK) === FROM_STACK;
}

export function isPointerHook(bytes: Uint8Array, at: number): boolean {
  return takesAddress(bytes, at, REX_W_X) || takesStack(bytes, at, REX_W_X);
}

/** The byte to put in the place of the first one, if the instruction takes the address of a variable. */
export function pointerHookByte(bytes: Uint8Array, at: number): number | undefined {
  return takesAddress(bytes, at, REX_W) ? (bytes[at] as number) | (REX_W_X & ~REX_W) : undefined;
}

/** The same for where a function takes the address of what it has allocated on its stack, or is going to. */
export function stackHookByte(bytes: Uint8Array, at: number): number | undefined {
  return takesStack(bytes, at, REX_W) ? REX_W_X : undefined;
}

export function liftPointerHook(l: Lift): void {
  const { b, insn } = l;
  const value = insn.isMemory(1) ? l.sum(l.offset()) : b.get(RSP);
  b.opImm('sys.frameHook', SYS.HOOK_POINTER, b.i64(insn.address));
  l.write(0, b.op('i64.add', value, b.get(SCRATCH_X)));
}

/** A variable that an access has to stay in: it begins at an address, or that far from rbp. */
export interface AccessBound {
  readonly isInFrame: boolean;
  readonly begin: number;
  readonly size: number;
}

/** What processors raise for the BOUND instruction, which programs of 64 bits cannot have. */
const BOUND_EXCEEDED = 5;

/** Before an instruction that accesses memory. */
export function liftBound(l: Lift, { isInFrame, begin, size }: AccessBound): void {
  const { b, insn } = l;
  const last = size - insn.memoryBytes;
  if (last < 0) return;
  const offset = b.op('i64.sub', l.sum(l.offset()), isInFrame ? b.op('i64.add', b.get(RBP), b.i64(begin)) : b.i64(begin));
  b.opImm('trapIf', BOUND_EXCEEDED, b.op('i64.gt_u', offset, b.i64(last)));
}

/** Before a `ret`. */
export function liftLeaveHook({ b, insn }: Lift): void {
  b.opImm('sys.frameHook', SYS.HOOK_LEAVE, b.i64(insn.address));
}

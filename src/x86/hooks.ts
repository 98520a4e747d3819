/**
 * Hooks: instructions that no program has, put into its code by somebody who steps in (machine/hooks.ts). One is `ud1 eax, [rax + number]`, which is undefined on every processor,
 * with a number of ours. Since they are code, copies of memory have them, recordings have them, and whoever looks at the code knows what is executed there.
 *
 *   call   at the beginning of a function: does what the function would, and returns to its caller
 *   look   looks at registers and goes on
 *   make   does something that a function begins or ends with, and goes on: rax is its result, and rcx how many bytes are still to be cleared or copied
 *   string, secondString   look whether all of the string that rdi, or rsi, points to has been written, where that is known, and go on
 *
 * If nobody has put them there, they are what they are to a processor.
 */
import { guestAddr } from '../base/types.js';
import { RDI, RSI, RSP } from '../layout/cpuState.js';
import type { End } from '../ir/ir.js';
import { SYS } from '../ir/sysCalls.js';
import type { Lift } from './lift.js';

export type HookKind = 'call' | 'look' | 'make' | 'string' | 'secondString';

const NUMBERS: Readonly<Record<HookKind, number>> = { call: 0x4b4f_4f48, look: 0x4b4f_4f4c, make: 0x4b4f_4f4d, string: 0x4b4f_4f53, secondString: 0x4b4f_4f54 };
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
  if (number === NUMBERS.string || number === NUMBERS.secondString) {
    l.b.op('init.string', l.b.get(number === NUMBERS.string ? RDI : RSI));
    return { end: undefined };
  }
  if (number !== NUMBERS.look) return undefined;
  l.b.opImm('sys.hook', SYS.HOOK_LOOK, l.b.i64(insn.address));
  return { end: undefined };
}

/** It is a block of its own: whoever does it wants to know the time. */
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

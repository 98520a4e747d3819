/**
 * The caller of code that has no description of its frame, as gdb guesses it from how functions begin: after `push
 * %rbp; mov %rsp,%rbp` the frame hangs on rbp; elsewhere the return address is taken to be on top of the stack.
 */
import { hex } from '../../base/types.js';
import type { StackFrame } from '../../dwarf/stackFrame.js';
import type { Unwound } from '../../dwarf/unwind.js';
import type { ProgramView } from './programView.js';

/** DWARF numbers. */
const [RBP, RSP, PC] = [6, 7, 16];
const ENDBR64 = [0xf3, 0x0f, 0x1e, 0xfa];
const PUSH_RBP = 0x55;
const MOV_RSP_RBP = [[0x48, 0x89, 0xe5], [0x48, 0x8b, 0xec]];
/** Calls leave the other registers of the caller as they are: rbx, rbp, r12 to r15. */
const PRESERVED = [3, 6, 12, 13, 14, 15];

export function guessCaller(program: ProgramView, frame: StackFrame): Unwound {
  const [rsp, rbp] = [frame.register(RSP), frame.register(RBP)];
  if (rsp === undefined) return { kind: 'failed', reason: 'the stack pointer is not known' };
  const state = frameState(program, frame.pc, frame.isExact);
  const base = state === 'set up' ? (rbp ?? 0n) : state === 'rbp pushed' ? rsp : rsp - 8n;
  if (base === 0n) return { kind: 'outermost' };
  const returnAddress = program.pointer(base + 8n);
  if (returnAddress === undefined) return { kind: 'failed', reason: `Cannot access memory at address ${hex(base + 8n)}` };
  const registers = new Map<number, bigint>();
  for (const register of PRESERVED) {
    const value = frame.register(register);
    if (value !== undefined) registers.set(register, value);
  }
  const savedBase = state === 'not begun' ? undefined : program.pointer(base);
  if (savedBase !== undefined) registers.set(RBP, savedBase);
  registers.set(RSP, base + 16n);
  registers.set(PC, returnAddress);
  return { kind: 'frame', registers, cfa: base + 16n, isSignalFrame: false };
}

function frameState(program: ProgramView, pc: bigint, isExact: boolean): 'not begun' | 'rbp pushed' | 'set up' {
  const near = program.symbols.at(isExact ? pc : pc - 1n);
  if (near === undefined) return 'not begun';
  const { address } = near.symbol;
  const code = program.memory(address, 12);
  if (code === undefined) return 'not begun';
  const start = startsWith(code, 0, ENDBR64) ? ENDBR64.length : 0;
  const done = Number(pc - address) - start;
  if (code[start] !== PUSH_RBP || done < 1) return 'not begun';
  return MOV_RSP_RBP.some((mov) => startsWith(code, start + 1, mov)) && done >= 4 ? 'set up' : 'rbp pushed';
}

function startsWith(code: Uint8Array, at: number, bytes: readonly number[]): boolean {
  return bytes.every((byte, i) => code[at + i] === byte);
}

/** Places where a thread's next, or last, step is the kernel's: told by registers and code. */
import { guestAddr } from '../../base/types.js';
import type { State } from '../../replay/timeline/state.js';

const SYSCALL_CODE = [0x0f, 0x05];
const MOST_SIGNALS = 64n;
const WORD = 8n;

export function isAtSystemCall(state: State, thread: number): boolean {
  const rip = guestAddr(Number(state.register(thread, 'rip') ?? 0n));
  const code = state.read(thread, rip, SYSCALL_CODE.length);
  return code !== null && SYSCALL_CODE.every((byte, i) => code[i] === byte);
}

/** Whether it looks as if a signal had just put the thread at the first instruction of its handler. */
export function hasEnteredHandler(state: State, thread: number): boolean {
  const [signal = 0n, context, stack = 0n] = ['rdi', 'rdx', 'rsp'].map((name) => state.register(thread, name));
  // A handler is entered with the return address on the stack, and its third argument right above it.
  return signal >= 1n && signal <= MOST_SIGNALS && context === stack + WORD;
}

/**
 * Threads without those that have ended. The recording keeps the registers of all; that one has ended shows in what it
 * did last.
 */
import { guestAddr } from '../../base/types.js';
import type { State, Thread } from '../../replay/timeline/state.js';

const EXIT = 60n;
const SYSCALL = [0x0f, 0x05];
/** Where the C library has a thread's number, from its thread pointer; the kernel clears it when the thread ends. */
const NUMBER = 720;

export function livingThreads(state: State): readonly Thread[] {
  const { threads, current } = state;
  const living = threads.filter((thread) => thread.id === current?.id || !hasEnded(state, thread));
  return living.length === 0 ? threads : living;
}

/**
 * It stands behind a call of exit, and its number is not where it was: a call that returned 60 would have left that
 * alone.
 */
function hasEnded(state: State, { id, tid }: Thread): boolean {
  if (state.register(id, 'rax') !== EXIT) return false;
  const rip = Number(state.register(id, 'rip') ?? 0n);
  const code = state.read(id, guestAddr(rip - SYSCALL.length), SYSCALL.length);
  if (code === null || !SYSCALL.every((byte, i) => code[i] === byte)) return false;
  const number = state.read(id, guestAddr(Number(state.register(id, 'fs_base') ?? 0n) + NUMBER), 4);
  return number === null || new DataView(number.buffer, number.byteOffset, 4).getInt32(0, true) !== tid;
}

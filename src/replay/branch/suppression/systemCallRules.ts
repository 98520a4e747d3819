/**
 * What becomes of system calls with corrupt input. Most are not made: their result is corrupt, and so is what they
 * would have stored. But the end of the program, locks and descriptors must stay sane.
 */
import { SYSCALL_NAMES } from '../../../base/syscallNames.js';
import { R8, GPR, RAX, RDI, RDX, RSI, type Slot } from '../../../layout/cpuState.js';
import type { MemoryRange } from '../../../ir/meaning/strings.js';
import { questionSlots } from '../callArguments.js';

export interface MadeCall {
  argument(slot: Slot): number;
  isCorrupt(slot: Slot): boolean;
  isMemoryCorrupt(address: number, bytes: number): boolean;
  /** How many bytes a string there has, with its end. */
  string(address: number): number;
}

/** The call is not made. */
export interface Answer {
  readonly result: number;
  /** What it would have stored. */
  readonly stored: readonly MemoryRange[];
}

/** Undefined: it is made. */
type Rule = (call: MadeCall) => Answer | undefined;

const R10 = GPR[10] as Slot;
/** The end must come, whatever status it has; a handler must return; who waits for a thread must be told. */
const ALWAYS = new Set(['exit', 'exit_group', 'rt_sigreturn', 'sched_yield', 'getpid', 'gettid', 'getppid', 'fork', 'vfork', 'set_tid_address', 'set_robust_list', 'restart_syscall']);
/** Paths among the arguments: who opens another file does another thing. */
const PATHS: Readonly<Record<string, readonly Slot[]>> = {
  open: [RDI], openat: [RSI], openat2: [RSI], creat: [RDI], stat: [RDI], lstat: [RDI], newfstatat: [RSI], statx: [RSI], access: [RDI], faccessat: [RSI], faccessat2: [RSI],
  unlink: [RDI], unlinkat: [RSI], mkdir: [RDI], mkdirat: [RSI], rmdir: [RDI], rename: [RDI, RSI], renameat: [RSI, R10], renameat2: [RSI, R10], chdir: [RDI],
  readlink: [RDI], readlinkat: [RSI], execve: [RDI], execveat: [RSI], chmod: [RDI], fchmodat: [RSI], truncate: [RDI], symlink: [RDI, RSI], link: [RDI, RSI],
};
/** Structures among the arguments that say what is to be done. */
const STRUCTURES: Readonly<Record<string, readonly (readonly [Slot, number])[]>> = {
  nanosleep: [[RDI, 16]], clock_nanosleep: [[RDX, 16]], rt_sigaction: [[RSI, 24]], rt_sigprocmask: [[RSI, 8]], connect: [[RSI, 16]], bind: [[RSI, 16]],
  setitimer: [[RSI, 32]], timer_settime: [[RDX, 32]], sigaltstack: [[RDI, 24]], prlimit64: [[RDX, 16]], clone3: [[RDI, 64]], setsockopt: [[R10, 4]], poll: [[RDI, 8]],
  ppoll: [[RDI, 8]], epoll_ctl: [[R10, 12]], utimensat: [[RDX, 32]], arch_prctl: [],
};
/** What the kernel fills: the address, and how many bytes at most. */
const FILLED: Readonly<Record<string, readonly [Slot, Slot | number]>> = {
  read: [RSI, RDX], pread64: [RSI, RDX], recvfrom: [RSI, RDX], getrandom: [RDI, RSI], readlink: [RSI, RDX], readlinkat: [RDX, R10], getcwd: [RDI, RSI], getdents64: [RSI, RDX],
  fstat: [RSI, 144], stat: [RSI, 144], lstat: [RSI, 144], newfstatat: [RDX, 144], statx: [R8, 256], uname: [RDI, 390], clock_gettime: [RSI, 16], gettimeofday: [RDI, 16],
  futex: [RDI, 4], pipe: [RDI, 8], pipe2: [RDI, 8], wait4: [RSI, 4], socketpair: [R10, 8], getrusage: [RSI, 144], times: [RDI, 32], sysinfo: [RDI, 112],
};
/** Results that programs can go on with. Others fail: there is no such thing. */
const SUCCEEDS = new Set(['close', 'munmap', 'mprotect', 'madvise', 'futex', 'fsync', 'fdatasync', 'ftruncate', 'nanosleep', 'clock_nanosleep', 'rt_sigprocmask', 'rt_sigaction', 'shutdown', 'flock', 'sigaltstack']);
/** Of the bytes that they were given, all count as written. */
const WRITES: Readonly<Record<string, Slot>> = { write: RDX, pwrite64: RDX, sendto: RDX };
const ENOSYS = 38;
const MOST_FILLED = 1 << 16;
const FUTEX_COMMAND = 0x7f;
const FUTEX_WAITS = new Set([0, 9]);

export function ruleFor(number: number): Rule {
  const name = SYSCALL_NAMES[number] ?? '';
  if (ALWAYS.has(name)) return () => undefined;
  const slots = questionSlots(number).filter((slot) => slot !== RAX);
  return (call) => {
    const isCorrupt = slots.some((slot) => call.isCorrupt(slot)) || (PATHS[name] ?? []).some((slot) => isPathCorrupt(call, slot))
      || (STRUCTURES[name] ?? []).some(([slot, bytes]) => call.argument(slot) !== 0 && call.isMemoryCorrupt(call.argument(slot), bytes))
      || (name === 'futex' && isFutexCorrupt(call));
    return isCorrupt && !isHarmless(name, call) ? { result: resultOf(name, call), stored: storedBy(name, call) } : undefined;
  };
}

/** What becomes of a call that waits for what will never come. */
export function answerInVain(number: number, call: MadeCall): Answer {
  const name = SYSCALL_NAMES[number] ?? '';
  return { result: resultOf(name, call), stored: storedBy(name, call) };
}

function isPathCorrupt(call: MadeCall, slot: Slot): boolean {
  const address = call.argument(slot);
  return address !== 0 && call.isMemoryCorrupt(address, call.string(address));
}

/** Who waits by a corrupt word would wait for what may never come. */
function isFutexCorrupt(call: MadeCall): boolean {
  return FUTEX_WAITS.has(call.argument(RSI) & FUTEX_COMMAND) && call.isMemoryCorrupt(call.argument(RDI), 4);
}

/** A futex is woken by its address; how many wait does not matter. brk asks only for more. */
function isHarmless(name: string, call: MadeCall): boolean {
  return name === 'futex' && !call.isCorrupt(RDI) && !call.isCorrupt(RSI) && !FUTEX_WAITS.has(call.argument(RSI) & FUTEX_COMMAND);
}

function resultOf(name: string, call: MadeCall): number {
  const written = WRITES[name];
  if (written !== undefined) return Math.min(call.argument(written), 0x7fff_f000);
  return SUCCEEDS.has(name) ? 0 : -ENOSYS;
}

function storedBy(name: string, call: MadeCall): readonly MemoryRange[] {
  const filled = FILLED[name];
  if (filled === undefined || call.isCorrupt(filled[0]) || call.argument(filled[0]) === 0) return [];
  const bytes = typeof filled[1] === 'number' ? filled[1] : call.argument(filled[1]);
  return [{ address: call.argument(filled[0]), bytes: Math.min(bytes, MOST_FILLED) }];
}

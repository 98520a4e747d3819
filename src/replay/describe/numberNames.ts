/** Names for the numbers that programs give to system calls: those one meets every day. */
import { E } from '../../base/errno.js';
import { signalName } from '../../base/signalNames.js';

const ERRORS: readonly string[] = namesOf(Object.entries(E).map(([name, number]) => [`E${name}`, number]));
const RESTARTS = ['ERESTARTSYS', 'ERESTARTNOINTR', 'ERESTARTNOHAND', 'ERESTARTNEVER', 'ERESTART_RESTARTBLOCK'];
const FIRST_RESTART = 512;
const LAST_ERROR = 4095;

const OPEN_FLAGS: readonly (readonly [number, string])[] = [
  [0o100, 'O_CREAT'], [0o200, 'O_EXCL'], [0o400, 'O_NOCTTY'], [0o1000, 'O_TRUNC'], [0o2000, 'O_APPEND'], [0o4000, 'O_NONBLOCK'],
  [0o20200000, 'O_TMPFILE'], [0o200000, 'O_DIRECTORY'], [0o400000, 'O_NOFOLLOW'], [0o2000000, 'O_CLOEXEC'], [0o10000000, 'O_PATH'],
];
const ACCESS_MODES = ['O_RDONLY', 'O_WRONLY', 'O_RDWR'];
const PROT_FLAGS = [[1, 'PROT_READ'], [2, 'PROT_WRITE'], [4, 'PROT_EXEC']] as const;
const MAP_FLAGS = [
  [1, 'MAP_SHARED'], [2, 'MAP_PRIVATE'], [0x10, 'MAP_FIXED'], [0x20, 'MAP_ANONYMOUS'], [0x100, 'MAP_GROWSDOWN'], [0x800, 'MAP_DENYWRITE'],
  [0x4000, 'MAP_NORESERVE'], [0x8000, 'MAP_POPULATE'], [0x20000, 'MAP_STACK'], [0x100000, 'MAP_FIXED_NOREPLACE'],
] as const;
const CLOCKS = ['CLOCK_REALTIME', 'CLOCK_MONOTONIC', 'CLOCK_PROCESS_CPUTIME_ID', 'CLOCK_THREAD_CPUTIME_ID', 'CLOCK_MONOTONIC_RAW', 'CLOCK_REALTIME_COARSE', 'CLOCK_MONOTONIC_COARSE', 'CLOCK_BOOTTIME'];
const FUTEX_OPERATIONS = ['WAIT', 'WAKE', 'FD', 'REQUEUE', 'CMP_REQUEUE', 'WAKE_OP', 'LOCK_PI', 'UNLOCK_PI', 'TRYLOCK_PI', 'WAIT_BITSET', 'WAKE_BITSET', 'WAIT_REQUEUE_PI', 'CMP_REQUEUE_PI', 'LOCK_PI2'];
const FUTEX_PRIVATE = 0x80;
const FUTEX_REALTIME = 0x100;
const WHENCES = ['SEEK_SET', 'SEEK_CUR', 'SEEK_END', 'SEEK_DATA', 'SEEK_HOLE'];

/** `ENOENT` for 2. */
export function errorName(number: number): string {
  return ERRORS[number] ?? RESTARTS[number - FIRST_RESTART] ?? `error ${number}`;
}

/** A system call's result: errors by name, addresses as such. */
export function resultText(result: number, isAddress: boolean): string {
  if (result < 0 && result >= -LAST_ERROR) return `-1 ${errorName(-result)}`;
  return isAddress ? `0x${result.toString(16)}` : String(result);
}

export function openFlags(value: number): string {
  return withAccess(ACCESS_MODES[value & 3] ?? String(value & 3), flagNames(value & ~3, OPEN_FLAGS));
}

function withAccess(mode: string, flags: string): string {
  return flags === '0' ? mode : `${mode}|${flags}`;
}

export function protFlags(value: number): string {
  return value === 0 ? 'PROT_NONE' : flagNames(value, PROT_FLAGS);
}

export function mapFlags(value: number): string {
  return flagNames(value, MAP_FLAGS);
}

export function clockName(value: number): string {
  return CLOCKS[value] ?? String(value);
}

export function whenceName(value: number): string {
  return WHENCES[value] ?? String(value);
}

export function futexOperation(value: number): string {
  const name = FUTEX_OPERATIONS[value & ~(FUTEX_PRIVATE | FUTEX_REALTIME)];
  if (name === undefined) return String(value);
  return `FUTEX_${name}${(value & FUTEX_PRIVATE) === 0 ? '' : '_PRIVATE'}${(value & FUTEX_REALTIME) === 0 ? '' : '|FUTEX_CLOCK_REALTIME'}`;
}

export function signalText(value: number): string {
  return value === 0 ? '0' : signalName(value);
}

/** What has no name stays as a number. */
function flagNames(value: number, names: readonly (readonly [number, string])[]): string {
  let rest = value;
  const found: string[] = [];
  for (const [bits, name] of names) {
    if ((rest & bits) !== bits) continue;
    found.push(name);
    rest &= ~bits;
  }
  if (rest !== 0 || found.length === 0) found.push(rest === 0 ? '0' : `0x${(rest >>> 0).toString(16)}`);
  return found.join('|');
}

function namesOf(entries: readonly (readonly [string, number])[]): string[] {
  const names: string[] = [];
  for (const [name, number] of entries) names[number] = name;
  return names;
}

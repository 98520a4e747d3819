/** poll and select, for files, terminals, pipes and event counters. */
import { E } from '../../base/errno.js';
import { POLL } from '../files/fileConstants.js';
import type { Process } from '../process.js';
import { ERESTART } from '../signals/restart.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { afterwards, waitUntil } from '../waiting.js';
import { deadlineAfter, fromNanoseconds, readTimeout, writeTimeSpec } from './timeouts.js';

const POLLFD_SIZE = 8;
const LARGEST_SET = 65536;
/** Reported whether asked for or not. */
const ALWAYS = POLL.ERR | POLL.HUP | POLL.NVAL;

function pollOne(p: Process, fd: number, wanted: number): number {
  const file = p.files.get(fd);
  return file === undefined ? POLL.NVAL : file.poll() & (wanted | ALWAYS);
}

function pollAll(p: Process, address: number, count: number): number {
  let ready = 0;
  for (let i = 0; i < count; i++) {
    const at = address + i * POLLFD_SIZE;
    const fd = p.space.readI32(at);
    const events = fd < 0 ? 0 : pollOne(p, fd, p.space.readU16(at + 4));
    p.space.writeU16(at + 6, events);
    if (events !== 0) ready++;
  }
  return ready;
}

/** Tries `check` until it says something, the deadline passes (0), or a signal comes. */
function awaitReady(p: Process, name: string, fds: readonly number[], check: () => number, deadline: number): SyscallResult {
  const ready = check();
  if (ready !== 0 || deadline <= p.clock.now()) return ready;
  const files = fds.flatMap((fd) => p.files.get(fd) ?? []);
  const options = {
    deadline, onTimeout: 0, onSignal: -ERESTART.NOHAND, external: files.some((file) => file.isExternal),
    readyAt: () => files.reduce((soonest, file) => Math.min(soonest, file.readyAt()), Infinity),
    describe: () => (fds.length === 0 ? `${name} without descriptors` : `${name} on descriptor ${fds.join(', ')}`),
  };
  return waitUntil(p, () => check() || -E.AGAIN, options);
}

function awaitPoll(p: Process, address: number, count: number, deadline: number): SyscallResult {
  const fds = Array.from({ length: count }, (_, i) => p.space.readI32(address + i * POLLFD_SIZE)).filter((fd) => fd >= 0);
  return awaitReady(p, 'poll', fds, () => pollAll(p, address, count), deadline);
}

/** ppoll and pselect6 leave the signal mask changed while they wait; `maskAt` is 0 if they need not. */
function withMask(p: Process, maskAt: number, size: number, wait: () => SyscallResult): SyscallResult {
  if (maskAt === 0) return wait();
  if (size !== 8) return -E.INVAL;
  return p.signals.withMask(p.space.readU64(maskAt), wait);
}

/** Stores how much of the timeout is left, as Linux does for select, pselect6 and ppoll. */
function storeRemaining(
  p: Process,
  result: SyscallResult,
  deadline: number,
  store: (nanoseconds: number) => void,
): SyscallResult {
  if (deadline === Infinity) return result;
  return afterwards(result, (value) => {
    store(Math.max(0, deadline - p.clock.now()));
    return value;
  });
}

interface SelectSets {
  readonly count: number;
  /** Addresses of the read, write and exception set; 0 if absent. */
  readonly addresses: readonly number[];
  /** What the sets held when the call came. */
  readonly wanted: readonly (Uint8Array | undefined)[];
}

const SELECT_EVENTS = [POLL.IN | POLL.RDNORM | POLL.HUP | POLL.ERR, POLL.OUT | POLL.WRNORM | POLL.ERR, POLL.PRI];

function readSets(p: Process, count: number, addresses: readonly number[]): SelectSets {
  const bytes = Math.ceil(count / 64) * 8;
  return { count, addresses, wanted: addresses.map((at) => (at === 0 ? undefined : p.space.read(at, bytes))) };
}

function isSet(set: Uint8Array | undefined, fd: number): boolean {
  return set !== undefined && ((set[fd >> 3] as number) & (1 << (fd & 7))) !== 0;
}

function firstBad(p: Process, sets: SelectSets): boolean {
  for (let fd = 0; fd < sets.count; fd++) {
    if (sets.wanted.some((set) => isSet(set, fd)) && p.files.get(fd) === undefined) return true;
  }
  return false;
}

/** The number of bits set in the results; the results are stored only if there are any, or if it is the end. */
function selectOnce(p: Process, sets: SelectSets, store: boolean): number {
  const results = sets.wanted.map((set) => (set === undefined ? undefined : new Uint8Array(set.length)));
  let ready = 0;
  for (let fd = 0; fd < sets.count; fd++) {
    if (!sets.wanted.some((set) => isSet(set, fd))) continue;
    const events = p.files.get(fd)?.poll() ?? POLL.NVAL;
    results.forEach((result, i) => {
      if (result === undefined || !isSet(sets.wanted[i], fd) || (events & (SELECT_EVENTS[i] as number)) === 0) return;
      result[fd >> 3] = (result[fd >> 3] as number) | (1 << (fd & 7));
      ready++;
    });
  }
  if (ready > 0 || store) results.forEach((result, i) => result && p.space.write(sets.addresses[i] as number, result));
  return ready;
}

function select(p: Process, a: SyscallArgs, deadline: number): SyscallResult {
  const count = a.int(0);
  if (count < 0) return -E.INVAL;
  const sets = readSets(p, Math.min(count, LARGEST_SET), [a.addr(1), a.addr(2), a.addr(3)]);
  if (firstBad(p, sets)) return -E.BADF;
  const result = awaitReady(p, 'select', watched(sets), () => selectOnce(p, sets, false), deadline);
  return afterwards(result, (value) => {
    if (value === 0) selectOnce(p, sets, true);
    return value;
  });
}

function watched(sets: SelectSets): number[] {
  return Array.from({ length: sets.count }, (_, fd) => fd).filter((fd) => sets.wanted.some((set) => isSet(set, fd)));
}

export const pollingCalls: SyscallFamily = {
  poll(p, a) {
    const [address, count, timeout] = [a.addr(0), a.uint(1), a.int(2)];
    if (count > p.limits.soft(7)) return -E.INVAL;
    const deadline = timeout < 0 ? Infinity : p.clock.now() + timeout * 1e6;
    return awaitPoll(p, address, count, timeout === 0 ? 0 : deadline);
  },

  ppoll(p, a) {
    const [address, count, timeoutAt] = [a.addr(0), a.uint(1), a.addr(2)];
    if (count > p.limits.soft(7)) return -E.INVAL;
    const timeout = readTimeout(p, timeoutAt);
    if (typeof timeout === 'number') return timeout;
    const deadline = deadlineAfter(p, timeout);
    const result = withMask(p, a.addr(3), a.addr(4), () => awaitPoll(p, address, count, deadline));
    return storeRemaining(p, result, deadline, (left) => writeTimeSpec(p, timeoutAt, fromNanoseconds(left)));
  },

  select(p, a) {
    const timeoutAt = a.addr(4);
    if (timeoutAt === 0) return select(p, a, Infinity);
    const nanoseconds = p.space.readSigned64(timeoutAt) * 1e9 + p.space.readSigned64(timeoutAt + 8) * 1000;
    if (nanoseconds < 0) return -E.INVAL;
    const deadline = p.clock.now() + nanoseconds;
    return storeRemaining(p, select(p, a, deadline), deadline, (left) => {
      p.space.writeNum64(timeoutAt, Math.floor(left / 1e9));
      p.space.writeNum64(timeoutAt + 8, Math.floor((left % 1e9) / 1000));
    });
  },

  pselect6(p, a) {
    const timeoutAt = a.addr(4);
    const timeout = readTimeout(p, timeoutAt);
    if (typeof timeout === 'number') return timeout;
    const deadline = deadlineAfter(p, timeout);
    const pair = a.addr(5);
    const maskAt = pair === 0 ? 0 : p.space.readNum64(pair);
    const size = pair === 0 ? 0 : p.space.readNum64(pair + 8);
    const result = withMask(p, maskAt, size, () => select(p, a, deadline));
    return storeRemaining(p, result, deadline, (left) => writeTimeSpec(p, timeoutAt, fromNanoseconds(left)));
  },
};

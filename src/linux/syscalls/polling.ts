/**
 * poll and select on all kinds of files, and the waiting with another signal mask that ppoll, pselect and epoll_pwait
 * share.
 */
import { E } from '../../base/errno.js';
import { O, POLL } from '../files/fileConstants.js';
import type { OpenFile } from '../files/openFile.js';
import { RLIMIT } from '../limits.js';
import type { Process } from '../process.js';
import { ERESTART } from '../signals/restart.js';
import { SIGSET_BYTES } from '../../base/signalNumbers.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { afterwards, type Wait, waitUntil } from '../waiting.js';
import { deadlineAfter, fromNanoseconds, readTimeout, writeTimeSpec } from './timeouts.js';

const POLLFD_SIZE = 8;
/** Reported whether asked for or not. */
const ALWAYS = POLL.ERR | POLL.HUP | POLL.NVAL;
const MILLISECOND = 1e6;
const SECOND = 1e9;

function fileOf(p: Process, fd: number): OpenFile | undefined {
  const file = p.files.get(fd);
  return file === undefined || (file.flags & O.PATH) !== 0 ? undefined : file;
}

/** Runs `wait` with the signal mask at an address; 0: with the one there is. */
export function withMaskAt(p: Process, maskAt: number, size: number, wait: () => SyscallResult): SyscallResult {
  if (maskAt === 0) return wait();
  if (size !== SIGSET_BYTES) return -E.INVAL;
  return p.signals.withMask(p.space.readU64(maskAt), wait);
}

interface ReadyWait {
  readonly name: string;
  readonly fds: readonly number[];
  /** How many are ready. */
  readonly check: () => number;
  readonly deadline: number;
  /** Whether the rest of the time is waited for if a signal without a handler comes; else all of it. */
  readonly resumes?: boolean;
  /** To be done in the end, with the result. */
  readonly finish: (result: number) => number;
}

/** Tries `check` until it says something, the deadline passes (0), or a signal comes. */
function awaitReady(p: Process, request: ReadyWait): SyscallResult {
  const ready = request.check();
  return ready !== 0 || request.deadline <= p.clock.now() ? request.finish(ready) : sleepUntilReady(p, request);
}

function sleepUntilReady(p: Process, request: ReadyWait): Wait {
  const { name, fds, check, deadline, resumes = false, finish } = request;
  const files = fds.flatMap((fd) => fileOf(p, fd) ?? []);
  return waitUntil(p, () => check() || -E.AGAIN, {
    deadline, onTimeout: 0, onSignal: resumes ? -ERESTART.RESTARTBLOCK : -ERESTART.NOHAND, external: files.length === 0 || files.some((file) => file.isExternal),
    readyAt: () => files.reduce((soonest, file) => Math.min(soonest, file.readyAt()), Infinity),
    describe: () => (fds.length === 0 ? `${name} without descriptors` : `${name} on descriptor ${fds.join(', ')}`),
    ...(resumes ? { restart: () => sleepUntilReady(p, request) } : {}),
  }).after(finish);
}

/** Stores how much of the timeout is left, as Linux does for select, pselect6 and ppoll. */
function storeRemaining(p: Process, result: SyscallResult, deadline: number, store: (nanoseconds: number) => void): SyscallResult {
  if (deadline === Infinity) return result;
  return afterwards(result, (value) => {
    store(Math.max(0, deadline - p.clock.now()));
    return value;
  });
}

function pollFiles(p: Process, address: number, count: number, deadline: number, resumes: boolean): SyscallResult {
  if (count > p.limits.soft(RLIMIT.NOFILE)) return -E.INVAL;
  const entries = new DataView(p.space.read(address, count * POLLFD_SIZE).buffer);
  const fds = Array.from({ length: count }, (_, i) => entries.getInt32(i * POLLFD_SIZE, true));
  const check = (): number => {
    let ready = 0;
    fds.forEach((fd, i) => {
      const wanted = entries.getUint16(i * POLLFD_SIZE + 4, true) | ALWAYS;
      const events = fd < 0 ? 0 : (fileOf(p, fd)?.poll() ?? POLL.NVAL) & wanted;
      entries.setUint16(i * POLLFD_SIZE + 6, events, true);
      if (events !== 0) ready++;
    });
    return ready;
  };
  const finish = (result: number): number => {
    for (let i = 0; i < count; i++) p.space.writeU16(address + i * POLLFD_SIZE + 6, entries.getUint16(i * POLLFD_SIZE + 6, true));
    return result;
  };
  return awaitReady(p, { name: 'poll', fds: fds.filter((fd) => fd >= 0), check, deadline, resumes, finish });
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

function watched(sets: SelectSets): number[] {
  return Array.from({ length: sets.count }, (_, fd) => fd).filter((fd) => sets.wanted.some((set) => isSet(set, fd)));
}

/** Fills `results`; how many bits are set in them. */
function selectOnce(p: Process, sets: SelectSets, fds: readonly number[], results: readonly (Uint8Array | undefined)[]): number {
  for (const result of results) result?.fill(0);
  let ready = 0;
  for (const fd of fds) {
    const events = fileOf(p, fd)?.poll() ?? 0;
    results.forEach((result, i) => {
      if (result === undefined || !isSet(sets.wanted[i], fd) || (events & (SELECT_EVENTS[i] as number)) === 0) return;
      result[fd >> 3] = (result[fd >> 3] as number) | (1 << (fd & 7));
      ready++;
    });
  }
  return ready;
}

function select(p: Process, a: SyscallArgs, deadline: number): SyscallResult {
  const count = a.int(0);
  if (count < 0) return -E.INVAL;
  const sets = readSets(p, Math.min(count, p.files.capacity), [a.addr(1), a.addr(2), a.addr(3)]);
  const fds = watched(sets);
  if (fds.some((fd) => fileOf(p, fd) === undefined)) return -E.BADF;
  const results = sets.wanted.map((set) => (set === undefined ? undefined : new Uint8Array(set.length)));
  const check = (): number => selectOnce(p, sets, fds, results);
  const finish = (value: number): number => {
    if (value >= 0) results.forEach((result, i) => result && p.space.write(sets.addresses[i] as number, result));
    return value;
  };
  return awaitReady(p, { name: 'select', fds, check, deadline, finish });
}

/** A struct timeval as select takes it: more than a million microseconds are seconds, too. */
function readTimeval(p: Process, address: number): number {
  const seconds = p.space.readSigned64(address);
  const microseconds = p.space.readSigned64(address + 8);
  return seconds < 0 || microseconds < 0 ? -1 : seconds * SECOND + microseconds * 1000;
}

export const pollingCalls: SyscallFamily = {
  poll(p, a) {
    const timeout = a.int(2);
    const deadline = timeout < 0 ? Infinity : timeout === 0 ? 0 : p.clock.now() + timeout * MILLISECOND;
    return pollFiles(p, a.addr(0), a.uint(1), deadline, true);
  },

  ppoll(p, a) {
    const [address, count, timeoutAt] = [a.addr(0), a.uint(1), a.addr(2)];
    const timeout = readTimeout(p, timeoutAt);
    if (typeof timeout === 'number') return timeout;
    const deadline = deadlineAfter(p, timeout);
    const result = withMaskAt(p, a.addr(3), a.addr(4), () => pollFiles(p, address, count, deadline, false));
    return storeRemaining(p, result, deadline, (left) => writeTimeSpec(p, timeoutAt, fromNanoseconds(left)));
  },

  select(p, a) {
    const timeoutAt = a.addr(4);
    if (timeoutAt === 0) return select(p, a, Infinity);
    const nanoseconds = readTimeval(p, timeoutAt);
    if (nanoseconds < 0) return -E.INVAL;
    const deadline = p.clock.now() + nanoseconds;
    return storeRemaining(p, select(p, a, deadline), deadline, (left) => {
      p.space.writeNum64(timeoutAt, Math.floor(left / SECOND));
      p.space.writeNum64(timeoutAt + 8, Math.floor((left % SECOND) / 1000));
    });
  },

  pselect6(p, a) {
    const timeoutAt = a.addr(4);
    const pair = a.addr(5);
    const [maskAt, size] = pair === 0 ? [0, 0] : [p.space.readNum64(pair), p.space.readNum64(pair + 8)];
    const timeout = readTimeout(p, timeoutAt);
    if (typeof timeout === 'number') return timeout;
    const deadline = deadlineAfter(p, timeout);
    const result = withMaskAt(p, maskAt, size, () => select(p, a, deadline));
    return storeRemaining(p, result, deadline, (left) => writeTimeSpec(p, timeoutAt, fromNanoseconds(left)));
  },
};

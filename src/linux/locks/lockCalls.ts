/** flock, and the lock commands of fcntl. */
import { E } from '../../base/errno.js';
import { SEEK } from '../files/fileConstants.js';
import type { OpenFile } from '../files/openFile.js';
import type { Process } from '../process.js';
import type { SyscallFamily, SyscallResult } from '../syscall.js';
import { waitUntil } from '../waiting.js';
import type { LockKind, LockRange, RecordLock } from './recordLocks.js';

const F = { GETLK: 5, SETLK: 6, SETLKW: 7, OFD_GETLK: 36, OFD_SETLK: 37, OFD_SETLKW: 38 } as const;
const TYPE = { READ: 0, WRITE: 1, UNLOCK: 2 } as const;
const LOCK = { SHARED: 1, EXCLUSIVE: 2, NON_BLOCKING: 4, UNLOCK: 8, MANDATORY: 32 } as const;
const FLOCK_SIZE = 32;
const OFFSET_MAX = 2n ** 63n - 1n;
const NO_PROCESS = -1;

/** struct flock. */
interface LockRequest {
  readonly type: number;
  readonly range: LockRange;
  readonly pid: number;
}

export function isLockCommand(command: number): boolean {
  return (Object.values(F) as number[]).includes(command);
}

/** fcntl with one of the lock commands; `lockAt` is the struct flock. */
export function controlLock(p: Process, file: OpenFile, command: number, lockAt: number): SyscallResult {
  const request = readRequest(p, file, lockAt);
  if (typeof request === 'number') return request;
  const ofFile = command >= F.OFD_GETLK;
  const testing = command === F.GETLK || command === F.OFD_GETLK;
  if (ofFile && request.pid !== 0) return -E.INVAL;
  if (testing) return testLock(p, file, request, ofFile, lockAt);
  if (request.type === TYPE.READ ? !file.readable : request.type === TYPE.WRITE && !file.writable) return -E.BADF;
  const owner = ofFile ? file : p.files;
  if (request.type === TYPE.UNLOCK) {
    p.world.locks.release(file, owner, request.range);
    return 0;
  }
  return takeLock(p, file, wantedLock(p, file, request, ofFile), command === F.SETLKW || command === F.OFD_SETLKW);
}

function readRequest(p: Process, file: OpenFile, at: number): LockRequest | number {
  p.space.view(at, FLOCK_SIZE, 'read');
  const type = p.space.readU16(at);
  const base = startOf(file, p.space.readU16(at + 2));
  if (base < 0) return base;
  const signed = (address: number): bigint => BigInt.asIntN(64, p.space.readU64(address));
  const range = rangeOf(BigInt(base) + signed(at + 8), signed(at + 16));
  if (typeof range === 'number') return range;
  return type > TYPE.UNLOCK ? -E.INVAL : { type, range, pid: p.space.readI32(at + 24) };
}

function startOf(file: OpenFile, whence: number): number {
  switch (whence) {
    case SEEK.SET:
      return 0;
    case SEEK.CUR:
      return Math.max(0, file.seek(0, SEEK.CUR));
    case SEEK.END: {
      const stat = file.stat();
      return typeof stat === 'number' ? 0 : stat.size;
    }
    default:
      return -E.INVAL;
  }
}

function rangeOf(start: bigint, length: bigint): LockRange | number {
  if (start < 0n) return -E.INVAL;
  if (start > OFFSET_MAX || start + length - 1n > OFFSET_MAX) return -E.OVERFLOW;
  const end = length === 0n ? OFFSET_MAX : start + length - 1n;
  if (length >= 0n) return { start: Number(start), end: end === OFFSET_MAX ? Infinity : Number(end) };
  return start + length < 0n ? -E.INVAL : { start: Number(start + length), end: Number(start - 1n) };
}

function wantedLock(p: Process, file: OpenFile, { type, range }: LockRequest, ofFile: boolean): RecordLock {
  const kind: LockKind = type === TYPE.WRITE ? 'write' : 'read';
  return { ...range, kind, owner: ofFile ? file : p.files, pid: ofFile ? NO_PROCESS : p.pid };
}

function testLock(p: Process, file: OpenFile, request: LockRequest, ofFile: boolean, at: number): number {
  if (request.type === TYPE.UNLOCK && !ofFile) return -E.INVAL;
  const { locks } = p.world;
  const found = request.type === TYPE.UNLOCK
    ? locks.own(file, file, request.range)
    : locks.conflict(file, wantedLock(p, file, request, ofFile));
  p.space.view(at, FLOCK_SIZE, 'write');
  p.space.writeU16(at, found === undefined ? TYPE.UNLOCK : found.kind === 'write' ? TYPE.WRITE : TYPE.READ);
  if (found === undefined) return 0;
  p.space.writeU16(at + 2, SEEK.SET);
  p.space.writeNum64(at + 8, found.start);
  p.space.writeNum64(at + 16, found.end === Infinity ? 0 : found.end - found.start + 1);
  p.space.writeU32(at + 24, found.pid);
  return 0;
}

function takeLock(p: Process, file: OpenFile, wanted: RecordLock, mayWait: boolean): SyscallResult {
  const { locks } = p.world;
  const ofProcess = wanted.owner === p.files;
  const { files } = p;
  const attempt = (): number => {
    if (locks.conflict(file, wanted) !== undefined) {
      return mayWait && ofProcess && locks.wouldDeadlock(file, wanted) ? -E.DEADLK : -E.AGAIN;
    }
    if (ofProcess) locks.takeForProcess(file, { ...wanted, owner: files });
    else locks.takeForFile(file, wanted);
    return 0;
  };
  const result = attempt();
  if (result !== -E.AGAIN || !mayWait) return result;
  const stopWaiting = ofProcess ? locks.startWaiting(file, wanted) : () => {};
  const describe = (): string => `the lock on ${file.path} that ${holder(locks.conflict(file, wanted))} holds`;
  return waitUntil(p, attempt, { describe }).after((value) => {
    stopWaiting();
    return value;
  });
}

function holder(lock: RecordLock | undefined): string {
  return lock === undefined || lock.pid === NO_PROCESS ? 'another open file' : `process ${lock.pid}`;
}

function flock(p: Process, fd: number, operation: number): SyscallResult {
  if ((operation & LOCK.MANDATORY) !== 0) return 0;
  const command = operation & ~LOCK.NON_BLOCKING;
  if (command !== LOCK.SHARED && command !== LOCK.EXCLUSIVE && command !== LOCK.UNLOCK) return -E.INVAL;
  const file = p.files.get(fd);
  if (file === undefined) return -E.BADF;
  if (command === LOCK.UNLOCK) {
    p.world.locks.releaseFlock(file);
    return 0;
  }
  if (!file.readable && !file.writable) return -E.BADF;
  const kind = command === LOCK.EXCLUSIVE ? 'write' : 'read';
  const attempt = (): number => (p.world.locks.takeFlock(file, kind) ? 0 : -E.AGAIN);
  const result = attempt();
  if (result === 0 || (operation & LOCK.NON_BLOCKING) !== 0) return result;
  return waitUntil(p, attempt, { describe: () => `the lock (flock) on ${file.path}` });
}

export const lockCalls: SyscallFamily = {
  flock: (p, a) => flock(p, a.int(0), a.int(1)),
};

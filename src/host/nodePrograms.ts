/** What Node has no call for, done by the host's small standard programs instead. */
import { type SpawnSyncOptionsWithStringEncoding, type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { E } from '../base/errno.js';
import { type BytePath, bytesOfBytePath } from '../base/bytePath.js';
import type { TimeSpec } from './host.js';
import { helperProgram } from './trustedPrograms.js';

const MKNOD = 133;
const LINKAT = 265;
const UTIMENSAT = 280;
const AT_SYMLINK_NOFOLLOW = 0x100;
const RENAMEAT2 = 316;
const RENAME_EXCHANGE = 2;
const S_IFIFO = 0o010000;
const AT_FDCWD = -100;
const AT_SYMLINK_FOLLOW = 0x400;
/** Numbers as they are, paths after an x: as hexadecimal digits, for they need not be text. */
const SYSTEM_CALL = 'exit(syscall(shift() + 0, map { /^x(.*)/ ? pack("H*", $1) : $_ + 0 } @ARGV) == 0 ? 0 : $! + 0)';

/** What the helpers print is a whole directory's attributes at most. */
const MOST_OUTPUT = 2 ** 28;

/**
 * Runs a helper to its end; undefined if the host has none of that name. It gets nothing of our environment: nothing
 * there is meant for it.
 */
export function runHelper(name: string, words: readonly string[], stdio: SpawnSyncOptionsWithStringEncoding['stdio']): SpawnSyncReturns<string> | undefined {
  const program = helperProgram(name);
  return program === undefined ? undefined : spawnSync(program, words, { stdio, env: {}, encoding: 'latin1', maxBuffer: MOST_OUTPUT });
}

/** A system call that returns 0 or an error, made by a child that has `fd` as its descriptor 3. */
export function systemCall(args: readonly (number | Uint8Array)[], fd?: number): number {
  const words = args.map((arg) => (typeof arg === 'number' ? String(arg) : `x${Buffer.from(arg).toString('hex')}`));
  const stdio = ['ignore' as const, 'ignore' as const, 'ignore' as const, ...(fd === undefined ? [] : [fd])];
  const status = runHelper('perl', ['-e', SYSTEM_CALL, ...words], stdio)?.status;
  return status === 0 ? 0 : -(status ?? E.PERM);
}

/** A path below one of our descriptors, as a child can reach it. */
export function seenByChild(path: BytePath): Uint8Array {
  return bytesOfBytePath(path.replace(/^\/proc\/self\/(?=fd\/)/, `/proc/${process.pid}/`));
}

export function makeFifo(path: BytePath, mode: number): number {
  return systemCall([MKNOD, seenByChild(path), S_IFIFO | mode, 0]);
}

/** To the nanosecond, which Node cannot. */
export function setTimesExactly(path: BytePath, accessed: TimeSpec, modified: TimeSpec, followLinks: boolean): number {
  const times = new BigInt64Array([accessed.seconds, accessed.nanoseconds, modified.seconds, modified.nanoseconds].map(BigInt));
  return systemCall([UTIMENSAT, AT_FDCWD, seenByChild(path), new Uint8Array(times.buffer), followLinks ? 0 : AT_SYMLINK_NOFOLLOW]);
}

export function exchange(one: BytePath, other: BytePath): number {
  return systemCall([RENAMEAT2, AT_FDCWD, seenByChild(one), AT_FDCWD, seenByChild(other), RENAME_EXCHANGE]);
}

/** Gives the file behind a descriptor a name, even if it never had one. */
export function linkFd(fd: number, path: BytePath): number {
  return systemCall([LINKAT, AT_FDCWD, Buffer.from('/proc/self/fd/3'), AT_FDCWD, seenByChild(path), AT_SYMLINK_FOLLOW], fd);
}

/** Node cannot move a descriptor's offset; a child that inherits the descriptor can, as they share it. */
export function seekTo(fd: number, offset: number): number {
  const result = runHelper('perl', ['-e', 'exit !sysseek(STDIN, $ARGV[0], 0)', String(offset)], [fd, 'ignore', 'ignore']);
  return result?.status === 0 ? 0 : -E.SPIPE;
}

/** The attributes of the terminal on a descriptor in `stty -g` form, or undefined if there is no stty. */
export function sttyGet(fd: number): string | undefined {
  const result = runHelper('stty', ['-g'], [fd, 'pipe', 'ignore']);
  return result?.status === 0 ? result.stdout.trim() : undefined;
}

export function sttySet(fd: number, attributes: string): boolean {
  return runHelper('stty', [attributes], [fd, 'ignore', 'ignore'])?.status === 0;
}

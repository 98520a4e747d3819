/** What system calls on sockets share: finding the socket, its addresses in guest memory, and waiting for it. */
import { E } from '../../base/errno.js';
import { S_IFMT, S_IFSOCK } from '../files/fileConstants.js';
import type { OpenFile } from '../files/openFile.js';
import type { Process } from '../process.js';
import { ERESTART } from '../signals/restart.js';
import { Socket } from '../sockets/socket.js';
import { addressBytes, LARGEST_ADDRESS, parseAddress, type SocketAddress } from '../sockets/socketAddress.js';
import { MSG } from '../sockets/socketConstants.js';
import type { SyscallHandler, SyscallResult } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { type Wait, waitUntil } from '../waiting.js';

type OnSocket = (p: Process, a: SyscallArgs, socket: Socket) => SyscallResult;
/** For sockets of the host that came to us as standard streams. */
export type OnForeign = (p: Process, a: SyscallArgs, file: OpenFile) => SyscallResult;

export function onSocket(action: OnSocket, foreign: OnForeign): SyscallHandler {
  return (p, a) => {
    const file = p.files.get(a.int(0));
    if (file === undefined) return -E.BADF;
    if (file instanceof Socket) return action(p, a, file);
    const stat = file.stat();
    return typeof stat !== 'number' && (stat.mode & S_IFMT) === S_IFSOCK ? foreign(p, a, file) : -E.NOTSOCK;
  };
}

export function readAddress(p: Process, at: number, length: number): SocketAddress | number {
  if (length < 0 || length > LARGEST_ADDRESS) return -E.INVAL;
  return parseAddress(p.space.read(at, length));
}

/** Stores as much of an address as there is room for, and how long it really is. Without an address: length 0. */
export function writeAddress(p: Process, at: number, lengthAt: number, address: SocketAddress | undefined): number {
  const room = p.space.readI32(lengthAt);
  if (room < 0) return -E.INVAL;
  const bytes = address === undefined ? new Uint8Array(0) : addressBytes(address);
  p.space.write(at, bytes.subarray(0, room));
  p.space.writeU32(lengthAt, bytes.length);
  return 0;
}

/** Something to be done with a socket that may have to wait. */
export interface Operation {
  /** -EAGAIN: not yet. */
  attempt(): number;
  /** Makes the call's result of how it ended. */
  finish?(result: number): number;
  /** As in "receive from", for the report of who waits. */
  readonly doing: string;
  readonly onTimeout?: number;
  /** MSG_DONTWAIT makes it not wait, and so does asking for errors. */
  readonly flags?: number;
}

/** Does it now, or waits for it unless the socket is not to wait. */
export function runOn(p: Process, socket: Socket, operation: Operation, direction: 'receive' | 'send'): number | Wait {
  const finish = (result: number): number => operation.finish?.(result) ?? result;
  const first = operation.attempt();
  if (first !== -E.AGAIN || socket.nonBlocking || ((operation.flags ?? 0) & (MSG.DONTWAIT | MSG.ERRQUEUE)) !== 0) return finish(first);
  const timeout = socket.options.timeouts[direction];
  return waitUntil(p, () => operation.attempt(), {
    deadline: p.clock.now() + timeout,
    onTimeout: operation.onTimeout ?? -E.AGAIN,
    onSignal: timeout === Infinity ? -ERESTART.SYS : -E.INTR,
    external: () => socket.isExternal,
    describe: () => `${operation.doing} ${socket.describe()}`,
  }).after(finish);
}

/** Sending and receiving as operations that can be tried again: what read, write, sendmsg, recvmsg and their kin are made of. */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import { SIG } from '../signals/signalNumbers.js';
import type { SentExtras } from '../sockets/ancillary.js';
import { type Incoming, plainIncoming } from '../sockets/message.js';
import { credentialsOf } from '../sockets/network.js';
import type { Socket } from '../sockets/socket.js';
import type { SocketAddress } from '../sockets/socketAddress.js';
import { MSG, SOCK } from '../sockets/socketConstants.js';
import type { Operation } from './socketAccess.js';
import type { Vector } from './vectors.js';

export interface SendRequest {
  readonly bytes: Uint8Array;
  readonly flags: number;
  readonly to?: SocketAddress;
  readonly extras?: SentExtras;
}

/** Sends everything; a stream in several goes if it must. */
export function sending(p: Process, socket: Socket, { bytes: wanted, flags, to, extras = {} }: SendRequest): Operation {
  const waits = !socket.nonBlocking && (flags & MSG.DONTWAIT) === 0;
  const credentials = extras.credentials ?? credentialsOf(p);
  let bytes = wanted;
  let done = 0;
  const attempt = (): number => {
    for (;;) {
      const { files } = extras;
      const most = socket.mostToSend(bytes.length - done);
      const count = most < 0 ? most : socket.send({
        bytes: bytes.subarray(done, done + most), flags, credentials, introduced: extras.credentials !== undefined, sender: p,
        ...(to === undefined ? {} : { to }), ...(files === undefined || done > 0 ? {} : { files }),
      });
      if (count < 0) {
        // The caller may use its buffer for something else while we wait.
        if (count === -E.AGAIN && waits && bytes === wanted) bytes = wanted.slice();
        return count;
      }
      done += count;
      if (done >= bytes.length || socket.keepsMessages || !waits) return done;
    }
  };
  const finish = (result: number): number => {
    if (result < 0 && done > 0) return done;
    if (result <= 0 && (result < 0 || !socket.keepsMessages)) extras.files?.drop();
    if (result === -E.PIPE && (flags & MSG.NOSIGNAL) === 0 && breaksPipes(socket)) p.signals.raise(SIG.PIPE);
    return result;
  };
  return { attempt, finish, flags, doing: 'send to' };
}

function breaksPipes({ kind }: Socket): boolean {
  return kind.type === SOCK.STREAM;
}

export interface ReceiveRequest {
  readonly vectors: readonly Vector[];
  readonly flags: number;
  /** Hands over what came beside the bytes; a negative result is the call's. */
  deliver?(incoming: Incoming): number;
}

/** Receives once; with MSG_WAITALL a stream goes on until the buffers are full. */
export function receiving(p: Process, socket: Socket, { vectors, flags, deliver }: ReceiveRequest): Operation {
  const total = vectors.reduce((sum, vector) => sum + vector.length, 0);
  const all = (flags & MSG.WAITALL) !== 0 && (flags & MSG.PEEK) === 0 && !socket.keepsMessages;
  let done = 0;
  const attempt = (): number => {
    for (;;) {
      const incoming = receiveInto(p, socket, vectors, done, flags);
      if (typeof incoming === 'number') return incoming;
      const last = incoming.count === 0 || incoming.files !== undefined;
      done += incoming.count;
      if (all && !last && done < total) continue;
      const result = hand({ ...incoming, count: done, length: Math.max(done, incoming.length) });
      return result < 0 ? result : resultOf(socket, incoming, done, flags);
    }
  };
  const hand = (incoming: Incoming): number => {
    if (deliver !== undefined) return deliver(incoming);
    if ((flags & MSG.PEEK) === 0) incoming.files?.drop();
    return 0;
  };
  const finish = (result: number): number => {
    if (result >= 0 || done === 0) return result;
    const handed = hand(plainIncoming(done));
    return handed < 0 ? handed : done;
  };
  return { attempt, finish, flags, doing: 'receive from' };
}

/** A message that was cut off counts in full if MSG_TRUNC asks for that. */
function resultOf(socket: Socket, incoming: Incoming, done: number, flags: number): number {
  return socket.keepsMessages && (flags & MSG.TRUNC) !== 0 ? incoming.length : done;
}

/** Receives into the buffers behind the first `skipped` bytes of them. */
function receiveInto(p: Process, socket: Socket, vectors: readonly Vector[], skipped: number, flags: number): Incoming | number {
  const left = rest(vectors, skipped);
  const [only, another] = left;
  if (only === undefined) return socket.receive(new Uint8Array(0), flags);
  const keeps = left.map(({ address, length }) => p.space.unwritten?.keepRest(address, length));
  if (another === undefined) {
    const incoming = socket.receive(p.buffer(only.address, only.length, 'write'), flags);
    keeps[0]?.(typeof incoming === 'number' ? 0 : incoming.count);
    return incoming;
  }
  const room = left.reduce((sum, vector) => sum + vector.length, 0);
  const buffer = new Uint8Array(Math.min(room, Math.max(1, socket.available())));
  for (const { address, length } of left) p.space.view(address, length, 'write');
  const incoming = socket.receive(buffer, flags);
  const count = typeof incoming === 'number' ? 0 : incoming.count;
  let at = 0;
  for (const [i, { address, length }] of left.entries()) {
    const end = Math.min(count, at + length);
    p.space.write(address, buffer.subarray(at, end));
    keeps[i]?.(end - at);
    at = end;
  }
  return incoming;
}

function rest(vectors: readonly Vector[], skipped: number): readonly Vector[] {
  if (skipped === 0) return vectors;
  const left: Vector[] = [];
  let skip = skipped;
  for (const { address, length } of vectors) {
    if (length > skip) left.push({ address: address + skip, length: length - skip });
    skip = Math.max(0, skip - length);
  }
  return left;
}

/**
 * Sending and receiving as operations that can be tried again: what read, write, sendmsg, recvmsg and their kin are
 * made of.
 */
import { E } from '../../base/errno.js';
import { BadAddress } from '../../machine/addressSpace.js';
import type { Process } from '../process.js';
import { SIG } from '../../base/signalNumbers.js';
import type { SentExtras } from '../sockets/ancillary.js';
import { type Incoming, plainIncoming } from '../sockets/message.js';
import { credentialsOf } from '../sockets/network.js';
import type { Socket } from '../sockets/socket.js';
import type { SocketAddress } from '../sockets/socketAddress.js';
import { MSG, SOCK } from '../sockets/socketConstants.js';
import type { Operation } from './socketAccess.js';
import { partOf, type Vector } from './vectors.js';

interface SendRequest {
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

interface ReceiveRequest {
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
  const left = partOf(vectors, skipped, Infinity);
  const [only, another] = left;
  if (only === undefined) return socket.receive(new Uint8Array(0), flags);
  const room = left.reduce((sum, vector) => sum + vector.length, 0);
  const most = Math.min(room, Math.max(1, socket.available()));
  let incoming: Incoming | number = -E.AGAIN;
  const receive = (target: Uint8Array): number => {
    incoming = socket.receive(target, flags);
    return typeof incoming === 'number' ? 0 : incoming.count;
  };
  if (another === undefined) {
    p.space.fill(only.address, only.length, (target, done) => (done === 0 ? receive(target) : 0), most);
    return incoming;
  }
  const buffer = new Uint8Array(most);
  // What comes is lost if there is no room for it: so all of the room is looked at before.
  distribute(p, left, most, (target, _, wanted) => {
    if (target.length < wanted) throw new BadAddress(only.address + target.length);
    return 0;
  });
  const count = receive(buffer);
  distribute(p, left, count, (target, at, wanted) => {
    target.set(buffer.subarray(at, at + wanted));
    return wanted;
  });
  return incoming;
}

/** Shows `store` the buffers as far as so many bytes need them. */
function distribute(p: Process, vectors: readonly Vector[], most: number, store: (target: Uint8Array, at: number, wanted: number) => number): void {
  let at = 0;
  for (const { address, length } of vectors) {
    const wanted = Math.min(length, most - at);
    p.space.fill(address, length, (target, done) => (done === 0 ? store(target, at, wanted) : 0), wanted);
    at += wanted;
  }
}

/** What travels through sockets: bytes, who sent them, and what comes along with them. */
import type { OpenFile } from '../files/openFile.js';
import type { Process } from '../process.js';
import type { SocketAddress } from './socketAddress.js';

/** struct ucred. */
export interface PeerCredentials {
  readonly pid: number;
  readonly uid: number;
  readonly gid: number;
}

/** No process in particular: what a receiver is shown if the sender left no credentials. */
export const NO_CREDENTIALS: PeerCredentials = { pid: 0, uid: 65534, gid: 65534 };

/** Files on their way from one process to another. They are held open until a receiver takes or drops them. */
export class FilesInFlight {
  private taken = false;

  constructor(readonly files: readonly OpenFile[]) {
    for (const file of files) file.retain();
  }

  /** The receiver has descriptors of its own now, or there is no receiver any more. */
  drop(): void {
    if (this.taken) return;
    this.taken = true;
    for (const file of this.files) file.release();
  }
}

/** What a send hands over. */
export interface Outgoing {
  readonly bytes: Uint8Array;
  /** MSG_*. */
  readonly flags: number;
  readonly to?: SocketAddress;
  /** Who sends: paths are looked up from there. Absent if the kernel itself moves the bytes (splice). */
  readonly sender?: Process;
  readonly credentials: PeerCredentials;
  /** Whether the sender itself passed its credentials. */
  readonly introduced?: boolean;
  readonly files?: FilesInFlight;
}

/** What a receive got. The bytes are in the receiver's buffer already. */
export interface Incoming {
  /** Bytes stored. */
  readonly count: number;
  /** Bytes of the message: more than `count` if it was cut off. */
  readonly length: number;
  /** MSG_TRUNC, MSG_EOR. */
  readonly flags: number;
  readonly from?: SocketAddress;
  /** Where it was sent to, for IP_PKTINFO. */
  readonly to?: SocketAddress;
  readonly credentials?: PeerCredentials;
  readonly files?: FilesInFlight;
}

export function plainIncoming(count: number): Incoming {
  return { count, length: count, flags: 0 };
}

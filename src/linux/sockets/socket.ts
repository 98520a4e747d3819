/**
 * A socket: an open file with addresses, options and messages. Families derive from it; the defaults
 * are what Linux answers for an operation that a family does not have.
 *
 * Nothing here waits. What cannot be done now is -EAGAIN, and the system calls (syscalls/sockets.ts) try again.
 */
import { E } from '../../base/errno.js';
import { bytePath, type BytePath } from '../../base/bytePath.js';
import type { HostStat } from '../../host/host.js';
import { syntheticStat } from '../files/anonymousFile.js';
import { O, S_IFSOCK } from '../files/fileConstants.js';
import { OpenFile } from '../files/openFile.js';
import type { Process } from '../process.js';
import type { Incoming, Outgoing, PeerCredentials } from './message.js';
import type { Network } from './network.js';
import { describeAddress, type SocketAddress } from './socketAddress.js';
import { SHUT } from './socketConstants.js';
import { SocketOptions } from './socketOptions.js';

export interface SocketKind {
  readonly family: number;
  readonly type: number;
  readonly protocol: number;
}

/** The socket file system's device number, as fstat shows it. */
const SOCKET_DEVICE = 0x8n;

export abstract class Socket extends OpenFile {
  readonly options: SocketOptions;
  readonly inode: bigint;
  /** An error that came in by itself: reported once, by SO_ERROR or by whatever is tried next. */
  pendingError = 0;
  /** shutdown(2) for reading, or the other side writes no more. */
  receiveShut = false;
  sendShut = false;

  constructor(
    readonly network: Network,
    readonly kind: SocketKind,
    /** Who made it. */
    readonly creator: PeerCredentials,
    flags = 0,
  ) {
    super(O.RDWR | flags);
    this.inode = network.takeInode();
    this.options = new SocketOptions(kind, network.settings);
  }

  override get path(): BytePath {
    return bytePath(`socket:[${this.inode}]`);
  }

  override stat(): HostStat {
    return syntheticStat({ mode: S_IFSOCK | 0o777, inode: this.inode, device: SOCKET_DEVICE });
  }

  override get announcesReadiness(): boolean {
    return true;
  }

  /** Whether a read takes one message, not a stretch of bytes. */
  get keepsMessages(): boolean {
    return false;
  }

  get isListening(): boolean {
    return false;
  }

  /** Whether the other end of a connection is there: then it has credentials. */
  get peerCredentials(): PeerCredentials | undefined {
    return undefined;
  }

  /** The name of this socket. */
  abstract name(): SocketAddress;

  peerName(): SocketAddress | number {
    return -E.NOTCONN;
  }

  bind(_p: Process, _address: SocketAddress): number {
    return -E.OPNOTSUPP;
  }

  /** Starts to connect. -EINPROGRESS: it goes on by itself, see `connecting`. -EAGAIN: to be started again. */
  connect(_p: Process, _address: SocketAddress): number {
    return -E.OPNOTSUPP;
  }

  /** How a connection that was started stands: -EAGAIN while it is under way. */
  connecting(): number {
    return 0;
  }

  listen(_p: Process, _backlog: number): number {
    return -E.OPNOTSUPP;
  }

  /** A new connection, -EAGAIN if there is none. */
  accept(): Socket | number {
    return -E.OPNOTSUPP;
  }

  /** How many of the bytes were taken. */
  abstract send(message: Outgoing): number;

  /** Moves something that has arrived into `target`. `flags`: MSG_*. */
  abstract receive(target: Uint8Array, flags: number): Incoming | number;

  shutdown(how: number): number {
    if (how !== SHUT.WR) this.receiveShut = true;
    if (how !== SHUT.RD) this.sendShut = true;
    return 0;
  }

  /** For people: which socket it is. */
  describe(): string {
    const [name, peer] = [this.name(), this.peerName()];
    const there = typeof peer === 'number' ? '' : ` (${describeAddress(peer)})`;
    return `${this.path} ${describeAddress(name)}${there}`;
  }

  takeError(): number {
    const error = this.pendingError;
    this.pendingError = 0;
    return error;
  }

  /** Bytes sent that the other side has not taken yet, for SIOCOUTQ. */
  unsent(): number {
    return 0;
  }

  override read(target: Uint8Array): number {
    const incoming = this.receive(target, 0);
    if (typeof incoming === 'number') return incoming;
    incoming.files?.drop();
    return incoming.count;
  }

  override write(bytes: Uint8Array): number {
    const most = this.mostToSend(bytes.length);
    return most < 0 ? most : this.send({ bytes: bytes.subarray(0, most), flags: 0, credentials: this.creator });
  }

  /** For how many of so many bytes there is memory: for a message all of them, or -ENOBUFS. */
  mostToSend(length: number): number {
    const most = Math.min(length, this.network.budget.left);
    return most < length && (this.keepsMessages || most <= 0) ? -E.NOBUFS : most;
  }

  override seek(): number {
    return -E.SPIPE;
  }
}

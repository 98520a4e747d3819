/**
 * What all Unix sockets have in common: names (paths, abstract names, made-up ones), how others find
 * them, and how much a sender may have under way.
 *
 * A path is a file in the file system; the socket behind it is found by device and inode, so links, renamed
 * directories and different spellings of a path lead to the same socket.
 */
import { E } from '../../base/errno.js';
import { bytePath, type BytePath } from '../../base/bytePath.js';
import { AT_FDCWD, POLL, S_IFMT, S_IFSOCK } from '../files/fileConstants.js';
import { resolveHostPath } from '../paths.js';
import type { Process } from '../process.js';
import type { Outgoing, PeerCredentials } from './message.js';
import { ReceiveQueue, type Segment } from './receiveQueue.js';
import { Socket } from './socket.js';
import { UNNAMED, type SocketAddress, type UnixAddress } from './socketAddress.js';
import { AF, POLL_IN, POLL_OUT, SHUT, SO } from './socketConstants.js';

/** Where a path leads that is no socket of ours. */
interface HostPath {
  readonly hostPath: BytePath;
}

export abstract class UnixSocket extends Socket {
  address: UnixAddress = UNNAMED;
  /** The other end. Stays when that has closed. */
  peer: UnixSocket | undefined;
  readonly inbox = new ReceiveQueue(this.network.budget);
  /** What it sent that the peer has not read yet, as Linux counts it. */
  private underWay = 0;
  /** Key of the inode that a path leads to. */
  protected boundInode: string | undefined;
  peerIdentity: PeerCredentials | undefined;
  /** Whether it stands for a socket of the host. */
  isBridge = false;
  closed = false;

  override name(): UnixAddress {
    return this.address;
  }

  override peerName(): SocketAddress | number {
    return this.peer === undefined ? -E.NOTCONN : this.peer.address;
  }

  override get peerCredentials(): PeerCredentials | undefined {
    return this.peerIdentity;
  }

  override bind(p: Process, address: SocketAddress): number {
    if (address.family !== AF.UNIX) return -E.INVAL;
    if (address.name === '') return this.bindAutomatically();
    return address.name.startsWith('\0') ? this.bindAbstract(address) : this.bindPath(p, address);
  }

  /** A socket that is to pass credentials gets a name before it sends. */
  nameIfPassing(): void {
    if (this.options.flag(SO.PASSCRED) && this.address.name === '') this.bindAutomatically();
  }

  override unsent(): number {
    return this.underWay;
  }

  override shutdown(how: number): number {
    super.shutdown(how);
    this.wake(0);
    return 0;
  }

  protected override close(): number {
    this.closed = true;
    super.shutdown(SHUT.RDWR);
    this.network.unix.remove(this, this.boundInode);
    this.inbox.clear();
    return 0;
  }

  /** Whether a send may start: Linux lets one begin while anything is free at all. */
  protected get hasRoom(): boolean {
    return this.underWay < this.options.sendBuffer;
  }

  protected get pollOutput(): number {
    return this.underWay * 4 <= this.options.sendBuffer ? POLL_OUT : 0;
  }

  protected get pollInput(): number {
    let events = this.pendingError === 0 ? 0 : POLL.ERR;
    if (this.receiveShut) events |= POLL.RDHUP | POLL_IN | (this.sendShut ? POLL.HUP : 0);
    return this.inbox.isEmpty ? events : events | POLL_IN;
  }

  /**
   * Puts part of a message into `target`, on our account until it is read. Credentials go along only if the receiver
   * wants them.
   */
  protected deliver(target: UnixSocket, message: Outgoing, segment: Segment, cost: number): void {
    this.underWay += cost;
    const introduced = message.introduced === true || [this, target].some(({ options }) => options.flag(SO.PASSCRED));
    target.inbox.add({
      ...segment, ...(introduced ? { credentials: message.credentials } : {}),
      onGone: () => {
        this.underWay -= cost;
        if (this.pollOutput !== 0) this.wake(POLL_OUT);
      },
    });
    target.wake(POLL_IN);
  }

  /** The socket of the same type that an address names. */
  protected find(p: Process, address: UnixAddress): UnixSocket | HostPath | number {
    const { unix } = this.network;
    if (address.name.startsWith('\0')) return unix.abstract(this.kind.type, address.name) ?? -E.CONNREFUSED;
    const path = resolveHostPath(p, AT_FDCWD, address.name, true);
    if (typeof path === 'number') return path;
    const stat = p.host.files.stat(path, true);
    if (typeof stat === 'number') return stat;
    if ((stat.mode & S_IFMT) !== S_IFSOCK) return -E.CONNREFUSED;
    if (p.host.files.access(path, 2) < 0) return -E.ACCES;
    const found = unix.byInode(`${stat.device}:${stat.inode}`);
    if (found === undefined) return { hostPath: path };
    return found.kind.type === this.kind.type ? found : -E.PROTOTYPE;
  }

  protected makeFile(p: Process, path: BytePath, mode: number): number {
    return p.host.files.makeSocket(path, mode);
  }

  private bindAutomatically(): number {
    if (this.address.name === '') this.address = this.network.unix.addUnnamed(this);
    return 0;
  }

  private bindAbstract(address: UnixAddress): number {
    if (this.address.name !== '') return -E.INVAL;
    if (!this.network.unix.addAbstract(address.name, this)) return -E.ADDRINUSE;
    this.address = address;
    return 0;
  }

  private bindPath(p: Process, address: UnixAddress): number {
    const path = resolveHostPath(p, AT_FDCWD, address.name);
    if (typeof path === 'number') return path === -E.PERM ? -E.ADDRINUSE : path;
    if (this.address.name !== '') return typeof p.host.files.stat(path, false) === 'number' ? -E.INVAL : -E.ADDRINUSE;
    const made = this.makeFile(p, path, 0o777 & ~p.umask);
    if (made < 0) return made === -E.EXIST ? -E.ADDRINUSE : made;
    const stat = p.host.files.stat(path, false);
    if (typeof stat === 'number') return stat;
    this.boundInode = `${stat.device}:${stat.inode}`;
    this.network.unix.addInode(this.boundInode, this);
    this.address = address;
    return 0;
  }
}

/** Names of Unix sockets: abstract ones, which types have each for themselves, and inodes of paths. */
export class UnixNames {
  private readonly abstractNames = new Map<string, UnixSocket>();
  private readonly inodes = new Map<string, UnixSocket>();
  private nextUnnamed = 0;

  abstract(type: number, name: BytePath): UnixSocket | undefined {
    return this.abstractNames.get(`${type}${name}`);
  }

  byInode(key: string): UnixSocket | undefined {
    return this.inodes.get(key);
  }

  addAbstract(name: BytePath, socket: UnixSocket): boolean {
    const key = `${socket.kind.type}${name}`;
    if (this.abstractNames.has(key)) return false;
    this.abstractNames.set(key, socket);
    return true;
  }

  addInode(key: string, socket: UnixSocket): void {
    this.inodes.set(key, socket);
  }

  /** A name that no socket has: five hexadecimal digits. */
  addUnnamed(socket: UnixSocket): UnixAddress {
    for (;;) {
      const name = bytePath(`\0${(this.nextUnnamed++ & 0xf_ffff).toString(16).padStart(5, '0')}`);
      if (this.addAbstract(name, socket)) return { family: AF.UNIX, name };
    }
  }

  remove(socket: UnixSocket, inode: string | undefined): void {
    if (inode !== undefined && this.inodes.get(inode) === socket) this.inodes.delete(inode);
    const key = `${socket.kind.type}${socket.address.name}`;
    if (this.abstractNames.get(key) === socket) this.abstractNames.delete(key);
  }
}

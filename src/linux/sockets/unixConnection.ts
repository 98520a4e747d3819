/** Unix sockets that connect: SOCK_STREAM, and SOCK_SEQPACKET, which keeps messages apart. */
import { E } from '../../base/errno.js';
import { bytePath, type BytePath } from '../../base/bytePath.js';
import type { HostConnection, HostListener } from '../../host/hostNetwork.js';
import { POLL } from '../files/fileConstants.js';
import type { Process } from '../process.js';
import { datagramCost, streamChunk, streamCost } from './bufferCosts.js';
import { type Incoming, NO_CREDENTIALS, type Outgoing, plainIncoming, type PeerCredentials } from './message.js';
import { credentialsOf, type Network } from './network.js';
import type { SocketKind } from './socket.js';
import { type SocketAddress, UNNAMED } from './socketAddress.js';
import { AF, MSG, POLL_IN, SHUT, SO, SOCK } from './socketConstants.js';
import type { ConnectionState, SavedStream, StreamState, UnixState } from './streamState.js';
import { UnixBridge } from './unixBridge.js';
import { UnixSocket } from './unixSocket.js';

/** What a message may be smaller than its sender's buffer. */
const MESSAGE_OVERHEAD = 32;

export class UnixConnection extends UnixSocket implements SavedStream {
  private state: ConnectionState = 'closed';
  private readonly pending: UnixConnection[] = [];
  private backlog = 0;
  private outside: HostListener | undefined;

  static pair(network: Network, kind: SocketKind, creator: PeerCredentials, flags: number): [UnixConnection, UnixConnection] {
    const [one, other] = [new UnixConnection(network, kind, creator, flags), new UnixConnection(network, kind, creator, flags)];
    one.join(other, creator);
    other.join(one, creator);
    return [one, other];
  }

  get connectedWith(): UnixConnection | undefined {
    return this.peer instanceof UnixConnection ? this.peer : undefined;
  }

  get brief(): string {
    return `${this.state} ${this.receiveShut} ${this.sendShut} ${this.pendingError} ${this.closed}`;
  }

  get waiting(): number {
    return this.inbox.size;
  }

  save<Ref>(refer: (socket: SavedStream) => Ref): StreamState<Ref> | undefined {
    const { kind, creator, state, receiveShut, sendShut, pendingError, options, peer, backlog, closed } = this;
    if (state === 'connecting' || this.isBridge || peer?.isBridge === true || (peer !== undefined && !(peer instanceof UnixConnection))) return undefined;
    return {
      kind, creator, state, receiveShut, sendShut, pendingError, options: options.saved, backlog,
      peer: peer === undefined ? null : refer(peer), pending: this.pending.map(refer),
      unix: { name: this.address.name, inode: this.boundInode ?? null, peerIdentity: this.peerIdentity ?? null, closed },
    };
  }

  fill<Ref>({ state, receiveShut, sendShut, pendingError, options, peer, pending, backlog, unix }: StreamState<Ref>, resolve: (ref: Ref) => SavedStream): void {
    Object.assign(this, { state, receiveShut, sendShut, pendingError, backlog, closed: unix?.closed ?? false, peerIdentity: unix?.peerIdentity ?? undefined });
    this.options.saved = options;
    if (unix !== undefined && unix.name !== '') this.take(unix);
    this.peer = peer === null ? undefined : (resolve(peer) as UnixConnection);
    this.pending.push(...pending.map((ref) => resolve(ref) as UnixConnection));
  }

  /** On the account of the other end. */
  put(bytes: Uint8Array): void {
    if (this.peer === undefined || this.peer.closed) this.inbox.add({ bytes });
    else (this.peer as UnixConnection).deliver(this, { bytes, flags: 0, credentials: this.peer.creator }, { bytes }, streamCost(bytes.length));
  }

  /** The name that it had. A connection has that of the socket it was accepted from, which is found by it. */
  private take({ name, inode, closed }: UnixState): void {
    this.address = { family: AF.UNIX, name: bytePath(name) };
    if (closed) return;
    if (inode !== null) this.network.unix.addInode((this.boundInode = inode), this);
    else if (name.startsWith('\0') && this.state !== 'connected') this.network.unix.addAbstract(this.address.name, this);
  }

  override get keepsMessages(): boolean {
    return this.kind.type === SOCK.SEQPACKET;
  }

  override get isListening(): boolean {
    return this.state === 'listening' && !this.closed;
  }

  override get isExternal(): boolean {
    return this.state === 'connecting' || this.outside !== undefined || this.peer?.isBridge === true;
  }

  override listen(p: Process, backlog: number): number {
    if (this.address.name === '' || this.state === 'connected') return -E.INVAL;
    this.state = 'listening';
    this.backlog = backlog;
    this.peerIdentity = credentialsOf(p);
    return 0;
  }

  override connect(p: Process, address: SocketAddress): number {
    if (address.family !== AF.UNIX || address.name === '') return -E.INVAL;
    this.nameIfPassing();
    const listener = this.find(p, address);
    if (typeof listener === 'number') return listener;
    if (!(listener instanceof UnixConnection)) return 'hostPath' in listener ? this.connectOutside(listener.hostPath) : -E.CONNREFUSED;
    if (listener.state !== 'listening' || listener.receiveShut) return -E.CONNREFUSED;
    if (listener.pending.length > listener.backlog) return -E.AGAIN;
    if (this.state !== 'closed') return this.state === 'connected' ? -E.ISCONN : -E.INVAL;
    this.meet(p, listener);
    return 0;
  }

  override connecting(): number {
    if (this.state === 'connecting') return -E.AGAIN;
    return this.state === 'connected' ? 0 : -this.takeError();
  }

  override accept(): UnixConnection | number {
    if (this.state !== 'listening') return -E.INVAL;
    const connection = this.pending.shift();
    if (connection !== undefined) return connection;
    return this.receiveShut ? -E.INVAL : -E.AGAIN;
  }

  override send(message: Outgoing): number {
    if ((message.flags & MSG.OOB) !== 0) return -E.OPNOTSUPP;
    return this.keepsMessages ? this.sendMessage(message) : this.sendBytes(message);
  }

  override receive(target: Uint8Array, flags: number): Incoming | number {
    if ((flags & MSG.OOB) !== 0) return this.keepsMessages ? -E.OPNOTSUPP : -E.INVAL;
    if (this.state !== 'connected') return this.keepsMessages ? -E.NOTCONN : -E.INVAL;
    // An error comes before messages, and behind bytes.
    if (this.keepsMessages && this.pendingError !== 0) return -this.takeError();
    const peek = (flags & MSG.PEEK) !== 0;
    if (this.inbox.isEmpty) return this.receiveNothing(target);
    const got = this.keepsMessages
      ? (this.inbox.takeMessage(target, peek) ?? plainIncoming(0))
      : this.inbox.takeBytes(target, { peek, apart: this.options.flag(SO.PASSCRED) });
    return this.peer === undefined || this.peer.address === UNNAMED ? got : { ...got, from: this.peer.address };
  }

  override shutdown(how: number): number {
    super.shutdown(how);
    const { peer } = this;
    if (peer === undefined) return 0;
    if (how !== SHUT.WR) peer.sendShut = true;
    if (how !== SHUT.RD) peer.receiveShut = true;
    peer.wake(0);
    return 0;
  }

  override poll(): number {
    if (this.state === 'listening') return this.pollInput | (this.pending.length > 0 ? POLL_IN : 0);
    if (this.state === 'connecting') return 0;
    return this.pollInput | this.pollOutput | (this.state === 'closed' ? POLL.HUP : 0);
  }

  override available(): number {
    return this.state === 'listening' ? -E.INVAL : this.inbox.size;
  }

  /** Programs of the host can connect, too. */
  protected override makeFile(p: Process, path: BytePath, mode: number): number {
    if (this.keepsMessages) return super.makeFile(p, path, mode);
    const opened = this.network.outside.listenPath(path, mode, (connection) => this.arrived(connection));
    if (typeof opened === 'number') return opened;
    this.outside = opened;
    return opened === undefined ? super.makeFile(p, path, mode) : 0;
  }

  protected override close(): number {
    this.outside?.close();
    this.leave(!this.inbox.isEmpty);
    for (const connection of this.pending.splice(0)) connection.abandon();
    return super.close();
  }

  /** No listener will ever accept it. */
  private abandon(): void {
    this.leave(true);
    super.close();
  }

  /** The other end finds us gone; if we left something unread, it hears that, too. */
  private leave(unread: boolean): void {
    const { peer } = this;
    if (peer === undefined || peer.closed) return;
    peer.receiveShut = true;
    peer.sendShut = true;
    if (unread) peer.pendingError = E.CONNRESET;
    peer.wake(0);
  }

  private join(peer: UnixConnection, identity: PeerCredentials | undefined): void {
    this.peer = peer;
    this.peerIdentity = identity;
    this.state = 'connected';
  }

  /** Connects with a new socket that waits to be accepted. */
  private meet(p: Process, listener: UnixConnection): void {
    const accepted = new UnixConnection(this.network, this.kind, listener.creator);
    accepted.options.inherit(listener.options);
    accepted.address = listener.address;
    accepted.join(this, credentialsOf(p));
    this.join(accepted, listener.peerIdentity);
    listener.pending.push(accepted);
    listener.wake(POLL_IN);
  }

  private connectOutside(path: BytePath): number {
    if (this.keepsMessages) return -E.CONNREFUSED;
    if (this.state !== 'closed') return this.state === 'connected' ? -E.ISCONN : -E.INVAL;
    const far = this.farEnd();
    this.state = 'connecting';
    const bridge = new UnixBridge(far, () => this.cross(far), (error) => this.fail(error));
    bridge.open(this.network.outside.connectPath(path, bridge));
    return -E.INPROGRESS;
  }

  private arrived(connection: HostConnection): void {
    const accepted = new UnixConnection(this.network, this.kind, this.creator);
    accepted.options.inherit(this.options);
    accepted.address = this.address;
    const far = this.farEnd();
    accepted.cross(far);
    const bridge = new UnixBridge(far, () => undefined, (error) => accepted.fail(error));
    bridge.open(connection.adopt(bridge));
    if (this.state === 'listening') this.pending.push(accepted);
    else accepted.abandon();
    this.wake(POLL_IN);
    this.network.notify();
  }

  /** The socket that stands for one of the host. */
  private farEnd(): UnixConnection {
    const far = new UnixConnection(this.network, this.kind, NO_CREDENTIALS);
    far.isBridge = true;
    return far;
  }

  private cross(far: UnixConnection): void {
    this.join(far, NO_CREDENTIALS);
    far.join(this, this.creator);
    this.wake(0);
  }

  private fail(error: number): void {
    this.pendingError = error;
    if (this.state === 'connecting') this.state = 'closed';
    else this.receiveShut = this.sendShut = true;
    this.wake(0);
  }

  private receiveNothing(target: Uint8Array): Incoming | number {
    if (this.pendingError !== 0) return -this.takeError();
    if (this.receiveShut || (target.length === 0 && !this.keepsMessages)) return plainIncoming(0);
    return -E.AGAIN;
  }

  private sendBytes(message: Outgoing): number {
    const { bytes, to, files } = message;
    if (to !== undefined) return this.state === 'connected' ? -E.ISCONN : -E.OPNOTSUPP;
    const { peer } = this;
    if (peer === undefined) return -E.NOTCONN;
    if (this.sendShut) return -E.PIPE;
    let done = 0;
    while (done < bytes.length) {
      const problem = this.problem(peer);
      if (problem !== 0) return done > 0 ? done : problem;
      const length = streamChunk(bytes.length - done, this.options.sendBuffer);
      const segment = { bytes: bytes.subarray(done, done + length), ...(done === 0 && files !== undefined ? { files } : {}) };
      this.deliver(peer, message, segment, streamCost(length));
      done += length;
    }
    return done;
  }

  private sendMessage(message: Outgoing): number {
    const { bytes, files } = message;
    if (this.pendingError !== 0) return -this.takeError();
    if (this.state !== 'connected' || this.peer === undefined) return -E.NOTCONN;
    this.nameIfPassing();
    if (bytes.length > this.options.sendBuffer - MESSAGE_OVERHEAD) return -E.MSGSIZE;
    const problem = this.problem(this.peer);
    if (problem !== 0) return problem;
    this.deliver(this.peer, message, { bytes, ...(files === undefined ? {} : { files }) }, datagramCost(bytes.length));
    return bytes.length;
  }

  private problem(peer: UnixSocket): number {
    if (this.pendingError !== 0) return -this.takeError();
    if (this.sendShut || peer.closed || peer.receiveShut) return -E.PIPE;
    return this.hasRoom ? 0 : -E.AGAIN;
  }
}

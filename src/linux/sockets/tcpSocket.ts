/**
 * TCP between sockets of the guest: a connection is two sockets that put bytes into each other's queue. What
 * a program can notice of the protocol is here: who may do what in which state, what a peer's FIN and
 * RST do, which error is reported when. Connecting and listening are in tcpConnecting.ts.
 *
 * `state` is that of the protocol, `stage` that of connect(2): a connection may be there, or have failed, before the
 * program has asked how it went.
 */
import { E } from '../../base/errno.js';
import { POLL } from '../files/fileConstants.js';
import type { Process } from '../process.js';
import { InetSocket } from './inetSocket.js';
import { type Incoming, type Outgoing, plainIncoming } from './message.js';
import type { PortTable } from './portTable.js';
import { ReceiveQueue } from './receiveQueue.js';
import type { SocketAddress } from './socketAddress.js';
import { MSG, POLL_IN, SHUT, SO } from './socketConstants.js';
import type { ConnectionState, SavedStream, StreamState, TcpState } from './streamState.js';
import type { TcpEnd } from './tcpEnd.js';
import { TcpListener } from './tcpListener.js';
import { startConnecting } from './tcpConnecting.js';

const TCP_OUT = POLL.OUT | POLL.WRNORM;

export class TcpSocket extends InetSocket implements TcpEnd, SavedStream {
  state: ConnectionState = 'closed';
  stage: 'none' | 'started' | 'done' = 'none';
  peer: TcpEnd | undefined;
  listener: TcpListener | undefined;
  readonly inbox = new ReceiveQueue(this.network.budget);
  /** The other side has said that it will send no more. */
  private finished = false;
  /** The other side takes no more: what we send is answered by a reset. */
  private peerLeft = false;
  /** shutdown(2) for reading: what comes after our FIN is answered by a reset. */
  private stoppedReading = false;
  /** A byte sent with MSG_OOB. */
  private urgent: number | undefined;

  get connectedWith(): TcpSocket | undefined {
    return this.peer instanceof TcpSocket ? this.peer : undefined;
  }

  get brief(): string {
    return `${this.state} ${this.receiveShut} ${this.sendShut} ${this.pendingError} ${this.finished} ${this.peerLeft} ${this.urgent}`;
  }

  get waiting(): number {
    return this.inbox.size;
  }

  save<Ref>(refer: (socket: SavedStream) => Ref): StreamState<Ref> | undefined {
    const { kind, creator, state, receiveShut, sendShut, pendingError, options, peer } = this;
    if (state === 'connecting' || (peer !== undefined && !(peer instanceof TcpSocket))) return undefined;
    const { pending, backlog } = this.listener?.saved ?? { pending: [], backlog: 0 };
    const { stage, boundIp, localIp, localPort, remote = null, portChosen, portBound, finished, peerLeft, stoppedReading, urgent = null } = this;
    return {
      kind, creator, state, receiveShut, sendShut, pendingError, options: options.saved, backlog, pending: pending.map(refer), peer: peer === undefined ? null : refer(peer),
      tcp: { stage, boundIp, localIp, localPort, remote, portChosen, portBound, finished, peerLeft, stoppedReading, urgent, inet: this.inet.saved, turn: this.ports.next },
    };
  }

  /** It does not listen to the outside any more. */
  fill<Ref>({ state, receiveShut, sendShut, pendingError, options, peer, pending, backlog, tcp }: StreamState<Ref>, resolve: (ref: Ref) => SavedStream): void {
    const { remote, urgent, inet, turn, ...rest } = tcp as TcpState;
    Object.assign(this, { state, receiveShut, sendShut, pendingError, ...rest, remote: remote ?? undefined, urgent: urgent ?? undefined });
    this.options.saved = options;
    this.inet.saved = inet;
    this.ports.next = Math.max(this.ports.next, turn);
    if (this.localPort !== 0) this.ports.add(this, this.localPort);
    this.peer = peer === null ? undefined : (resolve(peer) as TcpSocket);
    if (state !== 'listening') return;
    this.listener = new TcpListener(this, backlog);
    for (const ref of pending) this.listener.addPending(resolve(ref) as TcpSocket);
  }

  put(bytes: Uint8Array): void {
    this.inbox.append(bytes);
  }

  protected override get ports(): PortTable<TcpSocket> {
    return this.network.tcp;
  }

  override get isListening(): boolean {
    return this.state === 'listening';
  }

  /** Whether a process outside may have to do with it. */
  override get isExternal(): boolean {
    return this.listener?.isExternal ?? (this.peer !== undefined && !(this.peer instanceof TcpSocket));
  }

  protected override get mayBind(): boolean {
    return this.state === 'closed';
  }

  override peerName(): SocketAddress | number {
    return this.state === 'connected' && this.remote !== undefined ? this.remote : -E.NOTCONN;
  }

  /** Bytes of a segment, for TCP_MAXSEG: those of the loopback interface. */
  get segmentSize(): number {
    return this.state === 'connected' ? 32_741 : 536;
  }

  override connect(_p: Process, address: SocketAddress): number {
    if (this.stage === 'started') return this.state === 'connecting' ? -E.ALREADY : this.connecting();
    return startConnecting(this, address, (wanted) => this.ownFamily(wanted, false));
  }

  override connecting(): number {
    if (this.state === 'connecting') return -E.AGAIN;
    if (this.state === 'connected') {
      this.stage = 'done';
      return 0;
    }
    const error = this.takeError() || E.CONNABORTED;
    this.disconnect();
    return -error;
  }

  /** Back to where it was before it was connected. */
  disconnect(): void {
    this.peer?.reset();
    this.listener?.close();
    this.listener = undefined;
    this.peer = undefined;
    this.remote = undefined;
    this.inbox.clear();
    this.state = 'closed';
    this.stage = 'none';
    this.receiveShut = this.sendShut = this.finished = this.peerLeft = this.stoppedReading = false;
    this.pendingError = 0;
    if (!this.portBound) this.dropPort();
    else this.localIp = this.boundIp;
  }

  /** Takes a free port for a connection from `ip`. */
  takeSource(ip: typeof this.localIp): number {
    const port = this.localPort === 0 ? this.takePort(0) : this.localPort;
    if (port > 0 && this.localIp === this.anyIp) this.localIp = ip;
    return Math.min(port, 0);
  }

  /** A socket of the same kind and settings, for a connection that came in. */
  sibling(): TcpSocket {
    const socket = new TcpSocket(this.network, this.kind, this.creator);
    socket.options.inherit(this.options);
    socket.inet.inherit(this.inet);
    return socket;
  }

  /** The connection is there. */
  established(peer: TcpEnd): void {
    this.peer = peer;
    this.state = 'connected';
    if (!this.options.sendBufferSet) this.options.sendBuffer = this.network.settings.connectedSendBuffer;
    this.wake(TCP_OUT);
  }

  /** There will be no connection, or no more. */
  fail(error: number): void {
    this.pendingError = error;
    this.ended();
  }

  override listen(_p: Process, backlog: number): number {
    if (this.stage !== 'none' || (this.state !== 'closed' && this.state !== 'listening')) return -E.INVAL;
    if (this.state === 'listening') {
      this.listener?.setBacklog(backlog);
      return 0;
    }
    if (this.localPort === 0) this.takePort(0);
    else if (this.ports.conflicts(this, this.localPort, 'tcp')) return -E.ADDRINUSE;
    const listener = new TcpListener(this, backlog);
    const result = listener.open(this.portChosen);
    if (result < 0) return result;
    this.listener = listener;
    this.state = 'listening';
    return 0;
  }

  override accept(): TcpSocket | number {
    return this.listener === undefined ? -E.INVAL : this.listener.accept();
  }

  override send(message: Outgoing): number {
    if (this.state === 'connecting') return -E.AGAIN;
    if (this.pendingError !== 0 || this.sendShut) return this.sendError();
    if (this.state !== 'connected' || this.peer === undefined) return -E.PIPE;
    const { bytes } = message;
    if (bytes.length === 0) return 0;
    if (this.peerLeft || this.peer.refuses()) {
      // Linux notices only when the reset comes back: this one still seems to go out.
      this.reset();
      return bytes.length;
    }
    const count = Math.min(bytes.length, this.peer.room(this.options.sendBuffer));
    if (count === 0) return -E.AGAIN;
    const urgent = (message.flags & MSG.OOB) !== 0 && count === bytes.length && this.peer instanceof TcpSocket ? this.peer : undefined;
    const plain = bytes.subarray(0, urgent === undefined ? count : count - 1);
    if (plain.length > 0) this.peer.take(plain);
    urgent?.takeUrgent(bytes.subarray(count - 1, count));
    return count;
  }

  override receive(target: Uint8Array, flags: number): Incoming | number {
    // Errors are not kept with the packets that they are about.
    if ((flags & MSG.ERRQUEUE) !== 0) return -E.AGAIN;
    if (this.state === 'listening') return -E.NOTCONN;
    if ((flags & MSG.OOB) !== 0) return this.receiveUrgent(target, (flags & MSG.PEEK) !== 0);
    if (this.inbox.isEmpty || target.length === 0) return this.receiveNothing(target);
    const peek = (flags & MSG.PEEK) !== 0;
    const got = this.inbox.takeBytes(target, { peek, apart: false });
    if (!peek) this.peer?.hasRead();
    return got;
  }

  override shutdown(how: number): number {
    if (this.state === 'listening') {
      if (how !== SHUT.WR) this.disconnect();
      return 0;
    }
    if (this.state === 'connecting') {
      if (how !== SHUT.RD) this.fail(0);
      return 0;
    }
    const known = this.state === 'connected';
    const wasSending = !this.sendShut;
    if (how !== SHUT.WR) this.stoppedReading = true;
    super.shutdown(how);
    if (!known) return -E.NOTCONN;
    if (how !== SHUT.RD && wasSending) {
      this.peer?.finish();
      if (this.finished) this.state = 'closed';
    }
    this.wake(0);
    return 0;
  }

  override poll(): number {
    if (this.listener !== undefined) return this.listener.hasPending ? POLL_IN : 0;
    let events = this.pendingError === 0 ? 0 : POLL.ERR;
    if (this.state === 'closed' || (this.receiveShut && this.sendShut)) events |= POLL.HUP;
    if (this.receiveShut) events |= POLL_IN | POLL.RDHUP;
    if (this.state === 'connecting') return events;
    if (this.inbox.size > 0 && this.inbox.size >= this.options.receiveLowWater) events |= POLL_IN;
    if (this.urgent !== undefined) events |= POLL.PRI;
    return this.sendShut || this.maySend ? events | TCP_OUT : events;
  }

  override available(): number {
    return this.state === 'listening' ? -E.INVAL : this.inbox.size;
  }

  // What the other end does to us.

  room(sendBuffer: number): number {
    return Math.max(0, sendBuffer + this.options.receiveBuffer - this.inbox.size);
  }

  isWritable(sendBuffer: number): boolean {
    return this.room(sendBuffer) * 3 >= sendBuffer;
  }

  refuses(): boolean {
    return this.stoppedReading && this.sendShut;
  }

  take(bytes: Uint8Array): void {
    this.inbox.append(bytes);
    this.wake(POLL_IN);
  }

  finish(): void {
    this.finished = true;
    this.receiveShut = true;
    if (this.sendShut) this.state = 'closed';
    this.wake(POLL_IN | POLL.RDHUP);
  }

  reset(): void {
    if (this.state === 'closed') return;
    this.pendingError = this.finished && !this.sendShut ? E.PIPE : E.CONNRESET;
    this.ended();
  }

  left(): void {
    this.peerLeft = true;
  }

  hasRead(): void {
    if (this.maySend) this.wake(TCP_OUT);
  }

  protected override close(): number {
    this.leave();
    if (this.localPort !== 0) this.dropPort();
    return 0;
  }

  /** The last descriptor is gone, or there never was one. */
  leave(): void {
    this.listener?.close();
    const { peer, options } = this;
    const unread = !this.inbox.isEmpty;
    if (peer !== undefined && (this.state === 'connected' || this.state === 'connecting')) {
      if (unread || (options.linger.on && options.linger.seconds === 0)) peer.reset();
      else {
        if (!this.sendShut) peer.finish();
        peer.left();
      }
    } else if (peer !== undefined) {
      peer.left();
    }
    this.state = 'closed';
    this.inbox.clear();
  }

  private ended(): void {
    this.state = 'closed';
    this.receiveShut = this.sendShut = true;
    this.wake(0);
  }

  private get maySend(): boolean {
    return this.peer === undefined || this.peer.isWritable(this.options.sendBuffer);
  }

  /** An error that came in goes first; sending after it, or after shutdown, is a broken pipe. */
  private sendError(): number {
    return -(this.takeError() || E.PIPE);
  }

  private receiveNothing(target: Uint8Array): Incoming | number {
    if (this.finished) return plainIncoming(0);
    if (this.pendingError !== 0) return -this.takeError();
    if (this.receiveShut) return plainIncoming(0);
    if (this.state === 'closed') return -E.NOTCONN;
    return target.length === 0 && !this.inbox.isEmpty ? plainIncoming(0) : -E.AGAIN;
  }

  private takeUrgent(byte: Uint8Array): void {
    if (this.options.flag(SO.OOBINLINE)) this.inbox.append(byte);
    else this.urgent = byte[0];
    this.wake(POLL.PRI | POLL_IN);
  }

  private receiveUrgent(target: Uint8Array, peek: boolean): Incoming | number {
    if (this.urgent === undefined || this.options.flag(SO.OOBINLINE)) return -E.INVAL;
    if (target.length > 0) target[0] = this.urgent;
    if (!peek) this.urgent = undefined;
    return plainIncoming(Math.min(1, target.length));
  }
}

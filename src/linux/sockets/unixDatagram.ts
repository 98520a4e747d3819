/** Unix datagram sockets. */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import { datagramCost } from './bufferCosts.js';
import { type Incoming, type Outgoing, plainIncoming, type PeerCredentials } from './message.js';
import type { Network } from './network.js';
import type { SocketKind } from './socket.js';
import { type SocketAddress, UNNAMED } from './socketAddress.js';
import { AF, MSG } from './socketConstants.js';
import { UnixSocket } from './unixSocket.js';

/** What a message may be smaller than its sender's buffer. */
const MESSAGE_OVERHEAD = 32;

export class UnixDatagram extends UnixSocket {
  static pair(network: Network, kind: SocketKind, creator: PeerCredentials, flags: number): [UnixDatagram, UnixDatagram] {
    const [one, other] = [new UnixDatagram(network, kind, creator, flags), new UnixDatagram(network, kind, creator, flags)];
    [one.peer, other.peer] = [other, one];
    [one.peerIdentity, other.peerIdentity] = [creator, creator];
    return [one, other];
  }

  override get keepsMessages(): boolean {
    return true;
  }

  override connect(p: Process, address: SocketAddress): number {
    if (address.family === 'other' && address.number === AF.UNSPEC) return this.disconnect(undefined);
    if (address.family !== AF.UNIX || address.name === '') return -E.INVAL;
    this.nameIfPassing();
    const found = this.find(p, address);
    if (typeof found === 'number') return found;
    if (!(found instanceof UnixDatagram)) return -E.CONNREFUSED;
    if (!this.maySendTo(found)) return -E.PERM;
    return this.disconnect(found);
  }

  override send(message: Outgoing): number {
    if ((message.flags & MSG.OOB) !== 0) return -E.OPNOTSUPP;
    const { bytes, files } = message;
    const target = this.target(message);
    if (typeof target === 'number') return target;
    this.nameIfPassing();
    if (bytes.length > this.options.sendBuffer - MESSAGE_OVERHEAD) return -E.MSGSIZE;
    if (this.pendingError !== 0) return -this.takeError();
    if (this.sendShut) return -E.PIPE;
    if (!this.hasRoom) return -E.AGAIN;
    if (target.closed) return this.refused(target);
    if (!this.maySendTo(target)) return -E.PERM;
    if (target.receiveShut) return -E.PIPE;
    if (target.isFullFor(this)) return -E.AGAIN;
    const from = this.address === UNNAMED ? {} : { from: this.address };
    const segment = { bytes, ...from, ...(files === undefined ? {} : { files }) };
    this.deliver(target, message, segment, datagramCost(bytes.length));
    return bytes.length;
  }

  override receive(target: Uint8Array, flags: number): Incoming | number {
    if ((flags & MSG.OOB) !== 0) return -E.OPNOTSUPP;
    const message = this.inbox.takeMessage(target, (flags & MSG.PEEK) !== 0);
    if (message !== undefined) return message;
    if (this.pendingError !== 0) return -this.takeError();
    return this.receiveShut && (flags & MSG.DONTWAIT) === 0 && !this.nonBlocking ? plainIncoming(0) : -E.AGAIN;
  }

  override poll(): number {
    const stuck = this.peer instanceof UnixDatagram && this.peer.isFullFor(this);
    return this.pollInput | (stuck ? 0 : this.pollOutput);
  }

  override available(): number {
    return this.inbox.firstLength;
  }

  protected override close(): number {
    const result = super.close();
    if (this.peer instanceof UnixDatagram && this.peer.peer === this) this.peer.wake(0);
    return result;
  }

  /** Sockets other than its own peer find the queue of a socket full after a few messages. */
  private isFullFor(sender: UnixDatagram): boolean {
    return this !== sender && this.peer !== sender && this.inbox.count > this.network.settings.unixQueueLength;
  }

  private target({ to, sender }: Outgoing): UnixDatagram | number {
    if (to === undefined || sender === undefined) return this.peer instanceof UnixDatagram ? this.peer : -E.NOTCONN;
    if (to.family !== AF.UNIX || to.name === '') return -E.INVAL;
    const found = this.find(sender, to);
    if (typeof found === 'number') return found;
    return found instanceof UnixDatagram ? found : -E.CONNREFUSED;
  }

  private maySendTo(other: UnixSocket): boolean {
    return other.peer === undefined || other.peer === this;
  }

  private refused(target: UnixDatagram): number {
    if (this.peer === target) this.disconnect(undefined);
    return -E.CONNREFUSED;
  }

  /** Takes another peer or none; what the old one sent is gone, and it hears of it. */
  private disconnect(next: UnixDatagram | undefined): number {
    const { peer } = this;
    this.peer = next;
    if (peer === undefined || peer === next) return 0;
    this.inbox.clear();
    if (!peer.closed && peer.peer === this) {
      peer.pendingError = E.CONNRESET;
      peer.wake(0);
    }
    return 0;
  }
}

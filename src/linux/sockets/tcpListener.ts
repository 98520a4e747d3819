/**
 * A TCP socket that listens. Connections are complete before they are accepted; when as many wait as the
 * backlog allows, further ones have to knock until there is room, as a SYN that is not answered is sent again.
 *
 * The port is also open on the host, so that programs outside the guest can connect.
 */
import { E } from '../../base/errno.js';
import type { HostConnection, HostListener } from '../../host/hostNetwork.js';
import { type IpAddress, ipFromText } from './ipAddress.js';
import { OutsideEnd } from './outsideEnd.js';
import { POLL_IN } from './socketConstants.js';
import type { TcpEnd } from './tcpEnd.js';
import type { TcpSocket } from './tcpSocket.js';

interface Knocking {
  /** Connects the one who knocks with the new socket. */
  enter(accepted: TcpSocket): TcpEnd;
  readonly localIp: IpAddress;
  readonly remoteIp: IpAddress;
  readonly remotePort: number;
  /** Who knocks, if it is one of us. */
  readonly socket?: TcpSocket;
}

export class TcpListener {
  private readonly pending: TcpSocket[] = [];
  private knocking: Knocking[] = [];
  private outside: HostListener | undefined;
  private backlog: number;

  constructor(
    private readonly socket: TcpSocket,
    backlog: number,
  ) {
    this.backlog = backlog;
  }

  get isExternal(): boolean {
    return this.outside !== undefined;
  }

  get hasPending(): boolean {
    return this.pending.length > 0;
  }

  /** Connections that no call has accepted yet, and how many there may be. */
  get saved(): { readonly pending: readonly TcpSocket[]; readonly backlog: number } {
    return { pending: this.pending, backlog: this.backlog };
  }

  /** One that came before. */
  addPending(accepted: TcpSocket): void {
    this.pending.push(accepted);
  }

  setBacklog(backlog: number): void {
    this.backlog = backlog;
    this.letIn();
  }

  /** Listens on the host, too. A port that was not chosen is only ours if it is taken there. */
  open(portChosen: boolean): number {
    const { network, boundIp, localPort, ipv6Only, reusePort } = this.socket;
    const opened = network.outside.listen({ address: boundIp, port: localPort }, ipv6Only, (connection) => this.arrived(connection));
    if (typeof opened !== 'number') this.outside = opened;
    else if (portChosen && !reusePort && !this.sharesPort()) return opened;
    return 0;
  }

  /** Another socket of the guest wants to connect to us at `ip`. */
  knock(client: TcpSocket, ip: IpAddress): void {
    this.add({
      socket: client, localIp: ip, remoteIp: client.localIp, remotePort: client.localPort,
      enter: (accepted) => {
        client.established(accepted);
        return client;
      },
    });
  }

  accept(): TcpSocket | number {
    const accepted = this.pending.shift();
    if (accepted === undefined) return -E.AGAIN;
    this.letIn();
    return accepted;
  }

  close(): void {
    this.outside?.close();
    for (const { socket } of this.knocking.splice(0)) socket?.fail(E.CONNREFUSED);
    for (const accepted of this.pending.splice(0)) accepted.disconnect();
  }

  private sharesPort(): boolean {
    for (const holder of this.socket.network.tcp.holders(this.socket.localPort)) if (holder !== this.socket) return true;
    return false;
  }

  private arrived(connection: HostConnection): void {
    const { local, remote } = connection;
    this.add({
      localIp: ipFromText(local.address), remoteIp: ipFromText(remote.address), remotePort: remote.port,
      enter: (accepted) => {
        const end = new OutsideEnd(accepted);
        end.adopt(connection);
        return end;
      },
    });
    this.socket.network.notify();
  }

  private add(knocking: Knocking): void {
    this.knocking.push(knocking);
    this.letIn();
  }

  private letIn(): void {
    while (this.pending.length <= this.backlog) {
      const next = this.knocking.shift();
      if (next === undefined) return;
      // Peers that have given up meanwhile.
      if (next.socket !== undefined && next.socket.state !== 'connecting') continue;
      this.pending.push(this.welcome(next));
      this.socket.wake(POLL_IN);
    }
  }

  private welcome({ enter, localIp, remoteIp, remotePort }: Knocking): TcpSocket {
    const { network, localPort } = this.socket;
    const accepted = this.socket.sibling();
    accepted.boundIp = localIp;
    accepted.localIp = localIp;
    accepted.localPort = localPort;
    accepted.remote = accepted.addressOf(remoteIp, remotePort);
    accepted.stage = 'done';
    network.tcp.add(accepted, localPort);
    accepted.established(enter(accepted));
    return accepted;
  }
}

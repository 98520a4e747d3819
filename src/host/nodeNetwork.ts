/** The host's network, through Node. Interfaces and ports in use are read where Linux shows them. */
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import { E } from '../base/errno.js';
import { type BytePath, bytesOfBytePath, textOfBytePath } from '../base/bytePath.js';
import type {
  HostConnection, HostDatagramEvents, HostDatagramOptions, HostDatagrams, HostEndpoint, HostInterface, HostListener, HostNetwork,
  HostStream, HostStreamEvents,
} from './hostNetwork.js';
import { NodeDatagrams } from './nodeDatagrams.js';
import { listenAtPath } from './nodeSocketFile.js';
import { endpoint, NodeStream } from './nodeStream.js';

const LISTENING = '0A';
const BACKLOG = 511;
const IPV6_ONLY = 1;

/**
 * Node's own way from an address to a bound handle; not in its types, but it answers at once, which `listen` does not.
 */
type CreateServerHandle = (address: string, port: number, family: 4 | 6, fd?: number, flags?: number) => object | number;
const createServerHandle = (net as unknown as { _createServerHandle: CreateServerHandle })._createServerHandle;

export class NodeNetwork implements HostNetwork {
  interfaces(): readonly HostInterface[] {
    return Object.entries(os.networkInterfaces()).map(([name, addresses = []]) => ({
      name,
      index: Number(readText(`/sys/class/net/${name}/ifindex`)) || 1,
      mtu: Number(readText(`/sys/class/net/${name}/mtu`)) || 1500,
      hardware: addresses[0]?.mac ?? '00:00:00:00:00:00',
      loopback: addresses[0]?.internal ?? false,
      addresses: addresses.map((one) => ({
        family: one.family === 'IPv4' ? (4 as const) : (6 as const),
        address: one.address,
        prefix: Number(one.cidr?.split('/')[1] ?? 0),
        scope: one.family === 'IPv6' ? one.scopeid : 0,
      })),
    }));
  }

  isTaken(protocol: 'tcp' | 'udp', address: string, port: number): boolean {
    const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    const inUse = [...socketLines(protocol), ...socketLines(`${protocol}6`)]
      .filter(([local, state]) => local.endsWith(suffix) && (protocol === 'udp' || state === LISTENING))
      .map(([local]) => local.slice(0, -suffix.length));
    return inUse.some((bound) => overlaps(bound, address));
  }

  connect(to: HostEndpoint, events: HostStreamEvents): HostStream {
    const socket = net.connect({ host: to.address, port: to.port, allowHalfOpen: true });
    return new NodeStream(socket).tell(events);
  }

  connectPath(path: BytePath, events: HostStreamEvents): HostStream {
    return new NodeStream(net.connect({ path: textOfBytePath(path), allowHalfOpen: true })).tell(events);
  }

  listenPath(path: BytePath, mode: number, arrived: (connection: HostConnection) => void): HostListener | number {
    const server = serverFor(arrived);
    const result = listenAtPath(server, Buffer.from(bytesOfBytePath(path)), mode);
    return result < 0 ? result : { close: () => server.close() };
  }

  listen(at: HostEndpoint, ipv6Only: boolean, arrived: (connection: HostConnection) => void): HostListener | number {
    const handle = createServerHandle(at.address, at.port, at.address.includes(':') ? 6 : 4, undefined, ipv6Only ? IPV6_ONLY : 0);
    if (typeof handle === 'number') return handle;
    const server = serverFor(arrived);
    server.listen(handle, BACKLOG);
    // The port is found to be taken only now; the error itself comes later.
    if (!server.listening) return -E.ADDRINUSE;
    server.unref();
    return { close: () => server.close() };
  }

  datagrams(at: HostEndpoint, options: HostDatagramOptions, events: HostDatagramEvents): HostDatagrams | number {
    return NodeDatagrams.open(at, options, events);
  }
}

function serverFor(arrived: (connection: HostConnection) => void): net.Server {
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    const stream = new NodeStream(socket);
    socket.pause();
    arrived({
      local: endpoint(socket.localAddress, socket.localPort),
      remote: endpoint(socket.remoteAddress, socket.remotePort),
      adopt: (events) => {
        stream.tell(events);
        stream.resume();
        return stream;
      },
    });
  });
  return server.on('error', () => undefined);
}

function readText(path: string): string {
  try {
    return fs.readFileSync(path, 'latin1').trim();
  } catch {
    return '';
  }
}

/** Local address and state of the sockets in /proc/net. */
function socketLines(name: string): (readonly [string, string])[] {
  return readText(`/proc/net/${name}`).split('\n').slice(1).map((line) => {
    const [, local = '', , state = ''] = line.trim().split(/\s+/);
    return [local, state] as const;
  });
}

/** Whether a socket that is bound to `bound` (hexadecimal, as /proc/net has it) is in the way of `address`. */
function overlaps(bound: string, address: string): boolean {
  const any = /^0+$/.test(bound);
  const wantsAny = address === '0.0.0.0' || address === '::';
  if (any) return bound.length === 32 || !address.includes(':');
  if (wantsAny) return address === '::' || bound.length === 8;
  return bound === hexOf(address);
}

/** As /proc/net writes addresses: words of four bytes, the last byte first. */
function hexOf(address: string): string {
  if (net.isIPv4(address)) return reversed(address.split('.').map((part) => Number(part).toString(16).padStart(2, '0')).join(''));
  const [head = '', tail = ''] = address.split('::');
  const words = (text: string): string[] => text.split(':').filter((word) => word !== '').map((word) => word.padStart(4, '0'));
  const [before, after] = [words(head), words(tail)];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0000');
  const digits = [...before, ...zeros, ...after].join('');
  return [0, 8, 16, 24].map((at) => reversed(digits.slice(at, at + 8))).join('');
}

function reversed(digits: string): string {
  return (digits.match(/../g) ?? []).reverse().join('').toUpperCase();
}

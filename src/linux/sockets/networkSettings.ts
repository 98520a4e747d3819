/** What the host's kernel is set to (/proc/sys/net): programs read it back through socket options. */
import { bytePath, bytePathFromBytes } from '../../base/bytePath.js';
import type { HostFd, HostFiles } from '../../host/host.js';

export interface NetworkSettings {
  readonly sendBuffer: number;
  readonly receiveBuffer: number;
  readonly largestSendBuffer: number;
  readonly largestReceiveBuffer: number;
  readonly tcpSendBuffer: number;
  readonly tcpReceiveBuffer: number;
  /** What SO_SNDBUF of a connection over loopback says: Linux makes it larger by itself. */
  readonly connectedSendBuffer: number;
  /** The most connections that wait to be accepted. */
  readonly longestBacklog: number;
  /** Datagrams that a Unix socket holds for others than its peer. */
  readonly unixQueueLength: number;
  readonly firstEphemeralPort: number;
  readonly lastEphemeralPort: number;
  readonly firstUnprivilegedPort: number;
  readonly congestionControl: string;
  readonly ipv6Only: boolean;
}

const LARGEST_TEXT = 256;

export function readNetworkSettings(files: HostFiles): NetworkSettings {
  const words = (name: string): string[] => readWords(files, `/proc/sys/net/${name}`);
  const number = (name: string, otherwise: number, index = 0): number => {
    const word = words(name)[index];
    return word === undefined || !/^\d+$/.test(word) ? otherwise : Number(word);
  };
  const congestionControl = words('ipv4/tcp_congestion_control')[0] ?? 'cubic';
  return {
    sendBuffer: number('core/wmem_default', 212_992),
    receiveBuffer: number('core/rmem_default', 212_992),
    largestSendBuffer: number('core/wmem_max', 212_992),
    largestReceiveBuffer: number('core/rmem_max', 212_992),
    tcpSendBuffer: number('ipv4/tcp_wmem', 16_384, 1),
    tcpReceiveBuffer: number('ipv4/tcp_rmem', 131_072, 1),
    longestBacklog: number('core/somaxconn', 4096),
    unixQueueLength: number('unix/max_dgram_qlen', 10),
    firstEphemeralPort: number('ipv4/ip_local_port_range', 32_768, 0),
    lastEphemeralPort: number('ipv4/ip_local_port_range', 60_999, 1),
    firstUnprivilegedPort: number('ipv4/ip_unprivileged_port_start', 1024),
    congestionControl,
    connectedSendBuffer: congestionControl === 'bbr' ? 3_939_840 : 2_626_560,
    ipv6Only: number('ipv6/bindv6only', 0) !== 0,
  };
}

function readWords(files: HostFiles, path: string): string[] {
  const fd = files.open(bytePath(path), 0, 0);
  if (fd < 0) return [];
  const buffer = new Uint8Array(LARGEST_TEXT);
  const count = files.read(fd as HostFd, buffer);
  files.close(fd as HostFd);
  return bytePathFromBytes(buffer.subarray(0, Math.max(0, count))).trim().split(/\s+/).filter((word) => word !== '');
}

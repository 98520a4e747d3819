/**
 * Options of the levels IP, IPV6, TCP and UDP. Programs set them and read them back; few change anything
 * while packets never leave memory. The tables give what Linux answers before anybody sets anything.
 */
import { E } from '../../base/errno.js';
import type { NetworkSettings } from './networkSettings.js';
import type { SocketKind } from './socket.js';
import { AF, IPPROTO } from './socketConstants.js';
import type { TcpState } from './streamState.js';

export const IP = {
  TOS: 1, TTL: 2, HDRINCL: 3, OPTIONS: 4, ROUTER_ALERT: 5, RECVOPTS: 6, RETOPTS: 7, PKTINFO: 8, PKTOPTIONS: 9, MTU_DISCOVER: 10,
  RECVERR: 11, RECVTTL: 12, RECVTOS: 13, MTU: 14, FREEBIND: 15, TRANSPARENT: 19, BIND_ADDRESS_NO_PORT: 24, MULTICAST_IF: 32,
  MULTICAST_TTL: 33, MULTICAST_LOOP: 34, ADD_MEMBERSHIP: 35, DROP_MEMBERSHIP: 36, MULTICAST_ALL: 49, UNICAST_IF: 50,
} as const;

export const IPV6 = {
  UNICAST_HOPS: 16, MULTICAST_IF: 17, MULTICAST_HOPS: 18, MULTICAST_LOOP: 19, ADD_MEMBERSHIP: 20, DROP_MEMBERSHIP: 21, MTU_DISCOVER: 23,
  MTU: 24, RECVERR: 25, V6ONLY: 26, MULTICAST_ALL: 29, RECVPKTINFO: 49, PKTINFO: 50, RECVHOPLIMIT: 51, HOPLIMIT: 52, RECVTCLASS: 66,
  TCLASS: 67, FREEBIND: 78, TRANSPARENT: 75,
} as const;

export const TCP = {
  NODELAY: 1, MAXSEG: 2, CORK: 3, KEEPIDLE: 4, KEEPINTVL: 5, KEEPCNT: 6, SYNCNT: 7, LINGER2: 8, DEFER_ACCEPT: 9, WINDOW_CLAMP: 10,
  INFO: 11, QUICKACK: 12, CONGESTION: 13, USER_TIMEOUT: 18, FASTOPEN: 23, TIMESTAMP: 24, NOTSENT_LOWAT: 25, FASTOPEN_CONNECT: 30,
} as const;

interface Option {
  readonly initial: number;
  /** Smallest and largest value; -EINVAL beyond. */
  readonly range?: readonly [number, number];
  readonly kind?: 'flag' | 'readonly' | 'unconnected';
  /** What is kept of a value. */
  keep?(value: number): number;
}

type Table = Readonly<Record<number, Option>>;

/** The longest time between two SYNs, in seconds. */
const LONGEST_RETRY = 120;
const MOST_RETRIES = 255;
const LONGEST_FIN_TIMEOUT = 120;
const SMALLEST_SEGMENT = 88;

/** Linux counts in retries, which come at doubling intervals: the time of the first one that is late enough. */
function retryTime(seconds: number): number {
  if (seconds <= 0) return 0;
  let [interval, total] = [1, 1];
  for (let retries = 1; total < seconds && retries < MOST_RETRIES; retries++) {
    interval = Math.min(interval * 2, LONGEST_RETRY);
    total += interval;
  }
  return total;
}

const FLAG: Option = { initial: 0, kind: 'flag' };
const FLAG_ON: Option = { initial: 1, kind: 'flag' };
/** Readable only of a connected socket. */
const UNCONNECTED: Option = { initial: 0, kind: 'unconnected' };

const IP_OPTIONS: Table = {
  [IP.TOS]: { initial: 0, keep: (value) => value & 0xff }, [IP.TTL]: { initial: 64, range: [-1, 255] }, [IP.HDRINCL]: FLAG, [IP.ROUTER_ALERT]: FLAG, [IP.RECVOPTS]: FLAG,
  [IP.RETOPTS]: FLAG, [IP.PKTINFO]: FLAG, [IP.MTU_DISCOVER]: { initial: 1, range: [0, 5] }, [IP.RECVERR]: FLAG,
  [IP.RECVTTL]: FLAG, [IP.RECVTOS]: FLAG, [IP.MTU]: UNCONNECTED, [IP.FREEBIND]: FLAG, [IP.TRANSPARENT]: FLAG, 20: FLAG, 21: { initial: 0 },
  22: FLAG, 23: FLAG, [IP.BIND_ADDRESS_NO_PORT]: FLAG, 25: FLAG, 26: FLAG, [IP.MULTICAST_TTL]: { initial: 1, range: [-1, 255] },
  [IP.MULTICAST_LOOP]: FLAG_ON, [IP.MULTICAST_ALL]: FLAG_ON, [IP.UNICAST_IF]: { initial: 0 }, 51: { initial: 0 }, 52: { initial: 0 },
};

const IPV6_OPTIONS: Table = {
  2: FLAG, 3: FLAG, 4: FLAG, 5: FLAG, 8: FLAG, 11: FLAG, [IPV6.UNICAST_HOPS]: { initial: 64, range: [-1, 255] }, [IPV6.MULTICAST_IF]: { initial: 0 },
  [IPV6.MULTICAST_HOPS]: { initial: 1, range: [-1, 255] }, [IPV6.MULTICAST_LOOP]: { initial: 1, range: [0, 1] }, 22: FLAG,
  [IPV6.MTU_DISCOVER]: { initial: 1, range: [0, 5] }, [IPV6.MTU]: UNCONNECTED, [IPV6.RECVERR]: FLAG, [IPV6.V6ONLY]: FLAG,
  [IPV6.MULTICAST_ALL]: FLAG_ON, 30: FLAG, 31: FLAG, 33: FLAG, [IPV6.RECVPKTINFO]: FLAG, [IPV6.RECVHOPLIMIT]: FLAG, 53: FLAG, 56: FLAG, 58: FLAG,
  60: FLAG, 62: { initial: 0 }, [IPV6.RECVTCLASS]: FLAG, [IPV6.TCLASS]: { initial: 0, range: [-1, 255] }, 70: FLAG_ON, 72: { initial: 1280 },
  73: { initial: 0 }, 74: FLAG, [IPV6.TRANSPARENT]: FLAG, 76: { initial: 0 }, 77: FLAG, [IPV6.FREEBIND]: FLAG,
};

const TCP_OPTIONS: Table = {
  [TCP.NODELAY]: FLAG, [TCP.MAXSEG]: { initial: 536, range: [0, 32_767], keep: (value) => value || 536 }, [TCP.CORK]: FLAG, [TCP.KEEPIDLE]: { initial: 7200, range: [1, 32_767] },
  [TCP.KEEPINTVL]: { initial: 75, range: [1, 32_767] }, [TCP.KEEPCNT]: { initial: 9, range: [1, 127] }, [TCP.SYNCNT]: { initial: 6, range: [1, 127] },
  [TCP.LINGER2]: { initial: 60, keep: (value) => (value < 0 ? -1 : Math.min(value, LONGEST_FIN_TIMEOUT) || 60) }, [TCP.DEFER_ACCEPT]: { initial: 0, keep: retryTime }, [TCP.WINDOW_CLAMP]: { initial: 0 }, [TCP.QUICKACK]: FLAG_ON,
  16: FLAG, 17: FLAG, [TCP.USER_TIMEOUT]: { initial: 0, range: [0, 0x7fff_ffff] }, 19: { initial: 0, kind: 'readonly' }, [TCP.FASTOPEN]: { initial: 0, range: [0, Infinity] },
  [TCP.NOTSENT_LOWAT]: { initial: 0 }, 27: FLAG, [TCP.FASTOPEN_CONNECT]: FLAG, 34: FLAG, 36: { initial: 0 }, 37: { initial: 0 },
};

const UDP_OPTIONS: Table = { 1: FLAG, 10: FLAG, 11: FLAG, 100: { initial: 0 }, 101: FLAG, 102: FLAG, 103: { initial: 0, range: [0, 65_535] }, 104: FLAG };

export class InetOptions {
  private readonly values = new Map<string, number>();
  congestionControl: string;

  constructor(
    private readonly kind: SocketKind,
    private readonly settings: NetworkSettings,
  ) {
    this.congestionControl = settings.congestionControl;
    if (kind.family === AF.INET6) this.values.set(`${IPPROTO.IP}:${IP.MULTICAST_ALL}`, 0);
    if (settings.ipv6Only) this.values.set(`${IPPROTO.IPV6}:${IPV6.V6ONLY}`, 1);
  }

  get ipv6Only(): boolean {
    return this.get(IPPROTO.IPV6, IPV6.V6ONLY) === 1;
  }

  /** Whether bind(2) takes addresses that are not ours. */
  get mayBindAnywhere(): boolean {
    return [IP.FREEBIND, IP.TRANSPARENT].some((option) => this.get(IPPROTO.IP, option) === 1) || this.get(IPPROTO.IPV6, IPV6.FREEBIND) === 1;
  }

  flag(level: number, option: number): boolean {
    return (this.get(level, option) ?? 0) !== 0;
  }

  hasLevel(level: number): boolean {
    return this.table(level) !== undefined;
  }

  /** A number that is set or was so at first; undefined if there is no such option. */
  get(level: number, option: number, connected = true): number | undefined {
    const entry = this.table(level)?.[option];
    if (entry === undefined) return undefined;
    if (entry.kind === 'unconnected') return connected ? 65_536 : -E.NOTCONN;
    return this.values.get(`${level}:${option}`) ?? entry.initial;
  }

  set(level: number, option: number, value: number): number {
    const entry = this.table(level)?.[option];
    if (entry === undefined || entry.kind === 'readonly' || entry.kind === 'unconnected') return -E.NOPROTOOPT;
    const [smallest, largest] = entry.range ?? [-Infinity, Infinity];
    if (value < smallest || value > largest) return -E.INVAL;
    if (level === IPPROTO.TCP && option === TCP.MAXSEG && value > 0 && value < SMALLEST_SEGMENT) return -E.INVAL;
    this.values.set(`${level}:${option}`, this.kept(entry, option, value));
    return 0;
  }

  private kept(entry: Option, option: number, value: number): number {
    if (entry.kind === 'flag') return Number(value !== 0);
    if (value === -1 && entry.range?.[0] === -1) return entry.initial;
    if (entry === TCP_OPTIONS[TCP.FASTOPEN] && option === TCP.FASTOPEN) return Math.min(value, this.settings.longestBacklog);
    return entry.keep?.(value) ?? value;
  }

  get saved(): TcpState['inet'] {
    return { values: [...this.values], congestionControl: this.congestionControl };
  }

  set saved({ values, congestionControl }: TcpState['inet']) {
    for (const [key, value] of values) this.values.set(key, value);
    this.congestionControl = congestionControl;
  }

  inherit(from: InetOptions): void {
    for (const [key, value] of from.values) this.values.set(key, value);
    this.congestionControl = from.congestionControl;
  }

  private table(level: number): Table | undefined {
    const { family, protocol } = this.kind;
    switch (level) {
      case IPPROTO.IP:
        return IP_OPTIONS;
      case IPPROTO.IPV6:
        return family === AF.INET6 ? IPV6_OPTIONS : undefined;
      case IPPROTO.TCP:
        return protocol === IPPROTO.TCP ? TCP_OPTIONS : undefined;
      case IPPROTO.UDP:
        return protocol === IPPROTO.UDP ? UDP_OPTIONS : undefined;
      default:
        return undefined;
    }
  }
}

/**
 * The options of level SOL_SOCKET that are numbers: what they are at first, what setting them makes of the
 * value, and who may. Those with a structure or a meaning of their own are in optionCalls.ts.
 */
import { E } from '../../base/errno.js';
import type { NetworkSettings } from './networkSettings.js';
import type { SocketKind } from './socket.js';
import { AF, IPPROTO, SO, SOCK } from './socketConstants.js';
import type { OptionState } from './streamState.js';

/** Timeouts of blocking calls in nanoseconds; Infinity is none. */
interface SocketTimeouts {
  receive: number;
  send: number;
}

interface Linger {
  readonly on: boolean;
  readonly seconds: number;
}

const SMALLEST_SEND_BUFFER = 4608;
const SMALLEST_RECEIVE_BUFFER = 2304;
const LARGEST_INT = 0x7fff_ffff;

type Rule = 'flag' | 'number' | 'privileged' | 'readonly';

/** Options that are plain numbers to us, by what setting them takes. */
const RULES = new Map<number, Rule>([
  [SO.DEBUG, 'flag'], [SO.REUSEADDR, 'flag'], [SO.DONTROUTE, 'flag'], [SO.BROADCAST, 'flag'], [SO.KEEPALIVE, 'flag'],
  [SO.OOBINLINE, 'flag'], [SO.NO_CHECK, 'flag'], [SO.REUSEPORT, 'flag'], [SO.PRIORITY, 'number'],
  [SO.TIMESTAMP, 'flag'], [SO.TIMESTAMPNS, 'flag'], [SO.TIMESTAMP_NEW, 'flag'], [SO.TIMESTAMPNS_NEW, 'flag'],
  [SO.MARK, 'privileged'], [SO.RXQ_OVFL, 'flag'], [SO.WIFI_STATUS, 'flag'], [SO.NOFCS, 'flag'], [SO.LOCK_FILTER, 'flag'],
  [SO.SELECT_ERR_QUEUE, 'flag'], [SO.BUSY_POLL, 'privileged'], [SO.INCOMING_CPU, 'number'], [SO.PREFER_BUSY_POLL, 'privileged'],
  [SO.BUF_LOCK, 'number'], [SO.RCVMARK, 'flag'], [SO.RCVPRIORITY, 'flag'], [SO.SNDLOWAT, 'readonly'],
  [SO.BPF_EXTENSIONS, 'readonly'], [SO.BINDTOIFINDEX, 'number'], [SO.INCOMING_NAPI_ID, 'readonly'], [SO.ZEROCOPY, 'flag'], [SO.RESERVE_MEM, 'number'],
]);
/** Options of Unix sockets only. */
const UNIX_RULES = new Map<number, Rule>([
  [SO.PASSCRED, 'flag'], [SO.PASSSEC, 'flag'], [SO.PASSPIDFD, 'flag'], [SO.PASSRIGHTS, 'flag'],
]);
/** Those that are not 0 at first. */
const INITIAL = new Map<number, number>([
  [SO.SNDLOWAT, 1], [SO.PEEK_OFF, -1], [SO.BPF_EXTENSIONS, 64], [SO.INCOMING_CPU, -1], [SO.PASSRIGHTS, 1], [SO.TXREHASH, 1],
]);

export class SocketOptions {
  private readonly values = new Map<number, number>();
  readonly timeouts: SocketTimeouts = { receive: Infinity, send: Infinity };
  linger: Linger = { on: false, seconds: 0 };
  receiveLowWater = 1;
  sendBuffer: number;
  receiveBuffer: number;
  /** Whether the program has chosen it: then it stays as it is. */
  sendBufferSet = false;

  constructor(
    private readonly kind: SocketKind,
    private readonly settings: NetworkSettings,
  ) {
    const tcp = isTcp(kind);
    this.sendBuffer = tcp ? settings.tcpSendBuffer : settings.sendBuffer;
    this.receiveBuffer = tcp ? settings.tcpReceiveBuffer : settings.receiveBuffer;
  }

  flag(option: number): boolean {
    return this.get(option) !== 0;
  }

  /** The value of a plain number; undefined if there is no such option, -EOPNOTSUPP if others have it. */
  number(option: number): number | undefined {
    if (option === SO.RCVLOWAT) return this.receiveLowWater;
    if (option === SO.SNDBUF) return this.sendBuffer;
    if (option === SO.RCVBUF) return this.receiveBuffer;
    if (option === SO.BSDCOMPAT) return 0;
    if (this.isForOthers(option)) return -E.OPNOTSUPP;
    if (option !== SO.PEEK_OFF && option !== SO.TXREHASH && this.rule(option) === undefined) return undefined;
    return this.get(option);
  }

  /** Sets a plain number; undefined if there is no such option. */
  setNumber(option: number, value: number, privileged: boolean): number | undefined {
    const buffer = this.setBuffer(option, value, privileged);
    if (buffer !== undefined) return buffer;
    if (option === SO.RCVLOWAT) {
      const most = isTcp(this.kind) ? this.receiveBuffer >> 1 : LARGEST_INT;
      this.receiveLowWater = Math.min(value < 0 ? LARGEST_INT : value || 1, most);
      return 0;
    }
    if (option === SO.REUSEPORT && this.kind.family === AF.UNIX) return -E.OPNOTSUPP;
    if (option === SO.BSDCOMPAT) return 0;
    if (option === SO.PEEK_OFF) return this.setPeekOffset(value);
    if (this.isForOthers(option)) return -E.OPNOTSUPP;
    const rule = this.rule(option);
    if (rule === undefined) return undefined;
    if (rule === 'readonly') return -E.NOPROTOOPT;
    if (!privileged && !this.allowed(option, rule, value)) return -E.PERM;
    this.values.set(option, rule === 'flag' ? Number(value !== 0) : value);
    return 0;
  }

  /** What a connection takes over from the socket that listened for it. */
  inherit(from: SocketOptions): void {
    for (const [option, value] of from.values) this.values.set(option, value);
    Object.assign(this.timeouts, from.timeouts);
    this.linger = from.linger;
    this.receiveLowWater = from.receiveLowWater;
    this.sendBuffer = from.sendBuffer;
    this.sendBufferSet = from.sendBufferSet;
    this.receiveBuffer = from.receiveBuffer;
  }

  get saved(): OptionState {
    const { timeouts, linger, receiveLowWater, sendBuffer, receiveBuffer, sendBufferSet } = this;
    return { values: [...this.values], receiveTimeout: orNull(timeouts.receive), sendTimeout: orNull(timeouts.send), linger, receiveLowWater, sendBuffer, receiveBuffer, sendBufferSet };
  }

  set saved({ values, receiveTimeout, sendTimeout, linger, receiveLowWater, sendBuffer, receiveBuffer, sendBufferSet }: OptionState) {
    for (const [option, value] of values) this.values.set(option, value);
    Object.assign(this.timeouts, { receive: receiveTimeout ?? Infinity, send: sendTimeout ?? Infinity });
    Object.assign(this, { linger, receiveLowWater, sendBuffer, receiveBuffer, sendBufferSet });
  }

  private get(option: number): number {
    return this.values.get(option) ?? INITIAL.get(option) ?? 0;
  }

  /** Options that only other kinds of socket have. */
  private isForOthers(option: number): boolean {
    if (option === SO.TXREHASH) return !isTcp(this.kind);
    return UNIX_RULES.has(option) && this.kind.family !== AF.UNIX;
  }

  private rule(option: number): Rule | undefined {
    return RULES.get(option) ?? UNIX_RULES.get(option);
  }

  private allowed(option: number, rule: Rule, value: number): boolean {
    if (rule === 'privileged') return false;
    if (option === SO.DEBUG) return value === 0;
    return option !== SO.PRIORITY || (value >= 0 && value <= 6);
  }

  private setBuffer(option: number, value: number, privileged: boolean): number | undefined {
    const forced = option === SO.SNDBUFFORCE || option === SO.RCVBUFFORCE;
    if (forced && !privileged) return -E.PERM;
    const most = forced ? LARGEST_INT >> 1 : undefined;
    // Twice what was asked for: Linux counts its own overhead, too.
    if (option === SO.SNDBUF || option === SO.SNDBUFFORCE) {
      const size = Math.min(value >>> 0, most ?? this.settings.largestSendBuffer);
      this.sendBuffer = Math.max(size * 2, SMALLEST_SEND_BUFFER);
      this.sendBufferSet = true;
      return 0;
    }
    if (option === SO.RCVBUF || option === SO.RCVBUFFORCE) {
      const size = Math.min(value >>> 0, most ?? this.settings.largestReceiveBuffer);
      this.receiveBuffer = Math.max(size * 2, SMALLEST_RECEIVE_BUFFER);
      return 0;
    }
    return undefined;
  }

  private setPeekOffset(value: number): number {
    if (this.kind.family !== AF.UNIX && this.kind.type === SOCK.RAW) return -E.OPNOTSUPP;
    this.values.set(SO.PEEK_OFF, value);
    return 0;
  }
}

function orNull(time: number): number | null {
  return time === Infinity ? null : time;
}

function isTcp(kind: SocketKind): boolean {
  return kind.type === SOCK.STREAM && kind.protocol === IPPROTO.TCP;
}

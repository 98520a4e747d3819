/**
 * What went through pipes, files and sockets, as a recording knows it: which bytes a system call took from the
 * program's memory, and which it brought there, by their places in a *channel*. A byte that was sent to a place of a
 * channel is the one that is received from it. Nothing is played for that: descriptors, files and positions are noted
 * in the log, and registers and inputs say what was asked.
 */
import { SYSCALL_NAMES } from '../../base/syscallNames.js';
import { GPR, RDI, RDX, RSI, type Slot } from '../../layout/cpuState.js';
import { O, S_IFREG } from '../../linux/files/fileConstants.js';
import { MEMFD_DEVICE } from '../../linux/files/memFd.js';
import { MSG } from '../../linux/sockets/socketConstants.js';
import type { EventLog } from '../log/eventLog.js';
import type { RecordedEvent } from '../log/events.js';
import { Ledger, type LedgerFile } from '../log/ledger.js';
import { type CallMemory, type Range, partOfRanges, RECEIVES, SENDS, transferRanges } from './transferRanges.js';

/** A place in a pipe, file or socket. */
export interface ChannelPlace {
  readonly channel: string;
  readonly position: number;
}

/** `effect`: of the event, with which the system call has its result. */
export type Transfer = { readonly effect: number } & (
  /** From memory. `isEarly`: before anything that the call with that result has stored. */
  | { readonly kind: 'sent'; readonly task: number; readonly space: number; readonly ranges: readonly Range[]; readonly to: ChannelPlace; readonly isEarly: boolean }
  /** To memory. `from` is missing where no one of the recording has sent anything; `name`: what it came from. */
  | { readonly kind: 'received'; readonly task: number; readonly ranges: readonly Range[]; readonly from: ChannelPlace | undefined; readonly name: string }
  | { readonly kind: 'passed'; readonly task: number; readonly bytes: number; readonly from: ChannelPlace; readonly to: ChannelPlace }
  /** There is nothing more behind a place: the file was made shorter. */
  | { readonly kind: 'cut'; readonly at: ChannelPlace }
);

/** Of one event. */
export interface EventTransfers {
  readonly all: readonly Transfer[];
  /** Whether anyone has sent something there, at any time, or could have stored it there. */
  readonly isFed: (channel: string) => boolean;
}

/** A system call that has no result yet. */
interface PendingCall extends CallMemory {
  readonly task: number;
  readonly name: string;
  readonly space: number;
  /** Bytes that others have seen of it. */
  sent: number;
}

/** What is known of a channel whose bytes are taken in the order in which they came. */
interface Queue {
  written: number;
  taken: number;
}

/** Calls that say where in the file: its argument with the place, of which -1 means that of the descriptor. */
const PLACED: ReadonlySet<string> = new Set(['pwrite64', 'pwritev', 'pwritev2', 'pread64', 'preadv', 'preadv2']);
/** From one file to another: the arguments with the files, and those with addresses of the places in them. */
const PASSES: Readonly<Record<string, { readonly from: Slot; readonly to: Slot; readonly fromPlace?: Slot; readonly toPlace?: Slot }>> = {
  sendfile: { to: RDI, from: RSI, fromPlace: RDX },
  splice: { from: RDI, fromPlace: RSI, to: RDX, toPlace: GPR[10] as Slot },
  copy_file_range: { from: RDI, fromPlace: RSI, to: RDX, toPlace: GPR[10] as Slot },
  tee: { from: RDI, to: RSI },
};
const NONE: readonly Transfer[] = [];
/** Outside: no one of the recording receives it. */
const NOWHERE: ChannelPlace = { channel: 'outside', position: 0 };

export class Transfers {
  private known: { readonly endTime: number; readonly all: ReadonlyMap<string, readonly Transfer[]>; readonly isFed: EventTransfers['isFed'] } | undefined;

  constructor(private readonly log: EventLog) {}

  /** With an event; `done`: how many there were before it at the same time. */
  of(time: number, done: number): EventTransfers {
    const { endTime } = this.log;
    if (this.known?.endTime !== endTime) {
      const reader = new Reader();
      this.known = { endTime, all: reader.read(this.log), isFed: (channel) => reader.fed.has(channel) };
    }
    const { all, isFed } = this.known;
    return { all: all.get(keyOf(time, done)) ?? NONE, isFed };
  }
}

function keyOf(time: number, done: number): string {
  return `${time}:${done}`;
}

/** Reads a log from its beginning. */
class Reader {
  private readonly ledger = new Ledger();
  private readonly pending = new Map<number, PendingCall>();
  private readonly spaces = new Map<number, number>();
  private readonly queues = new Map<string, Queue>();
  /** Channels that something was sent to, or that are memory for some. */
  readonly fed = new Set<string>();
  private found: Transfer[] = [];
  /** How much is in queues, as was noted since the last result. */
  private filled: [channel: string, bytes: number][] = [];

  read(log: EventLog): ReadonlyMap<string, readonly Transfer[]> {
    const all = new Map<string, readonly Transfer[]>();
    const cursor = log.cursor();
    let [time, done] = [-1, 0];
    for (let event = cursor.next(); event !== undefined; event = cursor.next()) {
      done = event.time === time ? done + 1 : 0;
      ({ time } = event);
      this.found = [];
      this.add(event);
      if (this.found.length > 0) all.set(keyOf(time, done), this.found);
    }
    return all;
  }

  private add(event: RecordedEvent): void {
    const { effects, task, stop, registers } = event;
    if (stop === 'syscall') {
      const view = new DataView(registers.buffer, registers.byteOffset);
      const name = SYSCALL_NAMES[view.getUint32(0, true)] ?? '';
      const inputs = effects.filter((effect) => effect.op === 'input');
      this.pending.set(task, { task, name, registers: view, inputs, space: this.spaces.get(task) ?? inputs[0]?.space ?? 0, sent: 0 });
    }
    this.ledger.add(event);
    effects.forEach((effect, i) => {
      switch (effect.op) {
        case 'run': case 'registers':
          this.spaces.set(effect.task, effect.space);
          break;
        case 'map': {
          const { shared, object, device, inode } = effect.mapping;
          if (shared && object !== undefined) this.fed.add(channelOfFile(device, inode));
          break;
        }
        case 'position': {
          const file = this.ledger.files.get(effect.file);
          const channel = file === undefined ? undefined : queueOf(file);
          if (channel !== undefined) this.filled.push([channel, effect.position]);
          break;
        }
        case 'woken': case 'result': {
          const call = this.pending.get(effect.task);
          this.pending.delete(effect.task);
          if (call !== undefined && effect.result >= 0) this.answered(call, effect.result, i);
          for (const [channel, bytes] of this.filled) this.adjust(channel, bytes, i);
          this.filled = [];
          break;
        }
        default:
      }
    });
  }

  private answered(call: PendingCall, result: number, effect: number): void {
    const { name, registers, task } = call;
    if (SENDS.has(name)) return void (result > 0 && this.send(call, result, effect));
    if (RECEIVES.has(name)) return void (result > 0 && this.receive(call, result, effect));
    if (PASSES[name] !== undefined) return void (result > 0 && this.pass(call, result, effect));
    if (name === 'ftruncate') return this.cut(this.ledger.fileOf(task, registers.getInt32(RDI.offset, true)), numberAt(registers, RSI), effect);
    const isOpening = name === 'open' || name === 'openat' || name === 'creat' || name === 'openat2';
    if (!isOpening) return;
    const file = this.ledger.fileOf(task, result);
    const flags = name === 'creat' ? O.TRUNC : name === 'openat2' ? 0 : registers.getUint32((name === 'open' ? RSI : RDX).offset, true);
    if ((flags & O.TRUNC) !== 0 || (file?.facts.kind === 'named' && file.facts.isNew)) this.cut(file, 0, effect);
  }

  private send(call: PendingCall, count: number, effect: number): void {
    const file = this.ledger.fileOf(call.task, call.registers.getInt32(RDI.offset, true));
    const channel = file === undefined ? undefined : targetOf(file);
    if (file === undefined || channel === undefined) this.put(call, 0, count, NOWHERE, effect, false);
    else if (isQueued(file)) this.sendMore(call, channel, count - call.sent, effect, false);
    else {
      const position = placedAt(call) ?? file.position - count;
      if (!(PLACED.has(call.name) && isAppending(file))) this.put(call, 0, count, { channel, position }, effect, false);
    }
  }

  /** The next bytes of a call go into a queue. */
  private sendMore(call: PendingCall, channel: string, count: number, effect: number, isEarly: boolean): void {
    if (count <= 0) return;
    const queue = this.queue(channel);
    this.put(call, call.sent, count, { channel, position: queue.written }, effect, isEarly);
    queue.written += count;
    call.sent += count;
  }

  private put(call: PendingCall, first: number, count: number, to: ChannelPlace, effect: number, isEarly: boolean): void {
    const { task, space } = call;
    const ranges = transferRanges(call);
    if (ranges === undefined) return;
    this.fed.add(to.channel);
    this.found.push({ kind: 'sent', task, space, ranges: partOfRanges(ranges, first, count), to, effect, isEarly });
  }

  private receive(call: PendingCall, count: number, effect: number): void {
    const { task, registers } = call;
    const fd = registers.getInt32(RDI.offset, true);
    const file = this.ledger.fileOf(task, fd);
    const ranges = transferRanges(call);
    if (file === undefined || ranges === undefined) return;
    const from = this.taken(call, file, count, isPeek(call), effect);
    this.found.push({ kind: 'received', task, ranges: partOfRanges(ranges, 0, count), from: from !== undefined && this.fed.has(from.channel) ? from : undefined, name: `${nameOf(file)} (descriptor ${fd})`, effect });
  }

  /** Where the bytes were that a call got. */
  private taken(call: PendingCall, file: LedgerFile, count: number, stays: boolean, effect: number, place?: number): ChannelPlace | undefined {
    const channel = queueOf(file);
    if (channel === undefined) {
      const own = fileChannel(file);
      return own === undefined ? undefined : { channel: own, position: place ?? placedAt(call) ?? file.position - count };
    }
    const queue = this.queue(channel);
    // Some of a call that still waits for room has been there already.
    this.fromWaiting(channel, queue.taken + count - queue.written, effect, true);
    const position = queue.taken;
    if (!stays) queue.taken += count;
    return { channel, position };
  }

  private pass(call: PendingCall, count: number, effect: number): void {
    const { task, name, registers } = call;
    const { from, to, fromPlace, toPlace } = PASSES[name] as (typeof PASSES)[string];
    const source = this.ledger.fileOf(task, registers.getInt32(from.offset, true));
    const target = this.ledger.fileOf(task, registers.getInt32(to.offset, true));
    if (source === undefined || target === undefined) return;
    const taken = this.taken(call, source, count, name === 'tee', effect, this.placeIn(call, fromPlace));
    const channel = targetOf(target);
    if (channel === undefined) return;
    let position = this.placeIn(call, toPlace) ?? target.position - count;
    if (isQueued(target)) {
      const queue = this.queue(channel);
      position = queue.written;
      queue.written += count;
    }
    if (taken === undefined || !this.fed.has(taken.channel)) return;
    this.fed.add(channel);
    this.found.push({ kind: 'passed', task, bytes: count, from: taken, to: { channel, position }, effect });
  }

  /** What the address in an argument holds, if there is one. */
  private placeIn({ registers, inputs }: PendingCall, slot: Slot | undefined): number | undefined {
    const address = slot === undefined ? 0 : numberAt(registers, slot);
    const input = address === 0 ? undefined : inputs.find((one) => one.address === address && one.length >= 8);
    return input === undefined || typeof input.content === 'number' ? undefined : Number(new DataView(input.content.buffer, input.content.byteOffset).getBigInt64(0, true));
  }

  private cut(file: LedgerFile | undefined, position: number, effect: number): void {
    const channel = file === undefined ? undefined : fileChannel(file);
    if (channel !== undefined && this.fed.has(channel)) this.found.push({ kind: 'cut', at: { channel, position }, effect });
  }

  /** So much is in a queue now. What is there and no result has told of is from calls that wait, or from outside. */
  private adjust(channel: string, filled: number, effect: number): void {
    const queue = this.queue(channel);
    const more = filled - (queue.written - queue.taken);
    if (more < 0) queue.taken -= more;
    else this.fromWaiting(channel, more, effect, false);
  }

  private fromWaiting(channel: string, count: number, effect: number, isEarly: boolean): void {
    if (count <= 0) return;
    const waiting = [...this.pending.values()].find((call) => {
      const file = SENDS.has(call.name) ? this.ledger.fileOf(call.task, call.registers.getInt32(RDI.offset, true)) : undefined;
      return file !== undefined && targetOf(file) === channel;
    });
    if (waiting === undefined) this.queue(channel).written += count;
    else this.sendMore(waiting, channel, count, effect, isEarly);
  }

  private queue(channel: string): Queue {
    let known = this.queues.get(channel);
    if (known === undefined) this.queues.set(channel, (known = { written: 0, taken: 0 }));
    return known;
  }
}

function isQueued({ facts: { kind } }: LedgerFile): boolean {
  return kind === 'pipe' || kind === 'stream';
}

/** Where such a call puts bytes is not noted: at the end, whatever place it says. */
function isAppending({ facts }: LedgerFile): boolean {
  return 'flags' in facts && (facts.flags & O.APPEND) !== 0;
}

/** What is read from the file: the channel, if its bytes come in turn. */
function queueOf({ id, facts }: LedgerFile): string | undefined {
  return facts.kind === 'pipe' ? `pipe ${facts.pipe}` : facts.kind === 'stream' ? `socket ${id}` : undefined;
}

/** Where what is written to the file goes. */
function targetOf(file: LedgerFile): string | undefined {
  const { facts } = file;
  if (facts.kind === 'stream') return facts.socket.peer === null ? undefined : `socket ${facts.socket.peer}`;
  return queueOf(file) ?? fileChannel(file);
}

/** The same for all who have opened the file, or mapped it. */
export function channelOfFile(device: number, inode: number): string {
  return `file ${device}:${inode}`;
}

function fileChannel({ facts }: LedgerFile): string | undefined {
  if (facts.kind === 'memory') return channelOfFile(MEMFD_DEVICE, facts.inode);
  return facts.kind === 'named' && facts.type === S_IFREG && facts.inode !== 0 ? channelOfFile(facts.device, facts.inode) : undefined;
}

function nameOf({ facts }: LedgerFile): string {
  switch (facts.kind) {
    case 'named': case 'inherited': case 'memory': case 'other': return facts.path;
    case 'pipe': return 'a pipe';
    case 'stream': return 'a socket';
    case 'event': case 'timer': case 'signals': case 'process': case 'epoll': return `a file of ${facts.kind === 'event' ? 'events' : facts.kind}`;
  }
}

function numberAt(registers: DataView, { offset }: Slot): number {
  return Number(registers.getBigUint64(offset, true));
}

function placedAt({ name, registers }: PendingCall): number | undefined {
  if (!PLACED.has(name)) return undefined;
  const place = Number(registers.getBigInt64((GPR[10] as Slot).offset, true));
  return place < 0 ? undefined : place;
}

function isPeek({ name, registers }: PendingCall): boolean {
  const flags = name === 'recvfrom' ? GPR[10] as Slot : name === 'recvmsg' ? RDX : undefined;
  return flags !== undefined && (registers.getUint32(flags.offset, true) & MSG.PEEK) !== 0;
}

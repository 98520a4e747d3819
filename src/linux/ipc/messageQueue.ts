/**
 * A System V message queue. Who waits for a message gets it directly from the sender if it is the first for
 * whom it fits; who waits for room puts its message in when there is some, first come, first served.
 */
import type { Budget } from '../../base/budget.js';
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import { IpcObject } from './ipcObjects.js';
import { WaitingLine } from './waitingLine.js';

export const MSG = { NOERROR: 0o10000, EXCEPT: 0o20000, COPY: 0o40000 } as const;
/** /proc/sys/kernel/msgmnb. */
export const DEFAULT_CAPACITY = 16_384;

/** About what a message takes beside its bytes. */
export const MESSAGE_BYTES = 64;

export interface Message {
  readonly type: number;
  readonly bytes: Uint8Array;
}

/** What msgrcv wants; `taken` is where it finds it. */
export interface Reception {
  /** 0: any; negative: the lowest type up to its absolute value. */
  readonly type: number;
  readonly flags: number;
  readonly largest: number;
  readonly pid: number;
  taken: Message | undefined;
}

interface Sending {
  readonly message: Message;
  readonly pid: number;
}

export class MessageQueue extends IpcObject {
  private messages: Message[] = [];
  readonly receivers = new WaitingLine<Reception>();
  readonly senders = new WaitingLine<Sending>();
  capacity = DEFAULT_CAPACITY;
  bytes = 0;
  lastSender = 0;
  lastReceiver = 0;
  sent = 0;
  received = 0;
  changed: number;
  private readonly budget: Budget;

  constructor(creator: Process, key: number, mode: number) {
    super(creator, key, mode);
    this.changed = creator.clock.realtime().seconds;
    this.budget = creator.world.budget;
  }

  get count(): number {
    return this.messages.length;
  }

  /** Puts a message in, or hands it over; false if there is no room. `now` in seconds. */
  send(sending: Sending, now: number): boolean {
    const { message, pid } = sending;
    const fits = message.bytes.length + this.bytes <= this.capacity && this.count + 1 <= this.capacity;
    if (!fits) return false;
    this.lastSender = pid;
    this.sent = now;
    if (this.handOver(message, now)) return true;
    this.messages.push(message);
    this.bytes += message.bytes.length;
    this.budget.force(MESSAGE_BYTES + message.bytes.length);
    return true;
  }

  /** Takes the message that `reception` wants: 0 if there is one, -ENOMSG if not, -E2BIG if it is too long. */
  receive(reception: Reception, now: number): number {
    const message = this.choose(reception);
    if (message === undefined) return -E.NOMSG;
    if (isTooLong(message, reception)) return -E['2BIG'];
    this.messages = this.messages.filter((other) => other !== message);
    this.bytes -= message.bytes.length;
    this.budget.giveBack(MESSAGE_BYTES + message.bytes.length);
    this.accept(reception, message, now);
    this.serveSenders(now);
    return 0;
  }

  /** MSG_COPY: the message at a place, which stays. */
  peek(index: number): Message | undefined {
    return this.messages[index];
  }

  /** There may be room now. */
  serveSenders(now: number): void {
    while (this.senders.completeFirst((sending) => (this.send(sending, now) ? 0 : undefined)) === 0);
  }

  remove(): void {
    this.budget.giveBack(this.count * MESSAGE_BYTES + this.bytes);
    this.receivers.completeAll(-E.IDRM);
    this.senders.completeAll(-E.IDRM);
  }

  /** A receiver for whom the message is too long learns that, and the next one may have it. */
  private handOver(message: Message, now: number): boolean {
    const decide = (reception: Reception): number | undefined => {
      if (!matches(message, reception)) return undefined;
      if (isTooLong(message, reception)) return -E['2BIG'];
      this.accept(reception, message, now);
      return 0;
    };
    let result: number | undefined;
    do result = this.receivers.completeFirst(decide);
    while (result === -E['2BIG']);
    return result === 0;
  }

  private accept(reception: Reception, message: Message, now: number): void {
    reception.taken = message;
    this.lastReceiver = reception.pid;
    this.received = now;
  }

  private choose(reception: Reception): Message | undefined {
    const possible = this.messages.filter((message) => matches(message, reception));
    if (reception.type >= 0) return possible[0];
    return possible.reduce<Message | undefined>((best, message) => (best !== undefined && best.type <= message.type ? best : message), undefined);
  }
}

function matches(message: Message, { type, flags }: Reception): boolean {
  if (type === 0) return true;
  if (type < 0) return message.type <= -type;
  return (message.type === type) !== ((flags & MSG.EXCEPT) !== 0);
}

function isTooLong(message: Message, { flags, largest }: Reception): boolean {
  return message.bytes.length > largest && (flags & MSG.NOERROR) === 0;
}

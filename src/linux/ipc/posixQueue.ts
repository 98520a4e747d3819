/**
 * A POSIX message queue: messages by priority, the older first among equals. As with System V's, a message
 * goes directly to who waits for one, and who waits for room gets it in order.
 */
import type { Budget } from '../../base/budget.js';
import type { Process } from '../process.js';
import { POLL } from '../files/fileConstants.js';
import { IpcObject } from './ipcObjects.js';
import { MESSAGE_BYTES } from './messageQueue.js';
import { WaitingLine } from './waitingLine.js';

export interface PosixMessage {
  readonly priority: number;
  readonly bytes: Uint8Array;
}

export interface PosixReception {
  taken: PosixMessage | undefined;
}

export interface QueueSize {
  readonly mostMessages: number;
  readonly messageSize: number;
}

/** Who wants to hear of a message in the empty queue, and how. */
export interface Notification {
  readonly process: Process;
  /** 0: no signal. */
  readonly signal: number;
  readonly method: number;
  notify(sender: Process): void;
  /** It was withdrawn, or its owner has closed the queue. */
  withdraw?(): void;
}

export class PosixQueue extends IpcObject {
  private messages: PosixMessage[] = [];
  readonly receivers = new WaitingLine<PosixReception>();
  readonly senders = new WaitingLine<PosixMessage>();
  notification: Notification | undefined;
  private readonly budget: Budget;
  /** The open files that stand for it. */
  readonly watchers = new Set<{ wake(events: number): void }>();

  constructor(
    creator: Process,
    mode: number,
    readonly size: QueueSize,
    readonly inode: bigint,
  ) {
    super(creator, 0, mode);
    this.budget = creator.world.budget;
  }

  /** It has no name any more, or no open file: without both it is gone, with its messages. */
  forgetIfUnused(): void {
    if (!this.removed || this.watchers.size > 0) return;
    this.budget.giveBack(this.count * MESSAGE_BYTES + this.bytes);
    this.messages = [];
  }

  get count(): number {
    return this.messages.length;
  }

  /** Bytes of all messages. */
  get bytes(): number {
    return this.messages.reduce((sum, message) => sum + message.bytes.length, 0);
  }

  get isFull(): boolean {
    return this.count >= this.size.mostMessages;
  }

  /** Puts a message in, or hands it over. False if there is no room. */
  send(message: PosixMessage, sender: Process): boolean {
    if (this.isFull) return false;
    const given = this.receivers.completeFirst((reception) => {
      reception.taken = message;
      return 0;
    });
    if (given === 0) return true;
    this.insert(message);
    if (this.count === 1) this.tell(sender);
    return true;
  }

  receive(reception: PosixReception): boolean {
    reception.taken = this.messages.shift();
    if (reception.taken === undefined) return false;
    this.budget.giveBack(MESSAGE_BYTES + reception.taken.bytes.length);
    this.senders.completeFirst((message) => {
      this.insert(message);
      return 0;
    });
    this.wake(POLL.OUT | POLL.WRNORM);
    return true;
  }

  /** The process does not want to hear any more. */
  withdraw(process: Process): void {
    if (this.notification?.process !== process) return;
    this.notification.withdraw?.();
    this.notification = undefined;
  }

  private insert(message: PosixMessage): void {
    const index = this.messages.findIndex(({ priority }) => priority < message.priority);
    this.budget.force(MESSAGE_BYTES + message.bytes.length);
    this.messages.splice(index < 0 ? this.messages.length : index, 0, message);
    this.wake(POLL.IN | POLL.RDNORM);
  }

  /** Only once: who wants to hear again has to say so again. */
  private tell(sender: Process): void {
    const { notification } = this;
    this.notification = undefined;
    notification?.notify(sender);
  }

  private wake(events: number): void {
    for (const watcher of this.watchers) watcher.wake(events);
  }
}

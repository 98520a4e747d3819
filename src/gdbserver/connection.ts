/**
 * One client: its bytes become packets, which are answered one after the other. While one is being answered, only an
 * interrupt gets through. A client that sends more than it waits for answers to is cut off, and so is one that begins
 * with something else than packets: browsers, which send what web pages want them to.
 */
import { bytesOfText, hexOfText } from './hex.js';
import { beginsPackets, packetOf, PacketReader, type Received } from './packets.js';

/** What a packet is answered with. */
export interface Reply {
  /** Undefined: nothing at all. */
  readonly text?: string;
  readonly after?: 'no acknowledgments' | 'close';
}

/** What a session can do while it answers. */
export interface Answering {
  /** The client wants the work to end. */
  isInterrupted(): boolean;
  /** Shows text to the user. Only while a `monitor` command or a running program is being answered. */
  say(text: string): void;
}

export interface PacketHandler {
  /** Does not throw. */
  handle(payload: string, answering: Answering): Promise<Reply>;
}

export interface Line {
  send(bytes: Uint8Array): void;
  /** Nothing more will be sent: what was sent may still be read. */
  close(): void;
  /** Ends it at once: a client that reads no answers would keep it open for ever. */
  drop(): void;
  /** A packet has come that makes sense. */
  heard?(): void;
}

const MOST_WAITING = 64;
/** Characters that one packet shows. */
const LONGEST_OUTPUT = 4000;

export class Connection {
  private readonly reader = new PacketReader();
  private readonly waiting: string[] = [];
  private lastSent: Uint8Array | undefined;
  private acknowledges = true;
  private isAnswering = false;
  private interrupted = false;
  private answered: Promise<void> = Promise.resolve();
  private closed = false;
  private hasEnded = false;
  private hasBegun = false;

  constructor(
    private readonly line: Line,
    private readonly handler: PacketHandler,
  ) {}

  receive(bytes: Uint8Array): void {
    if (!this.hasBegun && bytes.length > 0) {
      this.hasBegun = true;
      if (!beginsPackets(bytes)) this.drop();
    }
    for (const received of this.reader.feed(bytes)) if (!this.closed) this.take(received);
  }

  /** The client will say no more: what it has said is answered, but nothing long is done. */
  async ended(): Promise<void> {
    this.hasEnded = true;
    this.interrupted = true;
    await this.idle();
  }

  /** The client is gone: what is being done is given up. */
  lost(): void {
    this.closed = true;
    this.interrupted = true;
    this.waiting.length = 0;
  }

  private take(received: Received): void {
    switch (received.kind) {
      case 'ack':
        this.lastSent = undefined;
        return;
      case 'nak':
        if (this.lastSent !== undefined) this.line.send(this.lastSent);
        return;
      case 'interrupt':
        this.interrupted = this.isAnswering;
        return;
      case 'packet':
        this.takePacket(received.payload, received.isIntact);
    }
  }

  private takePacket(payload: string, isIntact: boolean): void {
    if (this.acknowledges) this.line.send(bytesOfText(isIntact ? '+' : '-'));
    if (!isIntact) return;
    this.line.heard?.();
    if (this.waiting.length >= MOST_WAITING) return this.drop();
    this.waiting.push(payload);
    if (!this.isAnswering) this.answered = this.answerAll();
  }

  /** When nothing is being done for the client any more. */
  async idle(): Promise<void> {
    await this.answered;
  }

  private async answerAll(): Promise<void> {
    this.isAnswering = true;
    for (let payload = this.waiting.shift(); payload !== undefined; payload = this.waiting.shift()) {
      this.interrupted = this.closed || this.hasEnded;
      const { text, after } = await this.handler.handle(payload, { isInterrupted: () => this.interrupted, say: (said) => this.say(said) });
      if (this.closed) break;
      if (text !== undefined) this.send(text);
      if (after === 'no acknowledgments') this.acknowledges = false;
      if (after === 'close') this.close();
    }
    this.isAnswering = false;
  }

  private say(text: string): void {
    for (let at = 0; at < text.length && !this.closed; at += LONGEST_OUTPUT) this.send(`O${hexOfText(text.slice(at, at + LONGEST_OUTPUT))}`);
  }

  private send(payload: string): void {
    this.lastSent = packetOf(payload);
    this.line.send(this.lastSent);
    if (!this.acknowledges) this.lastSent = undefined;
  }

  private close(): void {
    this.lost();
    this.line.close();
  }

  private drop(): void {
    this.lost();
    this.line.drop();
  }
}

/**
 * Bytes on the line and packets of the remote serial protocol: `$payload#checksum`, acknowledged by `+` or `-`, and
 * the single byte 3 that interrupts. In payloads `}` quotes the byte after it. The reader takes bytes in any pieces,
 * whatever they are, and keeps no more than one packet.
 */
import { bytesOfText } from './hex.js';

export type Received =
  | { readonly kind: 'packet'; readonly payload: string; readonly isIntact: boolean }
  | { readonly kind: 'ack' | 'nak' | 'interrupt' };

/** Longer packets are not intact. The client is told (qSupported) to send shorter ones. */
export const LONGEST_PACKET = 0x20000;

const BYTE = { INTERRUPT: 0x03, HASH: 0x23, DOLLAR: 0x24, STAR: 0x2a, PLUS: 0x2b, MINUS: 0x2d, QUOTE: 0x7d } as const;
const QUOTED_BY = 0x20;

const FIRST_BYTES: ReadonlySet<number | undefined> = new Set([BYTE.DOLLAR, BYTE.PLUS, BYTE.MINUS, BYTE.INTERRUPT]);
const LONGEST_LINE = 8192;

/**
 * Whether the first bytes on a line are of this protocol. Those of HTTP begin with a method, which is a word, but may
 * have any of our signs in it.
 */
export function beginsPackets(bytes: Uint8Array): boolean {
  if (!FIRST_BYTES.has(bytes[0])) return false;
  return !/^[^\r\n]* HTTP\/\d/.test(String.fromCharCode(...bytes.subarray(0, LONGEST_LINE)));
}

export class PacketReader {
  private state: 'between' | 'payload' | 'checksum' = 'between';
  private readonly payload = new Uint8Array(LONGEST_PACKET);
  private length = 0;
  private isTooLong = false;
  private sum = 0;
  private checksum = '';

  /** What has become complete with these bytes. */
  feed(bytes: Uint8Array): Received[] {
    const received: Received[] = [];
    for (const byte of bytes) {
      const complete = this.take(byte);
      if (complete !== undefined) received.push(complete);
    }
    return received;
  }

  private take(byte: number): Received | undefined {
    switch (this.state) {
      case 'between':
        return this.takeBetween(byte);
      case 'payload':
        this.takePayload(byte);
        return undefined;
      case 'checksum':
        this.checksum += String.fromCharCode(byte);
        return this.checksum.length === 2 ? this.finish() : undefined;
    }
  }

  private takeBetween(byte: number): Received | undefined {
    if (byte === BYTE.DOLLAR) this.begin();
    else if (byte === BYTE.PLUS) return { kind: 'ack' };
    else if (byte === BYTE.MINUS) return { kind: 'nak' };
    else if (byte === BYTE.INTERRUPT) return { kind: 'interrupt' };
    return undefined;
  }

  private begin(): void {
    this.state = 'payload';
    this.length = 0;
    this.isTooLong = false;
    this.sum = 0;
    this.checksum = '';
  }

  private takePayload(byte: number): void {
    if (byte === BYTE.DOLLAR) this.begin();
    else if (byte === BYTE.HASH) this.state = 'checksum';
    else {
      this.sum = (this.sum + byte) & 0xff;
      if (this.length < LONGEST_PACKET) this.payload[this.length++] = byte;
      else this.isTooLong = true;
    }
  }

  private finish(): Received {
    this.state = 'between';
    const isIntact = !this.isTooLong && /^[0-9a-fA-F]{2}$/.test(this.checksum) && Number.parseInt(this.checksum, 16) === this.sum;
    return { kind: 'packet', payload: unquoted(this.payload.subarray(0, this.length)), isIntact };
  }
}

function unquoted(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    text += String.fromCharCode(byte === BYTE.QUOTE && i + 1 < bytes.length ? (bytes[++i] as number) ^ QUOTED_BY : byte);
  }
  return text;
}

/** Bytes that may stand in a payload. */
export function quoted(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) {
    const special = byte === BYTE.HASH || byte === BYTE.DOLLAR || byte === BYTE.QUOTE || byte === BYTE.STAR;
    text += special ? `}${String.fromCharCode(byte ^ QUOTED_BY)}` : String.fromCharCode(byte);
  }
  return text;
}

/** A payload, already quoted, as it goes over the line. */
export function packetOf(payload: string): Uint8Array {
  let sum = 0;
  for (let i = 0; i < payload.length; i++) sum = (sum + payload.charCodeAt(i)) & 0xff;
  return bytesOfText(`$${payload}#${sum.toString(16).padStart(2, '0')}`);
}

/**
 * What has arrived at a socket and was not read yet. Senders add segments; readers of a stream take
 * bytes across segments, readers of messages take one segment at a time.
 *
 * What comes along with bytes (files, credentials) belongs to its segment, so a stream read stops behind a segment
 * that carried files.
 */
import { Budget } from '../../base/budget.js';
import type { FilesInFlight, Incoming, PeerCredentials } from './message.js';
import type { SocketAddress } from './socketAddress.js';

export interface Segment {
  readonly bytes: Uint8Array;
  readonly from?: SocketAddress;
  readonly to?: SocketAddress;
  readonly credentials?: PeerCredentials;
  readonly files?: FilesInFlight;
  /** Called once the segment has left the queue: gives the sender its room back. */
  readonly onGone?: () => void;
}

interface Queued extends Omit<Segment, 'files'> {
  files: FilesInFlight | undefined;
  /** Bytes already read. */
  start: number;
  /** Bytes stored; the buffer may be larger. */
  end: number;
}

/** Small writes to a stream share buffers of this size. */
const SHARED_BUFFER = 4096;
/** About what a segment takes beside its bytes. */
const SEGMENT_BYTES = 256;
/** The array is shortened after this many segments have been read. */
const MOST_GONE = 256;

export class ReceiveQueue {
  private segments: Queued[] = [];
  private first = 0;
  /** Bytes in all segments. */
  size = 0;

  /** Senders ask beforehand whether there is memory for what they send (Socket.mostToSend). */
  constructor(private readonly budget = new Budget()) {}

  get count(): number {
    return this.segments.length - this.first;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** Length of the first segment. */
  get firstLength(): number {
    const head = this.segments[this.first];
    return head === undefined ? 0 : head.end - head.start;
  }

  add(segment: Segment): void {
    this.push({ ...segment, files: segment.files, bytes: segment.bytes.slice(), start: 0, end: segment.bytes.length });
    this.size += segment.bytes.length;
  }

  /** Adds bytes of a stream that need no segment of their own. */
  append(bytes: Uint8Array): void {
    this.size += bytes.length;
    const last = this.isEmpty ? undefined : this.segments[this.segments.length - 1];
    if (last !== undefined && last.end + bytes.length <= last.bytes.length) {
      last.bytes.set(bytes, last.end);
      last.end += bytes.length;
      return;
    }
    const buffer = new Uint8Array(Math.max(bytes.length, SHARED_BUFFER));
    buffer.set(bytes);
    this.push({ bytes: buffer, files: undefined, start: 0, end: bytes.length });
  }

  private push(segment: Queued): void {
    this.segments.push(segment);
    this.budget.force(SEGMENT_BYTES + segment.bytes.length);
  }

  private isGone(segment: Queued): void {
    this.budget.giveBack(SEGMENT_BYTES + segment.bytes.length);
    segment.onGone?.();
  }

  /** Reads from a stream. With `peek` everything stays. With `apart`, bytes of different senders are not mixed. */
  takeBytes(target: Uint8Array, options: { readonly peek: boolean; readonly apart: boolean }): Incoming {
    const head = this.segments[this.first];
    let files: FilesInFlight | undefined;
    let count = 0;
    for (let i = this.first; i < this.segments.length && count < target.length; i++) {
      const segment = this.segments[i] as Queued;
      if (segment !== head && options.apart && !sameSender(head, segment)) break;
      const used = Math.min(segment.end - segment.start, target.length - count);
      target.set(segment.bytes.subarray(segment.start, segment.start + used), count);
      count += used;
      files = segment.files;
      if (files !== undefined) break;
    }
    const incoming = { count, length: count, flags: 0, ...extras(head), ...(files === undefined ? {} : { files }) };
    if (!options.peek) this.skip(count);
    return incoming;
  }

  /** Reads one message; what does not fit is lost. Undefined if there is none. */
  takeMessage(target: Uint8Array, peek: boolean): Incoming | undefined {
    const segment = this.segments[this.first];
    if (segment === undefined) return undefined;
    const length = segment.end - segment.start;
    const count = Math.min(length, target.length);
    target.set(segment.bytes.subarray(segment.start, segment.start + count));
    const incoming = { count, length, flags: 0, ...extras(segment) };
    if (!peek) this.advance(segment, length);
    return incoming;
  }

  /** Throws everything away: the socket is closed. */
  clear(): void {
    const rest = this.segments.slice(this.first);
    this.segments = [];
    this.first = 0;
    this.size = 0;
    for (const segment of rest) {
      segment.files?.drop();
      this.isGone(segment);
    }
  }

  private skip(count: number): void {
    let left = count;
    while (left > 0) {
      const head = this.segments[this.first] as Queued;
      const used = Math.min(head.end - head.start, left);
      left -= used;
      this.advance(head, used);
    }
  }

  /** Takes bytes off the first segment, and all of it off the queue once it is empty. */
  private advance(head: Queued, count: number): void {
    head.start += count;
    this.size -= count;
    // Files go with the first byte that is read.
    head.files = undefined;
    if (head.start < head.end) return;
    this.first++;
    if (this.first === this.segments.length || this.first > MOST_GONE) {
      this.segments = this.segments.slice(this.first);
      this.first = 0;
    }
    this.isGone(head);
  }
}

function sameSender(a: Queued | undefined, b: Queued): boolean {
  const [one, other] = [a?.credentials, b.credentials];
  return one?.pid === other?.pid && one?.uid === other?.uid && one?.gid === other?.gid;
}

function extras(segment: Queued | undefined): Partial<Incoming> {
  if (segment === undefined) return {};
  const { from, to, credentials, files } = segment;
  return {
    ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }),
    ...(credentials === undefined ? {} : { credentials }), ...(files === undefined ? {} : { files }),
  };
}

/**
 * The debug adapter protocol's framing: "Content-Length: N", an empty line, N bytes of JSON. Bytes in, messages out.
 * What a client sends is not trusted: headers and bodies have a largest size, a body that is not JSON is reported and
 * skipped, and after a header that makes no sense nothing more is read. A header has the protocol's own fields and no
 * others: what browsers send for web pages has a Content-Length, too, and is refused at its first byte.
 */
import { parseJson } from '../base/json.js';

interface WireListener {
  message(message: unknown): void;
  /** A message that cannot be understood; the next one may be. */
  badMessage(why: string): void;
  /** The stream cannot be understood from here on. */
  lost(why: string): void;
  /** Bytes that a body may have now; undefined: the most there may ever be. */
  longestBody?(): number;
}

const LONGEST_HEADER = 4096;
/** What is written to memory is the longest that clients send. Parsed, a message may take thirty times as much. */
export const LONGEST_BODY = 16 * 1024 * 1024;
const CR = 13;
const LF = 10;

export class MessageDecoder {
  /** What of the next message has come: its header, or its body. */
  private parts: Uint8Array[] = [];
  private size = 0;
  /** Of the body that is coming; undefined while a header is. */
  private wanted: number | undefined;
  private isLost = false;

  constructor(private readonly listener: WireListener) {}

  push(bytes: Uint8Array): void {
    let rest = bytes;
    while (rest.length > 0 && !this.isLost) rest = this.wanted === undefined ? this.takeHeader(rest) : this.takeBody(rest, this.wanted);
  }

  private takeHeader(bytes: Uint8Array): Uint8Array {
    const known = this.size;
    const joined = this.joined(bytes);
    const end = endOfHeader(joined);
    const header = new TextDecoder().decode(joined.subarray(0, Math.min(end ?? LONGEST_HEADER, LONGEST_HEADER)));
    if (end === undefined && joined.length <= LONGEST_HEADER && mayBeginHeader(header)) {
      this.keep(joined);
      return NOTHING;
    }
    const length = end === undefined || end > LONGEST_HEADER ? undefined : contentLength(header);
    if (end === undefined || length === undefined) return this.lose(`not a header of the debug adapter protocol: ${shortened(header)}`);
    const longest = this.listener.longestBody?.() ?? LONGEST_BODY;
    if (length > longest) return this.lose(`a message of ${length} bytes is too long: at most ${longest} are read`);
    this.wanted = length;
    if (length === 0) this.finish(NOTHING);
    return bytes.subarray(end - known);
  }

  private takeBody(bytes: Uint8Array, wanted: number): Uint8Array {
    const missing = wanted - this.size;
    this.parts.push(bytes.subarray(0, missing));
    this.size += Math.min(missing, bytes.length);
    if (this.size === wanted) this.finish(this.joined(NOTHING));
    return bytes.subarray(Math.min(missing, bytes.length));
  }

  private finish(body: Uint8Array): void {
    this.wanted = undefined;
    let message: unknown;
    try {
      message = parseJson(new TextDecoder().decode(body));
    } catch (error) {
      this.listener.badMessage(/deeper than/.test((error as Error).message) ? `a message ${(error as Error).message}` : 'a message that is not JSON');
      return;
    }
    this.listener.message(message);
  }

  /** All that was kept, with what has come; nothing is kept any more. */
  private joined(bytes: Uint8Array): Uint8Array {
    const all = new Uint8Array(this.size + bytes.length);
    let at = 0;
    for (const part of [...this.parts, bytes]) {
      all.set(part, at);
      at += part.length;
    }
    this.parts = [];
    this.size = 0;
    return all;
  }

  private keep(bytes: Uint8Array): void {
    this.parts = [bytes];
    this.size = bytes.length;
  }

  private lose(why: string): Uint8Array {
    this.isLost = true;
    this.listener.lost(why);
    return NOTHING;
  }
}

const NOTHING = new Uint8Array();

export function encodeMessage(message: unknown): Uint8Array {
  const body = new TextEncoder().encode(JSON.stringify(message));
  const header = new TextEncoder().encode(`Content-Length: ${body.length}\r\n\r\n`);
  const all = new Uint8Array(header.length + body.length);
  all.set(header);
  all.set(body, header.length);
  return all;
}

/** Where the body begins. Bare line feeds will do: people type such messages. */
function endOfHeader(bytes: Uint8Array): number | undefined {
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] !== LF) continue;
    const next = bytes[i + 1] === CR ? i + 2 : i + 1;
    if (bytes[next] === LF) return next + 1;
  }
  return undefined;
}

const FIELD = /^content-(?:length|type)[ \t]*:/i;
const FIELD_START = 'content-';

/** Whether it is a header so far. Its last line may be the beginning of one. */
function mayBeginHeader(text: string): boolean {
  const lines = text.split(/\r?\n/);
  const last = (lines.pop() ?? '').slice(0, FIELD_START.length).toLowerCase();
  return FIELD_START.startsWith(last === '\r' ? '' : last) && lines.every((line) => FIELD.test(line));
}

/** Undefined if it is not said, or said twice, or if there is anything else that is no field of the protocol's. */
function contentLength(header: string): number | undefined {
  const lines = header.split(/\r?\n/).filter((line) => line !== '');
  if (!lines.every((line) => FIELD.test(line))) return undefined;
  const [line, another] = lines.filter((one) => /^content-length/i.test(one));
  const match = /:[ \t]*(\d{1,15})[ \t]*$/.exec(line ?? '');
  return match === null || another !== undefined ? undefined : Number(match[1]);
}

function shortened(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

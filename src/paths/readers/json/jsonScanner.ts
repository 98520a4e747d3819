/**
 * JSON that is too large for memory: finds the values that are asked for, and skips the rest byte by byte. A plan says
 * for each place (a list of keys and indices) whether to look into the value there, to take it, to note where it is, or
 * to skip it. What is taken is parsed by the engine's own JSON.parse; so memory is bounded by the largest value that is
 * taken, and most bytes cost one turn of a short loop. Values that were noted are parsed later without looking for them
 * again.
 */
import { UserError } from '../../../base/errors.js';
import { DEEPEST_JSON } from '../../../base/json.js';

export type JsonPlace = readonly (string | number)[];
export type JsonAction = 'enter' | 'take' | 'note' | 'skip';

interface FoundValue {
  readonly place: JsonPlace;
  /** Undefined for what is only noted. */
  readonly value: unknown;
  /** In bytes. */
  readonly start: number;
  readonly end: number;
}

interface ScannerOptions {
  readonly name: string;
  plan(place: JsonPlace): JsonAction;
  /** Bytes of a value that is taken. */
  readonly largest?: number;
  /** Several values may follow each other, as in lines of JSON; the first key is then the number of the value. */
  readonly isSequence?: boolean;
}

const LARGEST = 64 * 1024 * 1024;
const [QUOTE, BACKSLASH, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d];
const END = -1;

/** Values in the order of the text. Throws a UserError where it is no JSON as far as that is looked at. */
export function* scanJson(chunks: Iterable<Uint8Array>, options: ScannerOptions): Generator<FoundValue> {
  const scanner = new Scanner(chunks, options);
  yield* scanner.all();
}

class Scanner {
  private readonly chunks: Iterator<Uint8Array>;
  private bytes: Uint8Array = new Uint8Array(0);
  private at = 0;
  /** Bytes before the chunk. */
  private before = 0;
  /** What was taken of chunks before this one. */
  private pieces: Uint8Array[] = [];
  /** Where what is taken begins in the chunk; negative if nothing is. */
  private takenFrom = -1;
  private taken = 0;
  private readonly place: (string | number)[] = [];
  private readonly decoder = new TextDecoder('utf-8');
  private readonly largest: number;

  constructor(
    chunks: Iterable<Uint8Array>,
    private readonly options: ScannerOptions,
  ) {
    this.chunks = chunks[Symbol.iterator]();
    this.largest = options.largest ?? LARGEST;
  }

  *all(): Generator<FoundValue> {
    this.skipMark();
    if (this.options.isSequence !== true) {
      yield* this.value();
      if (this.space() !== END) throw this.wrong('something follows the end');
      return;
    }
    for (let i = 0; this.space() !== END; i++) {
      this.place.push(i);
      yield* this.value();
      this.place.pop();
    }
  }

  private *value(): Generator<FoundValue> {
    const first = this.space();
    if (first === END) throw this.wrong('it ends too soon');
    const action = this.options.plan(this.place);
    const start = this.before + this.at;
    if (action === 'take') {
      const value = this.parsed();
      yield { place: [...this.place], value, start, end: this.before + this.at };
    } else if (action === 'note') {
      this.skip(DEEPEST_JSON);
      yield { place: [...this.place], value: undefined, start, end: this.before + this.at };
    }
    else if (action === 'enter' && first === OPEN_OBJECT) yield* this.members();
    else if (action === 'enter' && first === OPEN_LIST) yield* this.elements();
    else this.skip();
  }

  private *members(): Generator<FoundValue> {
    this.at++;
    if (this.space() === CLOSE_OBJECT) {
      this.at++;
      return;
    }
    for (;;) {
      if (this.space() !== QUOTE) throw this.wrong('a name should be here');
      const name = this.parsed();
      if (this.space() !== COLON) throw this.wrong('a colon should be here');
      this.at++;
      this.place.push(String(name));
      yield* this.value();
      this.place.pop();
      if (!this.goesOn(CLOSE_OBJECT)) return;
    }
  }

  private *elements(): Generator<FoundValue> {
    this.at++;
    if (this.space() === CLOSE_LIST) {
      this.at++;
      return;
    }
    for (let i = 0; ; i++) {
      this.place.push(i);
      yield* this.value();
      this.place.pop();
      if (!this.goesOn(CLOSE_LIST)) return;
    }
  }

  private goesOn(close: number): boolean {
    const next = this.space();
    if (next !== COMMA && next !== close) throw this.wrong(next === END ? 'it ends too soon' : 'a comma should be here');
    this.at++;
    return next === COMMA;
  }

  /** A value as JavaScript has it. */
  private parsed(): unknown {
    this.takenFrom = this.at;
    this.taken = 0;
    this.skip(DEEPEST_JSON);
    const last = this.bytes.subarray(this.takenFrom, this.at);
    this.takenFrom = -1;
    const bytes = this.pieces.length === 0 ? last : joined([...this.pieces, last]);
    this.pieces = [];
    return parsedValue(this.decoder.decode(bytes), this.options.name, this.before + this.at);
  }

  /** To the byte after the value that begins here. */
  private skip(deepest = Number.POSITIVE_INFINITY): void {
    const byte = this.space();
    if (byte === END) throw this.wrong('it ends too soon');
    if (byte === QUOTE) this.skipText();
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.skipNested(deepest);
    else this.skipWord();
  }

  /** Most of a file goes through this loop. */
  private skipNested(deepest: number): void {
    let [bytes, i, depth] = [this.bytes, this.at, 0];
    for (;;) {
      while (i < bytes.length) {
        const byte = bytes[i]!;
        i++;
        if (byte === QUOTE) {
          while (i < bytes.length && bytes[i] !== QUOTE && bytes[i] !== BACKSLASH) i++;
          if (i < bytes.length && bytes[i] === QUOTE) i++;
          else {
            this.at = i;
            this.restOfText();
            [bytes, i] = [this.bytes, this.at];
          }
        } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
          if (++depth > deepest) throw this.wrong(`it is deeper than ${deepest} levels`);
        } else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && --depth === 0) {
          this.at = i;
          return;
        }
      }
      this.at = i;
      if (!this.more()) throw this.wrong('it ends too soon');
      [bytes, i] = [this.bytes, 0];
    }
  }

  /** From its quote to the byte after the other one. */
  private skipText(): void {
    this.at++;
    this.restOfText();
  }

  private restOfText(): void {
    let i = this.at;
    for (;;) {
      const { bytes } = this;
      const { length } = bytes;
      while (i < length && bytes[i] !== QUOTE && bytes[i] !== BACKSLASH) i++;
      if (i < length && bytes[i] === QUOTE) break;
      // What is escaped may be in the next chunk.
      if (i < length) i += 2;
      if (i >= length) {
        const beyond = i - length;
        if (!this.more()) throw this.wrong('a text does not end');
        i = beyond;
      }
    }
    this.at = i + 1;
  }

  /** A number, true, false or null. */
  private skipWord(): void {
    do {
      const { bytes } = this;
      let i = this.at;
      while (i < bytes.length && isOfWord(bytes[i]!)) i++;
      if (i === this.at && i < bytes.length) throw this.wrong('it is no JSON');
      this.at = i;
      if (i < bytes.length) return;
    } while (this.more() && isOfWord(this.bytes[0]!));
  }

  /** The next byte that is no space; it is not gone past. */
  private space(): number {
    for (;;) {
      const { bytes } = this;
      let i = this.at;
      while (i < bytes.length && bytes[i]! <= 0x20) i++;
      this.at = i;
      if (i < bytes.length) return bytes[i]!;
      if (!this.more()) return END;
    }
  }

  /** Goes to the next chunk that is not empty. */
  private more(): boolean {
    if (this.takenFrom >= 0) {
      const piece = this.bytes.slice(this.takenFrom);
      this.taken += piece.length;
      if (this.taken > this.largest) throw this.wrong(`a value is longer than ${this.largest / 1024 / 1024} MiB`);
      this.pieces.push(piece);
      this.takenFrom = 0;
    }
    for (;;) {
      const { value, done } = this.chunks.next();
      this.before += this.bytes.length;
      this.at = 0;
      if (done === true) {
        this.bytes = new Uint8Array(0);
        return false;
      }
      this.bytes = value;
      if (value.length > 0) return true;
    }
  }

  /** The mark of UTF-8 that some tools begin with. */
  private skipMark(): void {
    if (this.space() === 0xef) this.at += 3;
  }

  private wrong(what: string): UserError {
    return new UserError(`${this.options.name}: ${what}, at byte ${this.before + this.at}`);
  }
}

/** Letters, digits, signs and points. */
function isOfWord(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || byte === 0x2b || byte === 0x2d || byte === 0x2e;
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Values at places that were noted, in order. Pieces are good until the next one is asked for. */
export function* valuesAt(chunks: Iterable<Uint8Array>, places: Iterable<readonly [start: number, end: number]>, name: string): Generator<unknown> {
  const decoder = new TextDecoder('utf-8');
  const iterator = chunks[Symbol.iterator]();
  let [bytes, before] = [new Uint8Array(0) as Uint8Array, 0];
  const more = (): void => {
    const { value, done } = iterator.next();
    if (done === true) throw new UserError(`${name}: it was changed while it was read`);
    before += bytes.length;
    bytes = value;
  };
  try {
    for (const [start, end] of places) {
      while (before + bytes.length <= start) more();
      const pieces: Uint8Array[] = [];
      while (before + bytes.length < end) {
        pieces.push(bytes.slice(Math.max(0, start - before)));
        more();
      }
      const last = bytes.subarray(Math.max(0, start - before), end - before);
      yield parsedValue(decoder.decode(pieces.length === 0 ? last : joined([...pieces, last])), name, start);
    }
  } finally {
    iterator.return?.();
  }
}

function parsedValue(text: string, name: string, at: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UserError(`${name}: it is no JSON, at byte ${at}`);
  }
}

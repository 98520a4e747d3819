/**
 * What is known about primitive traces of a recording from sessions before this one, and what this one adds: for each
 * trace what it looks for, and pieces of the execution with all hits in them. As text it can be stored beside the
 * recording.
 */
import { guestAddr } from '../../base/types.js';
import type { Condition, Hit } from '../../replay/timeline/conditions.js';
import { at } from '../../replay/log/position.js';
import type { FoundHits, Question } from './playing.js';

/**
 * Numbers of a hit: time, done (-1: all), task, rip, and of an access: address, bytes, 1 for a write, 1 for the kernel.
 */
type HitNumbers = readonly number[];
/** from, to, and what is there. */
type StoredPiece = readonly [number, number, readonly HitNumbers[]];
type StoredTrace = readonly [key: string, conditions: readonly Condition[], pieces: readonly StoredPiece[]];

/** A piece that is ours: it grows in place. */
interface Piece {
  readonly from: number;
  to: number;
  readonly hits: Hit[];
}

export class KnownTrace implements Question {
  /** In order, none touching another. */
  readonly pieces: Piece[] = [];
  /** In the part that was searched last for all there are: undefined if none was. */
  hitsPerInstruction: number | undefined;
  passing: ((hit: Hit) => void) | undefined;

  constructor(
    readonly conditions: readonly Condition[],
    stored: readonly FoundHits[],
    private readonly onAdded: () => void,
  ) {
    for (const { from, to, hits } of stored) this.pieces.push({ from, to, hits: [...hits] });
  }

  /** There is nothing to look for: a program without such places. */
  get isNowhere(): boolean {
    return this.conditions.every((condition) => condition.kind === 'address' && condition.addresses.length === 0);
  }

  /** What is known from `from` on; or where the next piece begins that is known. */
  from(from: number): FoundHits | { readonly next: number } {
    const piece = this.pieces[this.indexBehind(from)];
    if (piece === undefined) return { next: Infinity };
    if (piece.from > from) return { next: piece.from };
    return { from, to: piece.to, hits: piece.hits.slice(indexAt(piece.hits, from)) };
  }

  /** What is known right before `to`, from `from` on; or where the last piece before it ends. */
  before(to: number, from: number): FoundHits | { readonly next: number } {
    const piece = this.pieces[this.indexBehind(to - 1)];
    if (piece !== undefined && piece.from < to) return { from: Math.max(piece.from, from), to, hits: piece.hits.slice(indexAt(piece.hits, from), indexAt(piece.hits, to)) };
    return { next: this.pieces[this.indexBehind(to - 1) - 1]?.to ?? -Infinity };
  }

  /** Puts pieces together that touch. */
  learn({ from, to, hits }: FoundHits): void {
    if (from >= to) return;
    const first = this.pieces.findIndex((piece) => piece.to >= from);
    const start = first < 0 ? this.pieces.length : first;
    let end = start;
    while ((this.pieces[end]?.from ?? Infinity) <= to) end++;
    const touched = this.pieces.slice(start, end);
    const [left, right] = [touched[0], touched.at(-1)];
    if (left !== undefined && left.to === from && left === right) this.append(left, to, hits);
    else this.replace(start, touched, { from, to, hits });
    this.onAdded();
  }

  /** The most usual case, a search that goes on: there may be very many. */
  private append(piece: Piece, to: number, hits: readonly Hit[]): void {
    for (const hit of hits) piece.hits.push(hit);
    piece.to = to;
  }

  private replace(start: number, touched: readonly Piece[], { from, to, hits }: FoundHits): void {
    const [left, right] = [touched[0], touched.at(-1)];
    const before = left === undefined || left.from >= from ? [] : left.hits.slice(0, indexAt(left.hits, from));
    const after = right === undefined || right.to <= to ? [] : right.hits.slice(indexAt(right.hits, to));
    this.pieces.splice(start, touched.length, { from: Math.min(from, left?.from ?? from), to: Math.max(to, right?.to ?? to), hits: before.concat(hits, after) });
  }

  /** The first piece that goes beyond a time. */
  private indexBehind(time: number): number {
    let [low, high] = [0, this.pieces.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.pieces[middle]?.to ?? Infinity) <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The first hit that is not before a time. */
function indexAt(hits: readonly Hit[], time: number): number {
  let [low, high] = [0, hits.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((hits[middle]?.position.time ?? Infinity) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class KnownHits {
  private readonly traces = new Map<string, KnownTrace>();
  /** Whether there is something that was not stored. */
  isChanged = false;
  /** Told when something is. */
  onChange: (() => void) | undefined;

  /** `text` is what `encode` made. */
  constructor(text?: string) {
    if (text === undefined) return;
    for (const [key, conditions, pieces] of JSON.parse(text) as readonly StoredTrace[]) this.add(key, conditions, pieces.map(pieceOf));
  }

  /** `find` says what to look for, if it is not known. */
  trace(key: string, find: () => readonly Condition[]): KnownTrace {
    return this.traces.get(key) ?? this.add(key, find(), []);
  }

  encode(): string {
    const traces = [...this.traces].map(([key, trace]): StoredTrace => [key, trace.conditions, trace.pieces.map(({ from, to, hits }): StoredPiece => [from, to, hits.map(numbersOf)])]);
    return JSON.stringify(traces);
  }

  private add(key: string, conditions: readonly Condition[], pieces: readonly FoundHits[]): KnownTrace {
    const trace = new KnownTrace(conditions, pieces, () => {
      this.isChanged = true;
      this.onChange?.();
    });
    this.traces.set(key, trace);
    return trace;
  }
}

function numbersOf({ position: { time, done }, task, rip, access }: Hit): HitNumbers {
  const plain = [time, done === Infinity ? -1 : done, task, rip];
  return access === undefined ? plain : [...plain, access.address, access.bytes, access.write ? 1 : 0, access.by === 'kernel' ? 1 : 0];
}

function pieceOf([from, to, hits]: StoredPiece): FoundHits {
  return { from, to, hits: hits.map(hitOf) };
}

function hitOf([time = 0, done = -1, task = 0, rip = 0, address, bytes = 0, write, kernel]: HitNumbers): Hit {
  const plain = { position: at(time, done < 0 ? Infinity : done), conditions: [0], task, rip: guestAddr(rip) };
  if (address === undefined) return { ...plain, kind: 'address' };
  const by = kernel === 1 ? 'kernel' : 'program';
  return { ...plain, kind: 'memory', access: { address: guestAddr(address), bytes, write: write === 1, by } };
}

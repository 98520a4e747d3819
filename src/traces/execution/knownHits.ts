/**
 * What is known about primitive traces of a recording from sessions before this one, and what this one adds: for each trace what it looks for,
 * and pieces of the execution with all hits in them. As text it can be stored beside the recording.
 */
import type { Condition, Hit } from '../../replay/timeline/conditions.js';
import { at } from '../../replay/play/position.js';
import type { FoundHits } from './playing.js';

/** Numbers of a hit: time, done (-1: all), task, rip, and of an access: address, bytes, 1 for a write, 1 for the kernel. */
type HitNumbers = readonly number[];
/** from, to, and what is there. */
type StoredPiece = readonly [number, number, readonly HitNumbers[]];
type StoredTrace = readonly [key: string, conditions: readonly Condition[], pieces: readonly StoredPiece[]];

export class KnownTrace {
  private fresh: FoundHits[] = [];

  constructor(
    readonly conditions: readonly Condition[],
    /** In order, none touching another. */
    private readonly stored: readonly FoundHits[],
    private readonly onAdded: () => void,
  ) {}

  /** What is known from `from` on; or where the next piece begins that is known. */
  from(from: number): FoundHits | { readonly next: number } {
    for (const piece of this.stored) {
      if (piece.to <= from) continue;
      if (piece.from > from) return { next: piece.from };
      return { from, to: piece.to, hits: piece.hits.filter(({ position }) => position.time >= from) };
    }
    return { next: Infinity };
  }

  /** What is known right before `to`; or where the last piece before it ends. */
  before(to: number): FoundHits | { readonly next: number } {
    for (const piece of this.stored.toReversed()) {
      if (piece.from >= to) continue;
      if (piece.to < to) return { next: piece.to };
      return { from: piece.from, to, hits: piece.hits.filter(({ position }) => position.time < to) };
    }
    return { next: -Infinity };
  }

  add(found: FoundHits): void {
    if (found.from >= found.to) return;
    this.fresh.push(found);
    this.onAdded();
  }

  /** All pieces, those that touch put together. */
  get pieces(): FoundHits[] {
    const all = [...this.stored, ...this.fresh].sort((a, b) => a.from - b.from);
    const merged: { from: number; to: number; hits: Hit[] }[] = [];
    for (const { from, to, hits } of all) {
      const last = merged.at(-1);
      if (last === undefined || last.to < from) {
        merged.push({ from, to, hits: [...hits] });
        continue;
      }
      for (const hit of hits) if (hit.position.time >= last.to) last.hits.push(hit);
      last.to = Math.max(last.to, to);
    }
    return merged;
  }
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

  /** `find` says what to look for, if nobody knows. */
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
  const plain = { position: at(time, done < 0 ? Infinity : done), condition: 0, task, rip };
  return address === undefined ? plain : { ...plain, access: { address, bytes, write: write === 1, by: kernel === 1 ? 'kernel' : 'program' } };
}

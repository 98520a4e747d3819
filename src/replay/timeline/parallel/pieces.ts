/** How a long part of an execution is cut into pieces that are searched on their own. */
import { at, comparePositions, type Position } from '../../log/position.js';

export interface Piece {
  readonly from: Position;
  readonly to: Position;
}

export interface Pieces {
  /** The next one in the direction of the search; undefined if there is none, or not yet. */
  next(): Piece | undefined;
  /** There will be no more. */
  readonly isAtEnd: boolean;
  /** Plays a little of the execution, so that there can be more; false if that is of no use. */
  play(): boolean;
  /** Instructions of all of them. */
  readonly total: number;
}

/** What of an execution is known. */
export interface Known {
  /** Times of the checkpoints, in order. */
  times(): readonly number[];
  /** Plays from `from` on towards `to` and makes checkpoints; returns how far it came, which is at least a little. */
  playSome(from: Position, to: Position): Position;
}

/** Forward from `from` to `to`. */
export class ForwardPieces implements Pieces {
  readonly total: number;
  private at: Position;
  /** How far we have played for the next piece. */
  private played: Position;

  constructor(
    private readonly known: Known,
    from: Position,
    private readonly to: Position,
    /** Instructions of one. */
    private readonly size: number,
  ) {
    this.at = this.played = from;
    this.total = Math.max(1, to.time - from.time);
  }

  get isAtEnd(): boolean {
    return comparePositions(this.at, this.to) >= 0;
  }

  next(): Piece | undefined {
    const end = this.isAtEnd ? undefined : this.end();
    if (end === undefined) return undefined;
    const piece = { from: this.at, to: end };
    this.at = end;
    if (comparePositions(this.played, end) < 0) this.played = end;
    return piece;
  }

  play(): boolean {
    if (this.isAtEnd || this.end() !== undefined) return false;
    this.played = this.known.playSome(this.played, this.limit);
    return true;
  }

  private get limit(): Position {
    const limit = this.at.time + this.size;
    return limit + this.size / 2 >= this.to.time ? this.to : at(limit);
  }

  /** The end of the next piece: a checkpoint, the end of all, or what we have played up to. */
  private end(): Position | undefined {
    const { limit, played } = this;
    if (comparePositions(limit, this.to) >= 0) return this.to;
    const times = this.known.times();
    const last = times.findLast((time) => time <= limit.time) ?? 0;
    const next = times.find((time) => time > limit.time) ?? Infinity;
    if (last >= this.at.time + this.size / 2) return at(last);
    if (next <= limit.time + this.size && next < this.to.time) return at(next);
    return comparePositions(played, limit) >= 0 ? limit : undefined;
  }
}

/** Backward from `from` to the beginning. The pieces grow with the way, because what is searched for is mostly near. */
export class BackwardPieces implements Pieces {
  readonly total: number;
  private at: Position;

  constructor(
    private readonly known: Known,
    private readonly from: Position,
    /** Instructions of the first one. */
    private readonly size: number,
    /** How much of the way so far a piece may have. */
    private readonly part: number,
  ) {
    this.at = from;
    this.total = Math.max(1, from.time);
  }

  get isAtEnd(): boolean {
    return this.at.time <= 0;
  }

  next(): Piece | undefined {
    if (this.isAtEnd) return undefined;
    const wanted = this.at.time - Math.max(this.size, (this.from.time - this.at.time) * this.part);
    const time = this.known.times().findLast((one) => one <= wanted) ?? 0;
    const piece = { from: at(time), to: this.at };
    this.at = piece.from;
    return piece;
  }

  play(): boolean {
    return false;
  }
}

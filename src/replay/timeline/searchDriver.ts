/**
 * The one way in which an execution is gone through: to a position, forward over everything that meets some
 * conditions, and backward part by part. There is one player, which goes forward only; going back means to return to a
 * checkpoint and go forward from there. All of it is written as steps (steps.ts), so that debuggers drive it with
 * pauses and helpers (searching.ts), and scripts without promises (traces/execution/playing.ts).
 */
import type { PageStore } from '../../machine/snapshots/pageStore.js';
import type { Pace } from './parallel/pace.js';
import type { Piece } from './parallel/pieces.js';
import type { Player } from '../play/player.js';
import { at, comparePositions, type Position } from '../log/position.js';
import type { Checkpoint, Checkpoints } from './checkpoints.js';
import type { Condition } from './conditions.js';
import { type HitListener, Scan } from './scan.js';
import { inSteps } from './scanSteps.js';
import { State } from './state.js';
import { asPart, type Steps, untold } from './steps.js';

/**
 * Where checkpoints are made before a place that is gone to: so many instructions before it. On a recording of
 * bench/longRun.c these let a hundred steps back take half of what they take with 4,000,000, 400,000 and 20,000 (70 ms
 * of processor time against 120), for which a seek that makes all of them costs 5 ms more (27 against 22).
 */
const NEAR_DISTANCES = [4_000_000, 1_000_000, 250_000, 64_000, 16_000, 4000];
/**
 * How much longer a part may be that is searched than what has been, going back: each part costs something by itself.
 */
export const FARTHER = 1 / 8;
/** If the way to a place leads over more hits than that, the player stops looking out for them. */
const MOST_STOPS = 64;

/** What a driver drives. */
interface Driven {
  readonly player: Player;
  readonly checkpoints: Checkpoints;
  readonly store: PageStore;
  /** There is nothing before it. */
  readonly start: Position;
}

export interface Search {
  /**
   * With addresses that are good at all times. As long as it is the same array it is the same question: the code that
   * was translated for it serves again.
   */
  readonly conditions: readonly Condition[];
  readonly listener: HitListener;
  /** Told where a part begins, before its hits. */
  readonly begins?: ((state: State) => void) | undefined;
}

/** A search backward: what is looked for in each part, and whether another one is wanted after it. */
export interface PartSearch {
  searchOf(part: Piece): Search;
  ended(part: Piece): 'go on' | 'stop';
}

/** Searched to the end; ended by the listener; or others should help from there on. */
export type Outcome = 'done' | 'stopped' | Position;

/** No help is wanted. */
export const ALONE: Pace = { needsHelp: () => false };

export class SearchDriver {
  /** Instructions that were played so far. */
  played = 0;
  private scan: { readonly conditions: readonly Condition[]; readonly scan: Scan } | undefined;

  constructor(private readonly driven: Driven) {}

  get start(): Position {
    return this.driven.start;
  }

  /** What the program is where the player stands: good until it moves. */
  get state(): State {
    const { player } = this.driven;
    return new State(player.world, player.position);
  }

  /** Whether it stands there. Where nothing happens between two instructions, before it is the same as after it. */
  isAt(position: Position): boolean {
    const { player } = this.driven;
    const target = this.inside(position);
    const here = target.done === Infinity ? player.position : at(player.time, player.eventsHere);
    return comparePositions(target, here) === 0;
  }

  /**
   * Goes to a place of the user's by the shortest way, and makes checkpoints on it. Work that is given up leaves it
   * somewhere.
   */
  *approach(position: Position): Steps<void> {
    const target = this.inside(position);
    this.driven.checkpoints.visit(target);
    yield* this.goTo(target);
  }

  /** Makes it cheap to come back to where it stands. */
  remember(): void {
    const { checkpoints, player } = this.driven;
    checkpoints.add(player, 'near');
  }

  /** The same until what is returned is called, however much is looked at meanwhile. */
  keep(): () => void {
    const { checkpoints, player } = this.driven;
    return checkpoints.keep(player);
  }

  /** Right before the last thing that happens at `endTime`. It stands behind it then. */
  *findEnd(endTime: number): Steps<Position> {
    const { player } = this.driven;
    yield* this.approach(at(endTime, 0));
    for (let done = 0; ; done++) {
      const { position } = player;
      if (player.advance(endTime, done + 1).kind === 'end' || position.done === Infinity) return at(endTime, Math.max(0, done - 1));
    }
  }

  /** Tells of everything that has its position in [from, to), in order. */
  *forward({ conditions, listener, begins }: Search, { from, to }: Piece, pace = ALONE): Steps<Outcome> {
    yield* untold(this.approach(from));
    begins?.(this.state);
    return yield* this.scanTo(this.scanFor(conditions, listener), to, pace, true);
  }

  /**
   * The part after the last checkpoint before `to` first, then what is before it, and so on back to `from`. Each part
   * tells all it has, in order. Returns how far back it came.
   *
   * Parts begin right after an instruction: what a checkpoint has behind it of its own time is not seen from there,
   * so that belongs to the part before it.
   */
  *backward({ from, to }: Piece, parts: PartSearch): Steps<Position> {
    const { checkpoints, player, store } = this.driven;
    const [first, total] = [this.inside(from), Math.max(1, to.time - from.time)];
    yield* untold(this.approach(to));
    let end = to;
    while (comparePositions(end, first) > 0) {
      const checkpoint = this.checkpointBefore(end, to);
      const isBeginning = comparePositions(checkpoint.position, this.start) <= 0;
      const begin = isBeginning ? this.start : at(checkpoint.position.time + 1, 0);
      const part = { from: comparePositions(begin, first) < 0 ? first : begin, to: end };
      player.restore(checkpoint.state, store);
      yield* untold(this.goTo(part.from));
      const { conditions, listener, begins } = parts.searchOf(part);
      begins?.(this.state);
      // The player has been here before: more checkpoints would displace others that are worth as much.
      const steps = this.scanTo(this.scanFor(conditions, listener), end, ALONE, checkpoints.haveRoom);
      yield* asPart(steps, to.time - end.time, end.time - part.from.time, total);
      end = part.from;
      if (parts.ended(part) === 'stop') break;
      yield { done: to.time - end.time, total };
    }
    return end;
  }

  /** Plays a little from `from` on towards `to`, and leaves a checkpoint. Returns how far it came. */
  playSome(from: Position, to: Position): Position {
    const { player, checkpoints, store } = this.driven;
    this.rest();
    if (!this.isAt(from)) {
      player.restore((checkpoints.before(from) ?? this.firstCheckpoint).state, store);
      this.pass(from);
    }
    const stop = at(Math.min(checkpoints.nextDue(player.time), to.time));
    this.pass(stop);
    checkpoints.add(player);
    return stop;
  }

  /** The player looks out for nothing any more. */
  rest(): void {
    this.scan?.scan.end();
    this.scan = undefined;
  }

  private inside(position: Position): Position {
    return comparePositions(position, this.start) < 0 ? this.start : position;
  }

  private get firstCheckpoint(): Checkpoint {
    return this.driven.checkpoints.all[0] as Checkpoint;
  }

  /** Where the part before `end` begins, for a search that began at `to`. */
  private checkpointBefore(end: Position, to: Position): Checkpoint {
    const farther = Math.floor((to.time - end.time) * FARTHER);
    const latest = end.done > 0 ? end.time : end.time - 1;
    return this.driven.checkpoints.strictlyBefore(at(latest - farther, 0)) ?? this.firstCheckpoint;
  }

  private *goTo(target: Position): Steps<void> {
    if (this.isAt(target)) return;
    const { player, checkpoints, store } = this.driven;
    const isBehind = comparePositions(target, player.position) < 0;
    const known = checkpoints.before(target, isBehind ? 0 : player.time);
    if (known !== undefined && (isBehind || comparePositions(known.position, player.position) > 0)) player.restore(known.state, store);
    this.scan?.scan.pause();
    const [begin, total] = [player.time, Math.max(1, target.time - player.time)];
    for (const distance of NEAR_DISTANCES) {
      const stop = target.time - distance;
      if (stop <= player.time) continue;
      yield* this.passWithCheckpoints(at(stop), begin, total);
      checkpoints.add(player, 'near');
    }
    yield* this.passWithCheckpoints(target, begin, total);
  }

  private *passWithCheckpoints(target: Position, begin: number, total: number): Steps<void> {
    const { player, checkpoints } = this.driven;
    for (let due = checkpoints.nextDue(player.time); due < target.time; due = checkpoints.nextDue(player.time)) {
      if (!this.pass(at(due))) return;
      checkpoints.add(player);
      yield { done: player.time - begin, total };
    }
    this.pass(target);
  }

  /** Goes by hits of the last search without a look. False at the end of the recording. */
  private pass(target: Position): boolean {
    const { player } = this.driven;
    const before = player.time;
    for (let stops = 0; ; stops++) {
      if (stops > MOST_STOPS) this.rest();
      const { kind } = player.advance(target.time, target.done);
      if (kind === 'stop') continue;
      this.played += player.time - before;
      return kind === 'reached';
    }
  }

  private scanFor(conditions: readonly Condition[], listener: HitListener): Scan {
    if (this.scan?.conditions !== conditions) {
      this.rest();
      this.scan = { conditions, scan: new Scan(this.driven.player, conditions) };
      this.scan.scan.begin();
    }
    this.scan.scan.listen(listener);
    return this.scan.scan;
  }

  private *scanTo(scan: Scan, to: Position, pace: Pace, leavesCheckpoints: boolean): Steps<Outcome> {
    const { player, checkpoints } = this.driven;
    const [begin, total] = [player.time, Math.max(1, to.time - player.time)];
    let before = begin;
    const steps = inSteps(scan, player, to, (time) => checkpoints.nextDue(time));
    for (;;) {
      const due = checkpoints.nextDue(before);
      const { done, value } = steps.next();
      this.played += player.time - before;
      before = player.time;
      if (done === true) return value ? 'done' : 'stopped';
      if (player.time === due && leavesCheckpoints) checkpoints.add(player);
      yield { done: player.time - begin, total };
      if (pace.needsHelp(player.time - begin, to.time - player.time)) return value;
    }
  }
}

/**
 * The recording under traces: goes to any time, and looks for what meets some conditions between two times, in either
 * direction. It does what Timeline does, with the same player and checkpoints, but nothing is a promise: scripts call it in
 * the middle of an expression.
 */
import type { Position } from '../../replay/play/position.js';
import { at, comparePositions } from '../../replay/play/position.js';
import type { Condition, Hit } from '../../replay/timeline/conditions.js';
import { hitFor } from '../../replay/timeline/hitMeets.js';
import { Scan } from '../../replay/timeline/scan.js';
import { State } from '../../replay/timeline/state.js';
import type { Timeline } from '../../replay/timeline/timeline.js';
import { Cancelled, type Work } from '../../replay/timeline/work.js';

/** Hits with `from <= time < to`: all there are. */
export interface FoundHits {
  readonly from: number;
  readonly to: number;
  readonly hits: readonly Hit[];
}

/** What somebody looks for. Searches of others tell it what they see on their way. */
export interface Question {
  readonly conditions: readonly Condition[];
  learn(found: FoundHits): void;
  /** Told of each hit of its own while the execution stands there. */
  readonly passing?: ((hit: Hit) => void) | undefined;
}

/** Where checkpoints are made before a place that is gone to: so many instructions before it. */
const NEAR_DISTANCES = [4_000_000, 1_000_000, 250_000, 64_000, 16_000, 4000];
/** How much longer a part may be that is searched than what has been, going back. */
const FARTHER = 1 / 8;
const LONGEST_STEP = 16_000_000;
const FIRST_STEP = 8192;
/** If the way to a place leads over more hits than that, nobody looks any more. */
const MOST_STOPS = 64;
/** So many questions are looked for at once, those that were asked last; but none that has too many answers. */
const MOST_QUESTIONS = 48;
const MOST_HITS_ON_THE_WAY = 4096;

export class Playing {
  /** Instructions that were executed to answer questions. */
  cost = 0;
  /** Changes whenever the program does. */
  generation = 0;
  /** How often somebody looked at the program, and how often at what a search had read of it on its way (habits.ts). */
  looks = 0;
  foreseen = 0;
  private scan: Scan | undefined;
  /** The one that was asked last first. Code is translated for all of them, so that it need not be again and again. */
  private asked: Asked[] = [];
  private listener: (hit: Hit) => 'go on' | 'stop' = () => 'stop';

  constructor(
    readonly timeline: Timeline,
    private readonly work: Pick<Work, 'progress' | 'isCancelled'> = {},
  ) {}

  get endTime(): number {
    return this.timeline.endTime;
  }

  /** What the program is where the player stands: good until `generation` changes. */
  get state(): State {
    const { player } = this.timeline;
    return new State(player.world, player.position);
  }

  /** Makes the player stand there. */
  standAt(position: Position): void {
    const { player, checkpoints, store } = this.timeline;
    const target = this.inside(position);
    // Where nothing happened between two instructions, before it is the same as after it.
    const here = target.done === Infinity ? player.position : at(player.time, player.eventsHere);
    const order = comparePositions(target, here);
    if (order === 0) return;
    this.generation++;
    checkpoints.visit(target);
    const isBehind = order < 0;
    const known = checkpoints.before(target, isBehind ? 0 : player.time);
    if (known !== undefined && (isBehind || comparePositions(known.position, player.position) > 0)) player.restore(known.state, store);
    for (const distance of NEAR_DISTANCES) {
      const stop = target.time - distance;
      if (stop <= player.time) continue;
      this.goTo(at(stop));
      checkpoints.add(player, 'near');
    }
    this.goTo(target);
  }

  /** Makes it cheap to come back. */
  remember(position: Position): void {
    this.standAt(position);
    this.timeline.checkpoints.add(this.timeline.player, 'near');
  }

  /** From `from` on until there are `most` hits, at most up to `to`. */
  forward(question: Question, from: number, to: number, most: number): FoundHits {
    if (from >= to) return { from, to, hits: [] };
    this.standAt(at(from, 0));
    const [scan, own] = this.scanFor(question);
    this.listen(() => (own.hits.length >= most ? 'stop' : 'go on'));
    const reached = this.scanTo(scan, at(to, 0)) ? to : (own.hits.at(-1)?.position.time ?? to - 1) + 1;
    // What else happens at the time of the last hit has not been seen.
    this.tellOthers(from, reached === to ? to : reached - 1);
    return { from, to: reached, hits: own.hits };
  }

  /** From `to` back to `from`, until a part between two checkpoints has some: all of that part. */
  backward(question: Question, from: number, to: number): FoundHits {
    if (from >= to) return { from, to, hits: [] };
    const { checkpoints, player, store, start: beginning } = this.timeline;
    this.standAt(at(to, 0));
    let [end, hits]: [number, readonly Hit[]] = [to, []];
    while (hits.length === 0 && end > from) {
      // What a checkpoint has behind it of its own time is not seen from there: that belongs to the part before it.
      const farther = Math.floor((to - end) * FARTHER);
      const start = checkpoints.strictlyBefore(at(end - 1 - farther, 0)) ?? checkpoints.strictlyBefore(at(end - 1, 0)) ?? checkpoints.all[0];
      if (start === undefined) break;
      this.generation++;
      player.restore(start.state, store);
      const isFirst = comparePositions(start.position, beginning) <= 0;
      const low = Math.max(from, isFirst ? beginning.time : start.position.time + 1);
      this.standAt(at(low, 0));
      const [scan, own] = this.scanFor(question);
      this.listen(() => 'go on');
      this.scanTo(scan, at(end, 0), checkpoints.haveRoom);
      ({ hits } = own);
      this.tellOthers(low, end);
      end = low;
      if (isFirst) break;
    }
    return { from: hits.length === 0 ? from : end, to, hits };
  }

  private inside(position: Position): Position {
    const { start } = this.timeline;
    return comparePositions(position, start) < 0 ? start : position;
  }

  /** A scan for this question and those that were asked lately. On the way to somewhere it may be lost. */
  private scanFor(question: Question): [Scan, Asked] {
    const known = this.asked.find((asked) => asked.question === question);
    const others = this.asked.filter((asked) => asked !== known && asked.hits.length <= MOST_HITS_ON_THE_WAY);
    const isSame = known !== undefined && others.length === this.asked.length - 1;
    const own = known ?? new Asked(question);
    this.asked = [own, ...others].slice(0, MOST_QUESTIONS);
    if (this.scan === undefined || !isSame) {
      this.forget();
      this.scan = new Scan(this.timeline.player, this.asked.flatMap((asked) => asked.question.conditions), (hit) => this.listener(hit));
      this.scan.begin();
    }
    this.scan.restart();
    return [this.scan, own];
  }

  private listen(answer: () => 'go on' | 'stop'): void {
    for (const asked of this.asked) asked.hits = [];
    this.listener = (hit) => {
      for (const asked of this.asked) asked.take(hit);
      return answer();
    };
  }

  private tellOthers(from: number, to: number): void {
    if (from >= to) return;
    for (const { question, hits } of this.asked.slice(1)) question.learn({ from, to, hits: hits.filter(({ position }) => position.time < to) });
  }

  private forget(): void {
    this.scan?.end();
    this.scan = undefined;
  }

  private goTo(target: Position): void {
    const { player, checkpoints } = this.timeline;
    const { listener } = this;
    // Who goes by does not look.
    this.listener = () => 'go on';
    const begin = player.time;
    for (let due = checkpoints.nextDue(player.time); due < target.time; due = checkpoints.nextDue(player.time)) {
      if (!this.advance(at(due))) break;
      checkpoints.add(player);
      this.breathe(player.time - begin, target.time - begin);
    }
    this.advance(target);
    this.listener = listener;
  }

  /** False at the end of the recording. */
  private advance(target: Position): boolean {
    const { player } = this.timeline;
    for (let stops = 0; ; stops++) {
      if (stops > MOST_STOPS) this.forget();
      const before = player.time;
      const { kind } = player.advance(target.time, target.done);
      this.cost += player.time - before;
      if (kind !== 'stop') return kind === 'reached';
    }
  }

  /** False if the listener ended it. */
  private scanTo(scan: Scan, to: Position, leavesCheckpoints = true): boolean {
    const { player, checkpoints } = this.timeline;
    const [begin, total] = [player.time, Math.max(1, to.time - player.time)];
    this.generation++;
    for (let step = FIRST_STEP; ; step = Math.min(LONGEST_STEP, step * 2)) {
      const before = player.time;
      const due = checkpoints.nextDue(before);
      const stop = Math.min(due, before + step);
      const isLast = stop >= to.time;
      const goesOn = scan.run(isLast ? to : at(stop));
      this.cost += player.time - before;
      if (!goesOn) return false;
      if (isLast) return true;
      if (stop === due && leavesCheckpoints) checkpoints.add(player);
      this.breathe(player.time - begin, total);
    }
  }

  private breathe(done: number, total: number): void {
    this.work.progress?.(done, total);
    if (this.work.isCancelled?.() === true) throw new Cancelled();
  }
}

/** A question, and what a search has seen that answers it. */
class Asked {
  hits: Hit[] = [];

  constructor(readonly question: Question) {}

  /** Of several things at one time the first counts. */
  take(found: Hit): void {
    if (this.hits.at(-1)?.position.time === found.position.time) return;
    const hit = hitFor(this.question.conditions, found);
    if (hit === undefined) return;
    this.hits.push(hit);
    this.question.passing?.(hit);
  }
}

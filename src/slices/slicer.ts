/**
 * Slices of an execution. Nothing was logged for them while it was recorded: a first pass plays the execution from its
 * beginning and follows control (control/); it notes the calls and regions that are open at the border of each stretch.
 * Then stretches are walked through backward, newest first, each with its log of blocks and addresses. Both are kept as
 * far as there is room: the next slice needs the first pass no more, and finds some stretches ready.
 */
import type { Modules } from '../debugger/program/modules.js';
import { at, type Position } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import { partOf, type Work } from '../replay/timeline/work.js';
import { BackwardWalk, type WalkOptions } from './backward.js';
import { type ControlState, ControlObserver, NOTHING_FOLLOWED } from './control/observer.js';
import { Programs } from './control/programs.js';
import { SliceGraph } from './graph.js';
import { Stretch } from './trace/stretch.js';
import { Wanters } from './wants/wanters.js';

/** Instructions of a stretch, at least: about 20 MB. */
const STRETCH = 4_000_000;
/** Bytes of stretches that are kept. */
const MOST_KEPT = 512 * 1024 * 1024;
/** Graphs of functions are better with each round: jumps that were not foreseen are known then. */
const MOST_ROUNDS = 4;

interface Border {
  readonly time: number;
  readonly state: ControlState;
}

/** What is asked for: the walk begins at `to`. */
export interface Criterion {
  readonly to: Position;
  /** Begins with what is wanted there. */
  begin(walk: BackwardWalk): void;
  /** Between these times there are instances that belong to what is asked for. */
  readonly seeds?: { readonly from: number; readonly to: number };
}

export interface SliceResult {
  readonly graph: SliceGraph;
  readonly walk: BackwardWalk;
  /** Instructions of the execution up to the criterion. */
  readonly instructions: number;
}

export class Slicer {
  readonly programs: Programs;
  private borders: Border[] = [];
  /** Up to which control has been followed. */
  private followed = -1;
  private kept = new Map<number, Stretch>();
  /** Memory for the next stretch. */
  private spare: Stretch | undefined;

  constructor(
    private readonly execution: Execution,
    modules: Modules,
  ) {
    this.programs = new Programs(modules);
  }

  async slice(criterion: Criterion, options: WalkOptions, work?: Work): Promise<SliceResult> {
    const end = criterion.to.time;
    await this.follow(criterion.to, partOf(work, 0, 1, 2));
    const real = new Set<number>();
    for (let isCareful = false; ; isCareful = true) {
      const wanters = new Wanters();
      const graph = new SliceGraph(wanters);
      const walk = new BackwardWalk(this.programs, graph, wanters, options, real, isCareful);
      criterion.begin(walk);
      await this.walkBack(walk, criterion, partOf(work, 1, 1, 2));
      if (walk.mistaken.size === 0) return { graph, walk, instructions: end - this.execution.start.time };
      if (isCareful) for (const time of walk.mistaken) real.add(time);
    }
  }

  private async walkBack(walk: BackwardWalk, { to, seeds }: Criterion, work: Work | undefined): Promise<void> {
    const first = this.borders.findLastIndex(({ time }) => time < to.time);
    const total = Math.max(1, to.time - this.execution.start.time);
    const firstSeed = seeds?.from ?? Infinity;
    for (let i = first; i >= 0; i--) {
      if (walk.isDone && firstSeed >= (this.borders[i + 1]?.time ?? Infinity)) return;
      const border = this.borders[i] as Border;
      const end = Math.min(to.time, this.borders[i + 1]?.time ?? Infinity);
      walk.walk(await this.stretch(i, to, partOf(work, to.time - end, end - border.time, total)), to.time, seeds);
    }
  }

  /** The stretch after a border, up to the next one or to `to`. */
  private async stretch(i: number, to: Position, work: Work | undefined): Promise<Stretch> {
    const known = this.kept.get(i);
    const next = this.borders[i + 1];
    if (known !== undefined && known.end >= Math.min(to.time, next?.time ?? Infinity)) return known;
    const { time, state } = this.borders[i] as Border;
    const made = this.newStretch(time);
    const end = next === undefined || next.time > to.time ? to : at(next.time);
    await this.execution.observe({ addresses: true }, new ControlObserver(this.programs, state, made), i === 0 ? this.execution.start : at(time), end, work);
    made.end = end.time;
    return this.keep(i, made);
  }

  /** With the memory of one that was not kept. */
  private newStretch(time: number): Stretch {
    const made = new Stretch(time, this.programs.layouts.all, this.spare);
    this.spare = undefined;
    return made;
  }

  /** The latest are likely to be asked for again. What is not kept is good until the next stretch is made. */
  private keep(i: number, stretch: Stretch): Stretch {
    this.spare = stretch;
    const kept = stretch.trimmed();
    this.kept.set(i, kept);
    let bytes = [...this.kept.values()].reduce((sum, one) => sum + one.bytes, 0);
    for (const key of [...this.kept.keys()].sort((a, b) => a - b)) {
      if (bytes <= MOST_KEPT || this.kept.size === 1) break;
      bytes -= (this.kept.get(key) as Stretch).bytes;
      this.kept.delete(key);
    }
    return kept;
  }

  /** Follows control up to a position. */
  private async follow(to: Position, work: Work | undefined): Promise<void> {
    if (to.time <= this.followed) return;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      this.programs.hasLearnt = false;
      await this.followOnce(to, work);
      if (!this.programs.hasLearnt) break;
    }
    this.followed = to.time;
  }

  private async followOnce(to: Position, work: Work | undefined): Promise<void> {
    const { start } = this.execution;
    this.borders = [{ time: start.time, state: NOTHING_FOLLOWED }];
    this.kept.clear();
    let stretch = this.newStretch(start.time);
    const observer = new ControlObserver(this.programs, NOTHING_FOLLOWED, stretch);
    observer.onRun = (time) => {
      const border = this.borders.at(-1) as Border;
      if (time - border.time < STRETCH) return;
      stretch.end = time;
      const { state } = observer;
      const ended = this.keep(this.borders.length - 1, stretch);
      this.borders.push({ time, state });
      stretch = this.newStretch(time);
      observer.goOn(ended, stretch);
    };
    await this.execution.observe({ addresses: true }, observer, start, to, work);
    stretch.end = to.time;
    this.keep(this.borders.length - 1, stretch);
  }
}

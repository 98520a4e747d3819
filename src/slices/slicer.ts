/**
 * Slices of an execution. Nothing was logged for them while it was recorded: a first pass plays the execution from its
 * beginning and follows control (control/); it notes the calls and regions that are open at the border of each stretch.
 * Then stretches are walked through backward, newest first, each with its log of blocks and addresses. Both are kept as
 * far as there is room: the next slice needs the first pass no more, and finds some stretches ready.
 */
import type { Modules } from '../debugger/program/modules.js';
import { at, type Position } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import { partOf, quietly, type Work } from '../replay/timeline/work.js';
import { BackwardWalk } from './backward.js';
import { NO_INSTANCE } from './control/callStack.js';
import { type ControlState, ControlObserver, type FunctionWatch, NOTHING_FOLLOWED } from './control/observer.js';
import { Programs } from './control/programs.js';
import { ForwardWalk } from './forward.js';
import type { SliceGraph } from './graph.js';
import { Stretch } from './trace/stretch.js';
import type { Seeds, WalkOptions } from './walkOptions.js';
import { Wanters } from './wants/wanters.js';

/** Instructions of a stretch, at least: about 20 MB. */
const STRETCH = 4_000_000;
/** Bytes of stretches that are kept. */
const MOST_KEPT = 512 * 1024 * 1024;
/** Instructions in which most functions show where their jumps lead. */
const BEGINNING = 1_000_000;
/** Graphs of functions are better with each round: jumps that were not foreseen are known then. */
const MOST_ROUNDS = 4;

interface Border {
  readonly time: number;
  /** Entries of the functions that have something in the stretch after it. */
  readonly functions: Set<number>;
  readonly state: ControlState;
}

/** What is asked for: the walk begins at `to`. */
export interface Criterion {
  readonly to: Position;
  /** Begins with what is wanted there. `spaceOf`: the address space of a thread at that time. */
  begin(walk: BackwardWalk, spaceOf: (thread: number) => number): void;
  /** Instances that belong to what is asked for, with all that they use. */
  readonly seeds?: Seeds;
  /** An instruction that could not be executed at `to`: `node` wants what let control come there. */
  readonly next?: { readonly thread: number; readonly address: number; readonly node: number };
}

interface SliceResult {
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
  private readonly kept = new Map<number, Stretch>();
  /** The one that was observed last. */
  private latest: Stretch | undefined;
  /** Memory for the next stretch. */
  private spare: Stretch | undefined;
  /** Who observed last, and up to when. Good until the next stretch is made. */
  private standing: { readonly time: number; readonly observer: ControlObserver } | undefined;

  constructor(
    private readonly execution: Execution,
    modules: Modules,
  ) {
    this.programs = new Programs(modules);
  }

  /** `newGraph`: for graphs that note more. */
  async slice<G extends SliceGraph = SliceGraph>(criterion: Criterion, options: WalkOptions, work: Work | undefined, newGraph: (wanters: Wanters) => G): Promise<SliceResult & { readonly graph: G }> {
    const end = criterion.to.time;
    await this.follow(criterion.to, partOf(work, 0, 1, 2));
    const real = new Set<number>();
    for (let isCareful = false; ; isCareful = true) {
      const wanters = new Wanters();
      const graph = newGraph(wanters);
      const walk = new BackwardWalk(this.programs, graph, wanters, options, real, isCareful);
      await this.walkBack(walk, criterion, partOf(work, 1, 1, 2));
      if (walk.mistaken.size === 0) return { graph, walk, instructions: end - this.execution.start.time };
      if (isCareful) for (const time of walk.mistaken) real.add(time);
    }
  }

  /** What instances had an influence on, from `seeds.from` on to the end of the execution. */
  async forward<G extends SliceGraph>(seeds: Seeds, options: WalkOptions, end: Position, work: Work | undefined, newGraph: (wanters: Wanters) => G): Promise<G> {
    await this.follow(end, partOf(work, 0, 1, 2));
    const graph = newGraph(new Wanters());
    const walk = new ForwardWalk(this.programs, graph, new Wanters(), options);
    const first = this.borders.findLastIndex(({ time }) => time <= seeds.from);
    const total = Math.max(1, end.time - seeds.from);
    for (let i = Math.max(0, first); i < this.borders.length; i++) {
      const { time } = this.borders[i] as Border;
      walk.walk(await this.stretch(i, end, partOf(partOf(work, 1, 1, 2), time - seeds.from, total, total)), seeds.from, seeds);
    }
    return graph;
  }

  private async walkBack(walk: BackwardWalk, criterion: Criterion, work: Work | undefined): Promise<void> {
    const { to, seeds } = criterion;
    const first = this.borders.findLastIndex(({ time }) => time < to.time);
    const total = Math.max(1, to.time - this.execution.start.time);
    for (let i = first; i >= 0; i--) {
      const border = this.borders[i] as Border;
      const end = Math.min(to.time, this.borders[i + 1]?.time ?? Infinity);
      if (i === first) await this.wantControl(walk, criterion, i, work);
      const stretch = await this.stretch(i, to, partOf(work, to.time - end, end - border.time, total));
      if (i === first) criterion.begin(walk, (thread) => spaceOf(thread, stretch, border));
      walk.walk(stretch, to.time, seeds);
      if (walk.isDone && (seeds === undefined || seeds.from >= border.time)) return;
    }
  }

  private async wantControl(walk: BackwardWalk, { to, next }: Criterion, i: number, work: Work | undefined): Promise<void> {
    if (next === undefined || !walk.options.control) return;
    const observer = this.standing?.time === to.time ? this.standing.observer : await this.observe(i, to, quietly(work));
    const instance = observer.wouldDependOn(next.thread, next.address);
    if (instance !== NO_INSTANCE) walk.earlier.control.set(instance, walk.wanters.of(next.node));
  }

  /** The stretch after a border, up to the next one or to `to`. */
  private async stretch(i: number, to: Position, work: Work | undefined): Promise<Stretch> {
    const known = this.kept.get(i);
    const next = this.borders[i + 1];
    if (known !== undefined && known.end >= Math.min(to.time, next?.time ?? Infinity)) return known;
    await this.observe(i, to, work);
    return this.latest as Stretch;
  }

  /** With the memory of one that was not kept. */
  private newStretch(time: number): Stretch {
    const made = new Stretch(time, this.programs.layouts.all, this.spare);
    this.spare = undefined;
    this.standing = undefined;
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
    const { start } = this.execution;
    // Most of what graphs did not foresee comes up where programs begin: to know it then saves rounds of more.
    const beginning = at(start.time + BEGINNING);
    if (to.time > beginning.time + STRETCH && this.followed < 0) await this.followAll(beginning, undefined);
    let learnt = await this.followAll(to, work);
    for (let round = 1; round < MOST_ROUNDS && learnt.size > 0; round++) learnt = await this.followAgain(learnt, to, work);
    this.followed = to.time;
  }

  /** From the beginning. Returns the functions of which something new is known. */
  private async followAll(to: Position, work: Work | undefined): Promise<Set<number>> {
    const { start } = this.execution;
    const learnt = new Set<number>();
    this.borders = [{ time: start.time, state: NOTHING_FOLLOWED, functions: new Set() }];
    this.kept.clear();
    let stretch = this.newStretch(start.time);
    const observer = new ControlObserver(this.programs, NOTHING_FOLLOWED, stretch, {
      entered: (entry) => void (this.borders.at(-1) as Border).functions.add(entry),
      learnt: (entry) => void learnt.add(entry),
    });
    observer.onRun = (time) => {
      const border = this.borders.at(-1) as Border;
      if (time - border.time < STRETCH) return;
      stretch.end = time;
      const { state } = observer;
      const ended = this.keep(this.borders.length - 1, stretch);
      this.borders.push({ time, state, functions: new Set() });
      stretch = this.newStretch(time);
      observer.goOn(ended, stretch);
    };
    await this.execution.observe({ addresses: true }, observer, start, to, work);
    stretch.end = to.time;
    this.keep(this.borders.length - 1, stretch);
    this.standing = { time: to.time, observer };
    return learnt;
  }

  /** Stretches with some functions, whose graphs are better now. Others are as they were. */
  private async followAgain(functions: ReadonlySet<number>, to: Position, work: Work | undefined): Promise<Set<number>> {
    const learnt = new Set<number>();
    const has = (i: number): boolean => [...functions].some((entry) => this.borders[i]?.functions.has(entry) === true);
    for (let i = 0; i < this.borders.length; i++) {
      if (!has(i)) continue;
      const border = this.borders[i] as Border;
      const watch = { entered: (entry: number): void => void border.functions.add(entry), learnt: (entry: number): void => void learnt.add(entry) };
      const observer = await this.observe(i, to, work, watch);
      const next = this.borders[i + 1];
      if (next !== undefined && has(i + 1)) this.borders[i + 1] = { ...next, state: observer.state };
    }
    return learnt;
  }

  /** Observes a stretch, up to the next border or to `to`, and keeps it. */
  private async observe(i: number, to: Position, work: Work | undefined, watch?: FunctionWatch): Promise<ControlObserver> {
    const { time, state } = this.borders[i] as Border;
    const next = this.borders[i + 1];
    const made = this.newStretch(time);
    const end = next === undefined || next.time > to.time ? to : at(next.time);
    const observer = new ControlObserver(this.programs, state, made, watch);
    await this.execution.observe({ addresses: true }, observer, i === 0 ? this.execution.start : at(time), end, work);
    made.end = end.time;
    this.latest = this.keep(i, made);
    this.standing = { time: end.time, observer };
    return observer;
  }
}

/** Threads that did not run in the stretch are as they were where it began. */
function spaceOf(thread: number, { runs }: Stretch, { state }: Border): number {
  return runs.find((run) => run.thread === thread)?.space ?? state.threads.get(thread)?.space ?? 0;
}

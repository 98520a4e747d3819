/**
 * Slices of what a debugger debugs: one slicer for each execution (the recording, or a what-if branch), so that the
 * second slice is cheaper than the first.
 */
import { assert } from '../base/assert.js';
import { at, type Position } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { Work } from '../replay/timeline/work.js';
import type { BackwardWalk } from './backward.js';
import type { Programs } from './control/programs.js';
import { type SliceQuestion, sliceQuestion } from './criteria.js';
import { everyInstance, type Limits, limitedOptions, refusePlaces } from './filters.js';
import { MemberTimes, TimedGraph } from './memberTimes.js';
import { type FoundGraph, makeSlice, placeKey, type Slice, type SliceInput } from './slice.js';
import { SliceGraph } from './graph.js';
import { Slicer } from './slicer.js';
import type { SliceSubject } from './subject.js';
import type { CodeInstruction } from './trace/codeTable.js';
import type { Seeds, WalkOptions } from './walkOptions.js';

export interface SliceOptions {
  /** Default: both. */
  readonly kind?: 'data' | 'control';
  readonly intoLibraries?: boolean;
  /** Things are meant in the innermost frame of the user's own code, instead of the one that is selected. */
  readonly inOwnFrame?: boolean;
  /** What functions do to set up and leave their frames counts, too. */
  readonly frames?: boolean;
}

/** A slice, and when the instances of its members were. */
export interface TimedSlice {
  readonly slice: Slice;
  /** Of members, by their place in the slice. */
  readonly times: MemberTimes;
}

/** Single instances of instructions. */
export interface MemberInstances {
  /** By node. */
  readonly times: MemberTimes;
  /** Undefined for what is no instruction: the criterion. */
  readonly instructionOf: (node: number) => CodeInstruction | undefined;
  readonly programs: Programs;
}

/** What of a walk's finds is the slice. */
export type SlicePart = (found: FoundGraph, programs: Programs) => FoundGraph;

function walkOptions({ kind, intoLibraries = false, frames = false }: SliceOptions, programs: Programs): WalkOptions {
  return {
    data: kind !== 'control', control: kind !== 'data', frames,
    ...(intoLibraries ? {} : { isWatched: (one: CodeInstruction) => programs.isOfProgram(one) }),
    nodeOf: intoLibraries ? ({ id }) => id : ({ id }, site) => (site >= 0 ? site : id),
  };
}

const NO_LIMITS: Limits = { filters: [] };

export class Slices {
  private readonly slicers = new WeakMap<Execution, Slicer>();

  constructor(private readonly debug: SliceSubject) {}

  /** Of all that a statement uses, of things at a statement, of things where the debugger stands, or of the crash. */
  async backward(statement: string | undefined, things: readonly string[], options: SliceOptions = {}, work?: Work): Promise<Slice> {
    return this.answer(await sliceQuestion(this.debug, statement, things, work, options.inOwnFrame === true ? 'own' : 'selected'), options, work);
  }

  /** `part`: of what is found only that is kept. */
  async answer(question: SliceQuestion, options: SliceOptions = {}, work?: Work, limits = NO_LIMITS, part?: SlicePart): Promise<Slice> {
    const { slicer } = this;
    const { graph, walk, instructions } = await slicer.slice(limitedQuestion(question, limits), limitedOptions(walkOptions(options, slicer.programs), slicer.programs, limitsFor(question, limits)), work, (wanters) => new SliceGraph(wanters));
    const result = { graph, inputs: inputsOf(walk, this.loadedFiles()), instructions };
    const { intoLibraries = false } = options;
    return makeSlice(question.title, part?.(result, slicer.programs) ?? result, slicer.programs, { intoLibraries, start: this.debug.execution.start.time });
  }

  /** When its members were, by another walk: one that looks at every instance takes longer. */
  async times(slice: Slice, question: SliceQuestion, options: SliceOptions = {}, work?: Work, limits = NO_LIMITS, part?: SlicePart): Promise<MemberTimes> {
    const { slicer } = this;
    const { graph, instructions } = await slicer.slice(limitedQuestion(question, limits), everyInstance(limitedOptions(walkOptions(options, slicer.programs), slicer.programs, limitsFor(question, limits))), work, (wanters) => new TimedGraph(wanters));
    const kept = part?.({ graph, inputs: [], instructions }, slicer.programs).graph.nodes;
    return timesOf(slice, kept === undefined ? undefined : new Set(kept.map(({ node }) => node)), graph.times, slicer.programs);
  }

  /** Every single instance that is a member, newest first. */
  async instances(question: SliceQuestion, options: SliceOptions = {}, work?: Work): Promise<MemberInstances> {
    const { slicer } = this;
    const { graph } = await slicer.slice(question, everyInstance(walkOptions(options, slicer.programs)), work, (wanters) => new TimedGraph(wanters));
    return { times: graph.times, instructionOf: (node) => slicer.programs.table.instructions[node], programs: slicer.programs };
  }

  /** What an instance of a statement had an influence on. */
  async forward(statement: string, options: SliceOptions = {}, work?: Work): Promise<Slice> {
    return (await this.timedForward(statement, options, work)).slice;
  }

  /** The same, with times. */
  async timedForward(statement: string, options: SliceOptions = {}, work?: Work): Promise<TimedSlice> {
    const { title, seeds } = await sliceQuestion(this.debug, statement, [], work);
    assert(seeds !== undefined, 'a statement has instances');
    const { slicer } = this;
    const end = at(this.debug.execution.endTime);
    const graph = await slicer.forward(seeds, walkOptions(options, slicer.programs), end, work, (wanters) => new TimedGraph(wanters));
    const { intoLibraries = false } = options;
    const slice = makeSlice(`what ${title} had an influence on`, { graph, inputs: [], instructions: end.time - seeds.from }, slicer.programs, { intoLibraries, isForward: true });
    return { slice, times: timesOf(slice, undefined, graph.times.reversed(), slicer.programs) };
  }

  /** Whether an instance is influenced by some others, up to `end`, as a test of times. Undefined: too many are. */
  async influenced(seeds: Seeds, options: SliceOptions, end: Position, work?: Work): Promise<((time: number) => boolean) | undefined> {
    const { slicer } = this;
    const { times } = await slicer.forward(seeds, walkOptions(options, slicer.programs), end, work, (wanters) => new TimedGraph(wanters));
    if (!times.isComplete) return undefined;
    const sorted = Float64Array.from(times, ({ time }) => time).sort();
    return (time) => {
      let [low, high] = [0, sorted.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((sorted[middle] as number) < time) low = middle + 1;
        else high = middle;
      }
      return sorted[low] === time;
    };
  }

  private loadedFiles(): string[] {
    const { execution: { state }, modules, thread } = this.debug;
    return thread === undefined ? [] : modules.of(state, thread.id).all.map(({ path }) => path);
  }

  /** For questions of other kinds. */
  get slicer(): Slicer {
    const { execution, modules } = this.debug;
    let known = this.slicers.get(execution);
    if (known === undefined) this.slicers.set(execution, (known = new Slicer(execution, modules)));
    return known;
  }
}

/** In the order of time. That the program itself and its libraries are in files is nothing to tell. */
function inputsOf({ inputs, inputNames }: BackwardWalk, loaded: readonly string[]): SliceInput[] {
  return [...inputs].sort(([a], [b]) => a - b).map(([instance, made]) => {
    const source = inputNames.get(instance);
    return source === undefined || loaded.some((path) => source === path || source.startsWith(`${path} (`)) ? made : { ...made, source };
  });
}

function limitedQuestion(question: SliceQuestion, { filters }: Limits): SliceQuestion {
  if (filters.length === 0) return question;
  return {
    ...question,
    begin(walk, spaceOf) {
      refusePlaces(walk, filters);
      question.begin(walk, spaceOf);
    },
  };
}

/** What is asked for is looked at, whenever that is. */
function limitsFor({ seeds }: SliceQuestion, { filters, isLookedAt, isStrict }: Limits): Limits {
  if (isLookedAt === undefined || seeds === undefined || isStrict === true) return { filters, isLookedAt };
  return { filters, isLookedAt: (time) => (time >= seeds.from && time < seeds.to) || isLookedAt(time) };
}

/** By member instead of node. */
function timesOf({ members }: Slice, nodes: ReadonlySet<number> | undefined, times: MemberTimes, programs: Programs): MemberTimes {
  const places = new Map(members.map((member, i) => [placeKey(member), i]));
  const ofNode: (number | undefined)[] = [];
  const memberOf = (node: number): number => {
    const one = programs.table.instructions[node] as CodeInstruction | undefined;
    if (one === undefined || nodes?.has(node) === false) return -1;
    return places.get(placeKey(programs.ownerOf(one).placeAt(one.address))) ?? -1;
  };
  const made = new MemberTimes();
  for (const { of, time, isOwn } of times) {
    const member = (ofNode[of] ??= memberOf(of));
    if (member >= 0) made.add(member, time, isOwn);
  }
  made.isComplete &&= times.isComplete;
  return made;
}

/**
 * Slices of what a debugger debugs: one slicer for each execution (the recording, or a what-if branch), so that the
 * second slice is cheaper than the first.
 */
import type { Execution } from '../replay/timeline/execution.js';
import type { Work } from '../replay/timeline/work.js';
import type { WalkOptions } from './backward.js';
import type { Programs } from './control/programs.js';
import { type SliceQuestion, sliceQuestion } from './criteria.js';
import { type Limits, limitedOptions, refusePlaces } from './filters.js';
import { type MemberTime, MemberTimes, TimedGraph } from './memberTimes.js';
import { type FoundGraph, makeSlice, placeKey, type Slice } from './slice.js';
import { Slicer } from './slicer.js';
import type { SliceSubject } from './subject.js';
import type { CodeInstruction } from './trace/codeTable.js';

export interface SliceOptions {
  /** Default: both. */
  readonly kind?: 'data' | 'control';
  readonly intoLibraries?: boolean;
  /** What functions do to set up and leave their frames counts, too. */
  readonly frames?: boolean;
}

/** A slice, and when the instances of its members were. */
export interface TimedSlice {
  readonly slice: Slice;
  /** Of members, by their place in the slice. */
  readonly times: MemberTimes;
}

const NO_LIMITS: Limits = { filters: [] };

export class Slices {
  private readonly slicers = new WeakMap<Execution, Slicer>();

  constructor(private readonly debug: SliceSubject) {}

  /** Of all that a statement uses, of things at a statement, of things where the debugger stands, or of the crash. */
  async backward(statement: string | undefined, things: readonly string[], options: SliceOptions = {}, work?: Work): Promise<Slice> {
    return (await this.answer(await sliceQuestion(this.debug, statement, things, work), options, work)).slice;
  }

  /** `part`: of what is found only that is kept. */
  async answer(question: SliceQuestion, options: SliceOptions = {}, work?: Work, limits = NO_LIMITS, part?: (found: FoundGraph, programs: Programs) => FoundGraph): Promise<TimedSlice> {
    const { kind, intoLibraries = false, frames = false } = options;
    const { slicer } = this;
    const walk: WalkOptions = {
      data: kind !== 'control', control: kind !== 'data', frames,
      nodeOf: intoLibraries ? ({ id }) => id : ({ id }, site) => (site >= 0 ? site : id),
    };
    const { begin } = question;
    const limited: SliceQuestion = {
      ...question,
      begin(own, spaceOf) {
        refusePlaces(own, limits.filters);
        begin(own, spaceOf);
      },
    };
    const { seeds } = question;
    // What is asked for is looked at, whenever that is.
    const isLookedAt = limits.isLookedAt === undefined ? undefined : (time: number): boolean => (seeds !== undefined && time >= seeds.from && time < seeds.to) || limits.isLookedAt?.(time) === true;
    const result = await slicer.slice(limited, limitedOptions(walk, slicer.programs, { ...limits, isLookedAt }), work, (wanters) => new TimedGraph(wanters));
    const found = part === undefined ? result : part(result, slicer.programs);
    const slice = makeSlice(question.title, found, slicer.programs, { intoLibraries });
    return { slice, times: timesOf(slice, found === result ? undefined : new Set(found.graph.nodes.map(({ node }) => node)), result.graph.times, slicer.programs) };
  }

  /** For questions of other kinds. */
  get slicer(): Slicer {
    const { execution, modules } = this.debug;
    let known = this.slicers.get(execution);
    if (known === undefined) this.slicers.set(execution, (known = new Slicer(execution, modules)));
    return known;
  }
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
  for (const { of, time, isOwn } of times as Iterable<MemberTime>) {
    const member = (ofNode[of] ??= memberOf(of));
    if (member >= 0) made.add(member, time, isOwn);
  }
  made.isComplete &&= times.isComplete;
  return made;
}

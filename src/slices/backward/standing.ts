/**
 * Where a walk stands: the stretch, the block and what is wanted there. Those who go through blocks, instructions,
 * stores and frames share it.
 */
import type { Happening } from '../../replay/timeline/observing.js';
import type { Programs } from '../control/programs.js';
import type { SliceGraph } from '../graph.js';
import type { CodeBlock } from '../trace/codeTable.js';
import { PassageRecorder } from '../trace/passageRecorder.js';
import { NO_REF, Stretch } from '../trace/stretch.js';
import { MemoryWants } from '../wants/memoryWants.js';
import { Restores } from '../wants/restores.js';
import { ThreadWants } from '../wants/threadWants.js';
import { NO_WANTERS, type WanterSet, type Wanters } from '../wants/wanters.js';
import type { Seeds, WalkOptions } from '../walkOptions.js';

/** Memory that a system call has looked at. */
export interface Question {
  readonly space: number;
  readonly linear: number;
  readonly bytes: number;
}

/** What stays the same for a whole walk. */
interface WalkParts {
  readonly programs: Programs;
  readonly graph: SliceGraph;
  readonly wanters: Wanters;
  readonly options: WalkOptions;
  /** Restores that are known to be none, by time. */
  readonly real: ReadonlySet<number>;
  /** It has to be told which restores are mistaken. Otherwise, if there are any, the set has something. */
  readonly isCareful: boolean;
  readonly memoryOf: (space: number) => MemoryWants;
}

export class Standing {
  readonly programs: Programs;
  readonly graph: SliceGraph;
  readonly wanters: Wanters;
  readonly options: WalkOptions;
  readonly real: ReadonlySet<number>;
  readonly isCareful: boolean;
  readonly memoryOf: (space: number) => MemoryWants;
  readonly restores: Restores;
  readonly recorder: PassageRecorder;
  /** Restores of registers that turned out to be reads of something else: the walk has to be done again. */
  readonly mistaken = new Set<number>();
  /** System calls that are members: their results, or what they stored, are inputs of the slice. */
  readonly inputs = new Map<number, Happening>();
  /** What system calls of the stretch looked at in memory, by instance. */
  readonly questions = new Map<number, Question[]>();
  /** Of blocks that end with a system call. */
  readonly systemCalls = new Map<number, Happening>();
  stretch: Stretch = new Stretch(0, []);
  /** Where the walk through the stretch begins. */
  to = Infinity;
  seeds: Seeds | undefined;
  /** Blocks that may have instances that are asked for. */
  firstSeed = 0;
  lastSeed = -1;
  /** Of each block: ASKED and SPECIAL. */
  control: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  /** Of some blocks: who wants what the kernel did there. */
  calls = new Map<number, WanterSet>();
  /** Of control from stretches after this one. */
  laterControl = new Map<number, WanterSet>();
  /** Who wants the instances before the stretch, for control. */
  outerSets = new Int32Array(0);
  /** Outer instances of all stretches so far. */
  outerCount = 0;
  /** The block that is gone through: its thread and memory, where its addresses and parts begin. */
  block = 0;
  code: CodeBlock | undefined;
  thread: ThreadWants;
  memory: MemoryWants;
  threadId = 0;
  addresses = 0;
  part = 0;
  site = 0;
  mayHaveSeed = false;
  /** Of the block, or of its path. */
  firstPart = 0;
  firstBlock = 0;
  /** What is found of an instruction: who wants an output, and the first such output. */
  found: WanterSet = NO_WANTERS;
  place = 0;

  constructor({ programs, graph, wanters, options, real, isCareful, memoryOf }: WalkParts) {
    this.programs = programs;
    this.graph = graph;
    this.wanters = wanters;
    this.options = options;
    this.real = real;
    this.isCareful = isCareful;
    this.memoryOf = memoryOf;
    this.restores = new Restores(wanters);
    this.recorder = new PassageRecorder(wanters);
    this.thread = new ThreadWants(wanters);
    this.memory = new MemoryWants(wanters);
  }

  note(set: WanterSet, place: number): void {
    if (this.found === NO_WANTERS) this.place = place;
    this.found = this.wanters.union(this.found, set);
  }

  /** Of what is before the stretch: a number below 0 that it has in no other stretch. */
  outerNumber(ref: number): number {
    return ref === NO_REF ? NO_REF : ref - this.outerCount;
  }

  /** Something else has defined what a function took for a saved register. */
  withoutRestores(set: WanterSet): WanterSet {
    if (!this.wanters.hasTags(set)) return set;
    const tags = this.restores.tagsIn(set);
    this.recorder.isGood = false;
    for (const tag of tags) {
      this.mistaken.add(this.restores.get(tag).time);
      this.restores.found(tag);
    }
    return this.wanters.without(set, tags);
  }
}

/** Slices of a recorded program by src/slices and by brute force, side by side. */
import { Modules } from '../../src/debugger/program/modules.js';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import { at } from '../../src/replay/log/position.js';
import { Timeline, type TimelineOptions } from '../../src/replay/timeline/timeline.js';
import { limitedOptions } from '../../src/slices/filters.js';
import { SliceGraph } from '../../src/slices/graph.js';
import { Slicer } from '../../src/slices/slicer.js';
import type { WalkOptions } from '../../src/slices/walkOptions.js';
import { linearOf } from '../../src/slices/wants/memoryWants.js';
import { NEAR_FILES } from '../debugger/debugged.js';
import { record } from '../replay/recorded.js';
import { BruteGraphs } from './bruteControl.js';
import { BruteForce } from './bruteForce.js';
import { type Asked, ASKED, type BruteOptions, type BruteSlice } from './bruteInstances.js';

const coreModule = buildCoreModule();
export const KEPT = new WebAssembly.Module(coreModule);

export interface Which {
  readonly data: boolean;
  readonly control: boolean;
}

export const BOTH: Which = { data: true, control: true };

export async function recordProgram(words: readonly string[]): Promise<TimelineOptions> {
  const { options } = await record(words, { engine: { coreModule } });
  return options;
}

/** Graphs of functions learn from what they see: control alone is followed again until they know all. */
export function bruteForce(options: TimelineOptions, graphs: BruteGraphs, range: Omit<BruteOptions, 'frames'>, frames: boolean): BruteForce {
  for (let from = Infinity; ; from = range.from) {
    let brute: BruteForce;
    do {
      brute = new BruteForce(new Timeline(options), graphs, { ...range, from, frames });
      brute.run();
    } while (brute.hasLearnt);
    if (from === range.from) return brute;
  }
}

export class Compared {
  private readonly slicer: Slicer;
  private readonly modules = new Modules(NEAR_FILES);

  constructor(
    options: TimelineOptions,
    private readonly from: number,
    private readonly frames: boolean,
    /** The walk leaves out what is before the comparison: the same members after it, for less. */
    private readonly isCut = false,
  ) {
    this.slicer = new Slicer(new Timeline(options), this.modules);
  }

  static graphs(): BruteGraphs {
    return new BruteGraphs(new Modules(NEAR_FILES));
  }

  /** By the walk; instances before the beginning of the comparison left out. */
  async walked({ time, cells, bytes, thread, space, isSeed }: Asked, which: Which): Promise<BruteSlice> {
    const { from, frames, slicer: { programs } } = this;
    const whole: WalkOptions = { ...which, frames, nodeOf: (_instruction, _site, instance) => instance };
    const options = this.isCut ? limitedOptions(whole, programs, { filters: [], isLookedAt: (instance) => instance >= from }) : whole;
    const { graph } = await this.slicer.slice({
      to: at(isSeed ? time + 1 : time),
      begin(walk) {
        for (const cell of cells) walk.wantsOf(thread).add(cell, walk.wanters.of(ASKED));
        for (const byte of bytes) walk.memoryOf(space).set(linearOf(byte), walk.wanters.of(ASKED));
      },
      ...(isSeed ? { seeds: { from: time, to: time + 1, isSeed: (instance: number) => instance === time } } : {}),
    }, options, undefined, (wanters) => new SliceGraph(wanters));
    const members = new Set(graph.nodes.map(({ node }) => node).filter((node) => node >= from));
    const edges = new Set<string>();
    for (const edge of graph.edges) if (edge.to >= from) edges.add(`${edge.from}>${edge.to} ${edge.kind}`);
    return { members, edges };
  }
}

/** What one has and the other has not. */
export function differences(walked: BruteSlice, brute: BruteSlice): string[] {
  return [
    ...[...walked.members].filter((one) => !brute.members.has(one)).map((one) => `member ${one} is too much`),
    ...[...brute.members].filter((one) => !walked.members.has(one)).map((one) => `member ${one} is missing`),
    ...[...walked.edges].filter((one) => !brute.edges.has(one)).map((one) => `edge ${one} is too much`),
    ...[...brute.edges].filter((one) => !walked.edges.has(one)).map((one) => `edge ${one} is missing`),
  ];
}

/**
 * Regions are collected as code becomes hot, each from what is warm at that time, so that a function ends up in many
 * pieces and control goes from one to the other all the time. Later, when it is known what is hot, everything is
 * collected anew: a region for each function, with all that is hot of it, entered at its beginning only.
 *
 * What functions are is seen from their calls. Hot blocks that no other block leads to are taken for what indirect
 * jumps of the function lead to that they lie in.
 */
import type { GuestAddr } from '../../base/types.js';
import { directSuccessors } from '../../ir/blockSuccessors.js';
import type { Block } from '../../ir/ir.js';
import { collectRegion, entryAddresses, isCode, type Region, type RegionLimits, type Stub } from '../../jit/region.js';

const LIMITS: RegionLimits = { instructions: 3000, nodes: 800, calleeInstructions: 40, calleeNodes: 8 };
/** Places that a switch leads to. */
const MOST_CASES = 128;

interface HotCode {
  readonly blocks: ReadonlyMap<number, Block>;
  /** Whether control has often come to a block from elsewhere. */
  wasEntered(address: GuestAddr): boolean;
  stub(address: GuestAddr): Stub | null;
}

export function gatherRegions(code: HotCode): Region[] {
  return new Gatherer(code).gather();
}

class Gatherer {
  private readonly functions: GuestAddr[];
  private readonly isStart: Set<GuestAddr>;
  /** In order of their addresses. */
  private readonly orphans: GuestAddr[];
  private readonly inside = new Set<number>();
  private readonly regions: Region[] = [];

  constructor(private readonly code: HotCode) {
    const { blocks } = code;
    const [called, reached] = [new Set<GuestAddr>(), new Set<number>()];
    for (const { end } of blocks.values()) {
      for (const next of directSuccessors(end)) reached.add(next);
      if (end.kind !== 'call') continue;
      const stub = code.stub(end.target);
      const target = stub === null ? end.target : stub.target;
      if (target !== undefined && blocks.has(target)) called.add(target);
      if (stub !== null) reached.add(end.target);
    }
    const inOrder = (addresses: Iterable<GuestAddr>): GuestAddr[] => [...addresses].sort((a, b) => a - b);
    this.functions = inOrder(called);
    this.isStart = called;
    this.orphans = inOrder([...blocks.values()].map(({ start }) => start).filter((start) => !called.has(start) && !reached.has(start) && code.wasEntered(start)));
  }

  gather(): Region[] {
    const ends = [...this.functions, Infinity];
    this.functions.forEach((start, i) => this.collect(start, this.orphansBetween(start, ends[i + 1] as number)));
    // Functions of which only the inside is hot: loops around indirect jumps.
    ends.forEach((end, i) => this.collectTogether(this.orphansBetween(ends[i - 1] ?? 0, end)));
    for (const start of this.orphans) if (!this.inside.has(start)) this.collect(start, []);
    // What there was no room for.
    for (const { start } of this.code.blocks.values()) if (!this.inside.has(start) && this.code.wasEntered(start)) this.collect(start, []);
    return this.regions;
  }

  private collectTogether(orphans: readonly GuestAddr[]): void {
    const [first] = orphans;
    if (first !== undefined && orphans.length > 1) this.collect(first, orphans, true);
  }

  private collect(start: GuestAddr, jumpTargets: readonly GuestAddr[], onlyIfJumping = false): void {
    const { blocks } = this.code;
    const region = collectRegion(start, {
      block: (at) => (at === start || !this.isStart.has(at) ? (blocks.get(at) ?? null) : null),
      calleeBlock: (at) => blocks.get(at) ?? null,
      stub: (at) => this.code.stub(at),
      isWanted: () => false,
      entersLoops: false,
      jumpTargets,
    }, LIMITS);
    if (region === null || (onlyIfJumping && !region.nodes.some(({ end }) => end.kind === 'indirect'))) return;
    this.regions.push(region);
    for (const node of region.nodes) if (isCode(node)) this.inside.add(node.block.start);
    for (const entry of entryAddresses(region)) this.isStart.add(entry);
  }

  private orphansBetween(start: number, end: number): GuestAddr[] {
    return this.orphans.filter((at) => at > start && at < end && !this.inside.has(at)).slice(0, MOST_CASES);
  }
}

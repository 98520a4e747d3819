/**
 * Who wants everything in a long part of the execution (`length`, `toArray`, `count`) gets it by several threads, if
 * there are any. How long it will take is guessed from the first bit: instructions are quick, but each hit costs as
 * much as thousands of them.
 */
import { at } from '../../replay/log/position.js';
import type { Hit } from '../../replay/timeline/conditions.js';
import type { Work } from '../../replay/timeline/work.js';
import type { KnownTrace } from './knownHits.js';
import type { FoundHits, Playing } from './playing.js';
import type { SecondExecution } from './secondExecution.js';

/** What a hit costs, in instructions. */
const HIT_INSTRUCTIONS = 1500;

export interface LongSearchLimits {
  /** The first bit: instructions, and hits. */
  readonly aloneAtFirst: number;
  readonly hitsAlone: number;
  /** What there has to be left, in instructions. */
  readonly worthIt: number;
}

const DEFAULT_LIMITS: LongSearchLimits = { aloneAtFirst: 100_000_000, hitsAlone: 65_536, worthIt: 2_000_000_000 };

export class LongSearches {
  constructor(
    private readonly playing: Playing,
    private readonly second: SecondExecution,
    private readonly work: Work | undefined,
    private readonly limits = DEFAULT_LIMITS,
  ) {}

  /** Everything in [from, to), of which nothing is known; or less, to be asked again for the rest. */
  search(known: KnownTrace, from: number, to: number): FoundHits | Promise<FoundHits> {
    const { aloneAtFirst, hitsAlone, worthIt } = this.limits;
    if (known.hitsPerInstruction !== undefined && (to - from) * (1 + known.hitsPerInstruction * HIT_INSTRUCTIONS) >= worthIt) return this.withHelp(known, from, to);
    const found = this.playing.forward(known, from, Math.min(to, from + aloneAtFirst), hitsAlone);
    known.hitsPerInstruction = found.hits.length / (found.to - found.from);
    return found;
  }

  private withHelp(known: KnownTrace, from: number, to: number): Promise<FoundHits> {
    return this.second.use(async (execution) => {
      const hits: Hit[] = [];
      // Of several things at one time the first counts.
      const listener = (hit: Hit): 'go on' => {
        if (hits.at(-1)?.position.time !== hit.position.time) hits.push(hit);
        return 'go on';
      };
      await execution.each(known.conditions, listener, at(from, 0), to > execution.endTime ? at(execution.endTime) : at(to, 0), this.work);
      this.playing.elsewhere += to - from;
      return { from, to, hits };
    });
  }
}

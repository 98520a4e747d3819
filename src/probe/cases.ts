/**
 * A `switch` statement has more than one other way to go: an instance of it is tried once for each way out that it did
 * not take, by a value that leads there. Which values those are is found out once for a statement, from the program
 * (whatIf/caseTarget.ts).
 */
import { UserError } from '../base/errors.js';
import type { Work } from '../replay/timeline/work.js';
import type { WhatIf } from '../whatIf/apply.js';
import { knownInstance, type MetPlan } from '../whatIf/arrivals.js';
import { type CaseExits, caseExits, exitTaken } from '../whatIf/caseTarget.js';
import { plansFor } from '../whatIf/plan.js';
import { SpareRooms } from '../whatIf/spareRoom.js';
import type { Candidate } from './candidates.js';

interface Expanded {
  readonly all: Candidate[];
  /** Instances that are beyond `most` attempts of their place. */
  readonly untried: number;
}

/** Newest instances first. `places`: those of `switch` statements. The recording stands where it did afterwards. */
export async function eachCase(candidates: readonly Candidate[], places: ReadonlySet<string>, whatIf: WhatIf, most: number, work?: Work): Promise<Expanded> {
  const home = whatIf.recording.position;
  const ways = new CaseWays(whatIf, work);
  const counts = new Map<string, number>();
  const all: Candidate[] = [];
  let untried = 0;
  try {
    for (const candidate of candidates.toSorted((a, b) => b.arrival.time - a.arrival.time)) {
      const { alteration: { what, place } } = candidate;
      const count = counts.get(place) ?? 0;
      if (what !== 'switch' || !places.has(place)) all.push(candidate);
      else if (count >= most) untried++;
      else {
        const others = await ways.others(candidate);
        counts.set(place, count + others.length);
        all.push(...others);
      }
    }
    return { all, untried };
  } finally {
    await whatIf.recording.seek(home);
  }
}

class CaseWays {
  /** By the first address of the statement's code, of which there may be copies. */
  private readonly exits = new Map<number, CaseExits>();

  constructor(
    private readonly whatIf: WhatIf,
    private readonly work: Work | undefined,
  ) {}

  /** One candidate for each way that an instance did not take; itself if that cannot be told. */
  async others(candidate: Candidate): Promise<Candidate[]> {
    const { alteration, arrival } = candidate;
    try {
      const asked = { ...alteration, to: 'default' } as const;
      const met = await knownInstance(this.whatIf.recording, plansFor(asked, this.whatIf, new SpareRooms()), asked, arrival, this.work);
      const taken = await exitTaken(this.whatIf, met, this.work);
      const exits = await this.exitsOf(met);
      return [...exits].filter(([exit]) => exit !== taken).map(([, to]) => ({ ...candidate, alteration: { ...alteration, to } }));
    } catch (error) {
      // The attempt says why it cannot be made.
      if (error instanceof UserError) return [candidate];
      throw error;
    }
  }

  private async exitsOf(met: MetPlan): Promise<CaseExits> {
    const key = met.plan.entries[0] as number;
    let known = this.exits.get(key);
    if (known === undefined) this.exits.set(key, (known = await caseExits(this.whatIf, met, this.work)));
    return known;
  }
}

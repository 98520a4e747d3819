/**
 * The last call before a place whose result is meant. Calls under way at the place lie on stacks; all others have
 * returned before it, where generated code looks at their results. Parts are gone through backward, returns in them
 * from the last one on: what returned before the best call was made cannot be later than that.
 */
import { at, comparePositions, type Position } from '../../../replay/log/position.js';
import type { Hit } from '../../../replay/timeline/conditions.js';
import type { Execution } from '../../../replay/timeline/execution.js';
import { withPauses } from '../../../replay/timeline/steps.js';
import type { Work } from '../../../replay/timeline/work.js';
import type { CallBreakpoint } from '../breakpoints.js';
import { isMeant } from './callPoints.js';
import { callSite, decide } from './callSites.js';
import type { TrackedCall } from './callTracker.js';
import { callsBy, type OpenSlot, openSlots } from './openCalls.js';
import type { ResultSearch } from './resultSearch.js';

export interface CallBefore {
  readonly site: Position;
  readonly thread: number;
}

/** A call that has returned, or is about to. */
interface Returned {
  readonly slot: OpenSlot;
  readonly place: Position;
}

interface PartOfReturns {
  readonly returned: readonly Returned[];
  /** Where the rest ends that has not been looked at. */
  readonly next: Position;
  /** A place has become known that calls return to: what has been looked at may have had returns there, too. */
  readonly isNews: boolean;
}

/** 'slow': the search is not worth it. Undefined: there is none. The execution is somewhere else then. */
export async function lastResultBefore(execution: Execution, point: CallBreakpoint, search: ResultSearch, place: Position, work: Work | undefined): Promise<CallBefore | 'slow' | undefined> {
  const looker = new Looker(execution, point, place, work);
  for (;;) {
    const found = await looker.pass(search);
    if (found !== 'again') return found;
  }
}

class Looker {
  private best: CallBefore | undefined;

  constructor(
    private readonly execution: Execution,
    private readonly point: CallBreakpoint,
    private readonly place: Position,
    private readonly work: Work | undefined,
  ) {}

  async pass(search: ResultSearch): Promise<CallBefore | 'slow' | 'again' | undefined> {
    const { execution, point, place, work } = this;
    this.begin();
    for (const slot of await openSlots(execution, point, place, work)) await this.consider({ slot, place });
    for (let to = place; comparePositions(to, this.best?.site ?? execution.start) > 0; ) {
      const { returned, next, isNews } = await this.returnsOfPart(search, to);
      if (isNews) return 'again';
      for (const one of [...returned].reverse()) {
        if (this.best !== undefined && comparePositions(one.place, this.best.site) < 0) break;
        if (!(await this.consider(one))) search.noteWrong();
        if (!search.isQuick) return 'slow';
      }
      to = next;
    }
    return this.best;
  }

  private begin(): void {
    this.best = undefined;
  }

  /** False: no call is meant. */
  private async consider({ slot, place }: Returned): Promise<boolean> {
    const { execution, point, work } = this;
    const calls = await callsBy(slot, execution, point, place, work);
    let isAny = false;
    for (const call of calls) if (isMeant(point, call) && (await this.decide(call))) isAny = true;
    return isAny;
  }

  private async decide(call: TrackedCall): Promise<boolean> {
    const { execution, point, place, work } = this;
    if (!(await decide(execution, call, point.when, work))) return false;
    const site = await callSite(execution, call, point.entries, work);
    const isLater = this.best === undefined || comparePositions(site, this.best.site) > 0;
    if (comparePositions(site, place) < 0 && isLater) this.best = { site, thread: call.entry.thread };
    return true;
  }

  /** Of the last part before `to` that has some. */
  private async returnsOfPart(search: ResultSearch, to: Position): Promise<PartOfReturns> {
    const { driver, start } = this.execution;
    let returned: Returned[] = [];
    let [isNews, isLearned, end] = [false, false, to];
    const listener = (hit: Hit): 'go on' => {
      const seen = search.sees(hit, driver.state);
      if (seen?.kind === 'learned') isLearned = true;
      else if (seen?.kind === 'begins') isNews = true;
      else if (seen !== undefined) returned.push({ slot: seen.slot, place: at(hit.position.time, hit.position.done) });
      return 'go on';
    };
    const asked = { conditions: search.conditions(), listener, begins: () => void (returned = []) };
    const ended = (part: { readonly to: Position }): 'go on' | 'stop' => {
      end = part.to;
      return isNews || isLearned || returned.length > 0 ? 'stop' : 'go on';
    };
    try {
      const from = await withPauses(driver.backward({ from: start, to }, { searchOf: () => asked, ended }), this.work);
      // With more to compare with, the same part again: the others will be quicker.
      return { returned: isLearned ? [] : returned, next: isLearned ? end : from, isNews };
    } finally {
      driver.rest();
    }
  }
}

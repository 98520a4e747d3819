/**
 * What a script asks of one item of a trace it asks of the others, too: `filter((s) => s.readArg('x').number > 3)`. To
 * look at each of them the execution has to go there, which takes longer than to find them. So a search that comes by
 * looks at once, if that has been asked twice, and as long as it turns out that the script wanted to know.
 */
import type { Hit } from '../../replay/timeline/conditions.js';
import { UserError } from '../../base/errors.js';
import type { Playing } from './playing.js';
import type { Snapshot } from './snapshot.js';

/** What is asked of a snapshot. */
export type Reading = (snapshot: Snapshot) => unknown;

const ASKED_OFTEN = 2;
const MOST_READINGS = 4;
/**
 * So many may be looked at that no script has asked for, and for each that one has: it takes a quarter of the time to
 * look when one is there already.
 */
const TRIALS = 256;
const FOR_EACH_WANTED = 4;

export class Habits {
  private readonly readings = new Map<string, { readonly read: Reading; asked: number }>();
  private readonly prepared = new WeakMap<Hit, Snapshot>();
  /** Prepared, and not asked for yet. */
  private readonly unasked = new WeakSet<Snapshot>();
  private isLooking = false;
  private looked = 0;
  private wanted = 0;

  constructor(
    private readonly playing: Playing,
    private readonly make: (hit: Hit) => Snapshot,
  ) {}

  snapshotAt(hit: Hit): Snapshot {
    return this.prepared.get(hit) ?? this.make(hit);
  }

  /** The script wants to know that of a snapshot, which is not known yet. */
  asked(name: string, read: Reading): void {
    if (this.isLooking) return;
    const known = this.readings.get(name);
    if (known !== undefined) known.asked++;
    else if (this.readings.size < MOST_READINGS) this.readings.set(name, { read, asked: 1 });
  }

  /** The script wants to know what was looked at before. */
  wasWanted(snapshot: Snapshot): void {
    if (!this.unasked.delete(snapshot)) return;
    this.wanted++;
    this.playing.foreseen++;
  }

  /** The execution stands at the hit, on its way. */
  passing(hit: Hit): void {
    // An access has been made when it is told; snapshots are of the time before.
    if (hit.access !== undefined || this.looked >= TRIALS + this.wanted * FOR_EACH_WANTED) return;
    const often = [...this.readings.values()].filter(({ asked }) => asked >= ASKED_OFTEN);
    if (often.length === 0) return;
    const { playing } = this;
    const { looks } = playing;
    playing.generation++;
    this.isLooking = true;
    try {
      const snapshot = this.make(hit);
      for (const { read } of often) unlessThere(read, snapshot);
      this.prepared.set(hit, snapshot);
      this.unasked.add(snapshot);
      this.looked++;
    } finally {
      this.isLooking = false;
      playing.looks = looks;
      // It goes on from here.
      playing.generation++;
    }
  }
}

/** A script that asks for what is not there hears of it then. */
function unlessThere(read: Reading, snapshot: Snapshot): void {
  try {
    read(snapshot);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
}

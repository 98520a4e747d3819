/** Does search jobs, in whatever thread it lives: with a player, and a store that knows the pages of the thread that asks. */
import { PageStore } from '../../machine/snapshots/pageStore.js';
import type { LoadedCheckpoints, StoredCheckpoints } from '../checkpointStore/storedCheckpoints.js';
import { Player, type PlayerOptions, type PlayerState } from '../play/player.js';
import { at, comparePositions, type Position } from '../play/position.js';
import { releaseWorld } from '../play/worldState.js';
import type { Condition, Hit } from '../timeline/conditions.js';
import { importState } from '../timeline/portableState.js';
import { Scan } from '../timeline/scan.js';
import { BadStart, type JobStart, type SearchJob } from './searchers.js';

/** Instructions between two looks at whether the job is still wanted: fewer if there are very many hits. */
const LONGEST_SLICE = 8_000_000;
const SHORTEST_SLICE = 50_000;
/** Hits in a slice that make the next one shorter, and hits that make an answer. */
const MANY = 20_000;
const ENOUGH = 100_000;
/** Bytes of pages that are kept because the next stored state may have them, too. */
const MOST_KEPT = 64 * 1024 * 1024;

/** What the one who asks may say, and wants to know, while a job is done. */
export interface JobControl {
  readonly isGivenUp: boolean;
  /** Instructions of the job so far. */
  done: number;
}

/** Does the jobs of any number of owners, one after the other. */
export class SearchWorker {
  private current: { readonly owner: number; readonly worker: OwnWorker } | undefined;

  constructor(
    private readonly options: PlayerOptions,
    private readonly stored: StoredCheckpoints | undefined,
  ) {}

  /** Undefined: given up. */
  run(job: SearchJob, control: JobControl): Searched | undefined {
    if (this.current?.owner !== job.owner) this.current = { owner: job.owner, worker: new OwnWorker(this.options, this.stored) };
    return this.current.worker.run(job, control);
  }
}

export interface Searched {
  readonly hits: readonly Hit[];
  readonly to: Position;
}

class OwnWorker {
  private readonly player: Player;
  private readonly store = new PageStore({ slabs: [] });
  private readonly loaded: LoadedCheckpoints | undefined;
  /** The last search, whose conditions the player has. */
  private scan: { readonly key: string; readonly scan: Scan } | undefined;
  private listener: (hit: Hit) => 'go on' | 'stop' = () => 'go on';

  constructor(options: PlayerOptions, stored: StoredCheckpoints | undefined) {
    this.player = new Player(options);
    this.loaded = stored?.into(this.store);
  }

  run({ start, from, to, conditions, wanted }: SearchJob, control: JobControl): Searched | undefined {
    const hits: Hit[] = [];
    this.listener = (hit) => {
      const known = wanted === 'last' ? hits[0] : undefined;
      if (known === undefined) hits.push(hit);
      else if (comparePositions(hit.position, known.position) >= 0) hits[0] = hit;
      return wanted === 'first' ? 'stop' : 'go on';
    };
    this.goTo(start, from);
    const end = this.search(this.scanFor(conditions), to, hits, control);
    return end === undefined ? undefined : { hits, to: end };
  }

  private goTo(start: JobStart, from: Position): void {
    const { player, store } = this;
    if (start.kind === 'here') return;
    const state = this.stateOf(start);
    player.restore(state, store);
    releaseWorld(state.world);
    if (store.bytes > MOST_KEPT) this.loaded?.trim();
    if (comparePositions(player.position, from) >= 0) return;
    this.endScan();
    player.advance(from.time, from.done);
  }

  private stateOf(start: Exclude<JobStart, { kind: 'here' }>): PlayerState {
    const { world } = this.player;
    if (start.kind === 'state') {
      this.store.know(start.slabs);
      return importState(start.state, world, this.store);
    }
    const state = this.loaded?.load(start.index, world);
    if (state === undefined) throw new BadStart();
    return state;
  }

  /** Up to where; undefined: given up. */
  private search(scan: Scan, to: Position, hits: readonly Hit[], control: JobControl): Position | undefined {
    const { player } = this;
    const began = player.time;
    for (let slice = LONGEST_SLICE; ; ) {
      if (control.isGivenUp) return undefined;
      const [before, stop] = [hits.length, at(player.time + slice)];
      const isLast = stop.time >= to.time;
      if (!scan.run(isLast ? to : stop) || isLast) return to;
      control.done = player.time - began;
      if (hits.length >= ENOUGH) return stop;
      slice = hits.length - before > MANY ? Math.max(SHORTEST_SLICE, Math.floor(slice / 4)) : Math.min(LONGEST_SLICE, slice * 2);
    }
  }

  private scanFor(conditions: readonly Condition[]): Scan {
    const key = JSON.stringify(conditions);
    if (this.scan?.key === key) {
      this.scan.scan.restart();
      return this.scan.scan;
    }
    this.endScan();
    const scan = new Scan(this.player, conditions, (hit) => this.listener(hit));
    scan.begin();
    this.scan = { key, scan };
    return scan;
  }

  private endScan(): void {
    this.scan?.scan.end();
    this.scan = undefined;
  }
}

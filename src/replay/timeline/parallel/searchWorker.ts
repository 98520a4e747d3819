/**
 * Does search jobs, in whatever thread it lives: with a player, and a store that knows the pages of the thread that
 * asks.
 */
import { PageStore } from '../../../machine/snapshots/pageStore.js';
import type { LoadedCheckpoints, StoredCheckpoints } from '../../checkpointStore/storedCheckpoints.js';
import { Player, type PlayerOptions, type PlayerState } from '../../play/player.js';
import { comparePositions, type Position } from '../../log/position.js';
import { releaseWorld } from '../../play/worldState.js';
import type { Condition, Hit } from '../conditions.js';
import { importState } from '../../play/portableState.js';
import { Scan } from '../scan.js';
import { inSteps } from '../scanSteps.js';
import { BadStart, type JobStart, type SearchJob } from './searchers.js';

/** Hits that make an answer. */
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

interface Searched {
  readonly hits: readonly Hit[];
  readonly to: Position;
}

class OwnWorker {
  private readonly player: Player;
  private readonly store = new PageStore({ slabs: [] });
  private readonly loaded: LoadedCheckpoints | undefined;
  /** The last search, whose conditions the player has. */
  private scan: { readonly key: string; readonly scan: Scan } | undefined;
  constructor(options: PlayerOptions, stored: StoredCheckpoints | undefined) {
    this.player = new Player(options);
    this.loaded = stored?.into(this.store);
  }

  run({ start, from, to, conditions, wanted }: SearchJob, control: JobControl): Searched | undefined {
    const hits: Hit[] = [];
    const listener = (hit: Hit): 'go on' | 'stop' => {
      const known = wanted === 'last' ? hits[0] : undefined;
      if (known === undefined) hits.push(hit);
      else if (comparePositions(hit.position, known.position) >= 0) hits[0] = hit;
      return wanted === 'first' ? 'stop' : 'go on';
    };
    this.goTo(start, from);
    const scan = this.scanFor(conditions);
    scan.listen(listener);
    const end = this.search(scan, to, hits, control);
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
    if (control.isGivenUp) return undefined;
    for (const place of inSteps(scan, player, to)) {
      if (control.isGivenUp) return undefined;
      control.done = player.time - began;
      if (hits.length >= ENOUGH) return place;
    }
    return to;
  }

  private scanFor(conditions: readonly Condition[]): Scan {
    const key = JSON.stringify(conditions);
    if (this.scan?.key === key) return this.scan.scan;
    this.endScan();
    const scan = new Scan(this.player, conditions);
    scan.begin();
    this.scan = { key, scan };
    return scan;
  }

  private endScan(): void {
    this.scan?.scan.end();
    this.scan = undefined;
  }
}

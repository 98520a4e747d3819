import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guestAddr } from '../../../base/types.js';
import { at, type Position } from '../../log/position.js';
import type { Hit } from '../conditions.js';
import type { HitListener } from '../scan.js';
import { Cancelled } from '../work.js';
import { ParallelSearch, type Search, type Start, type Starts } from './parallelSearch.js';
import { BackwardPieces, ForwardPieces, type Known, type Piece } from './pieces.js';
import { BadStart, type FoundPart, type Searcher, SearcherLost, type Searchers, type SearchJob } from './searchers.js';

function hitAt(time: number): Hit {
  return { position: at(time), kind: 'address', conditions: [0], task: 1, rip: guestAddr(time) };
}

/** Waits for a while that is measured in turns of others. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await Promise.resolve();
}

/** Searches a list of times, and takes its time. */
class FakeSearcher implements Searcher {
  readonly done = 0;
  given = false;
  jobs = 0;
  private place: Position | undefined;

  constructor(
    private readonly hits: readonly number[],
    private readonly patience: (job: number) => number,
    /** Jobs after which it is lost. */
    private readonly life = Infinity,
    private readonly most = Infinity,
    /** How many starts are no good. */
    private readonly badStarts = 0,
  ) {}

  async search({ from, to, wanted, start }: SearchJob): Promise<FoundPart | undefined> {
    if (start.kind === 'here') expect(from).toEqual(this.place);
    this.place = undefined;
    if (start.kind === 'stored' && start.index < this.badStarts) throw new BadStart();
    this.given = false;
    const job = this.jobs++;
    await turns(this.patience(job));
    if (job >= this.life) throw new SearcherLost('gone');
    if (this.given) return undefined;
    const inside = this.hits.filter((time) => time >= from.time && time < to.time);
    const chosen = wanted === 'all' ? inside.slice(0, this.most) : wanted === 'first' ? inside.slice(0, 1) : inside.slice(-1);
    const next = inside[this.most];
    this.place = wanted === 'all' && next !== undefined ? at(next) : to;
    return { hits: chosen.map(hitAt), to: this.place };
  }

  giveUp(): void {
    this.given = true;
  }
}

class Fakes implements Searchers, Starts, Known {
  readonly owner = 7;
  kept = 0;
  played = 0;
  discarded = 0;

  constructor(
    readonly all: readonly Searcher[],
    readonly checkpoints: readonly number[] = [0],
  ) {}

  get count(): number {
    return this.all.length;
  }

  pause(milliseconds: number): Promise<void> {
    return turns(milliseconds === 0 ? 1 : 10);
  }

  newOwner(): number {
    return this.owner;
  }

  startFor(): Start {
    this.kept++;
    return { start: { kind: 'stored', index: this.discarded }, release: () => void this.kept--, discard: () => void this.discarded++ };
  }

  times(): readonly number[] {
    return this.checkpoints;
  }

  playSome(from: Position, to: Position): Position {
    this.played++;
    return at(Math.min(from.time + 10, to.time));
  }
}

const END = 1000;

function searchFor(hits: readonly number[], wanted: Search['wanted'], listener: HitListener): Search {
  const alone = async ({ from, to }: Piece, told: HitListener): Promise<void> => {
    const inside = hits.filter((time) => time >= from.time && time < to.time);
    for (const time of wanted === 'last' ? inside.slice(-1) : inside) if (told(hitAt(time)) === 'stop') return;
  };
  return { conditions: [], wanted, listener, alone };
}

const times = fc.uniqueArray(fc.nat(END - 1), { maxLength: 40 }).map((list) => list.sort((a, b) => a - b));
const patience = fc.infiniteStream(fc.nat(20)).map((stream) => {
  const known: number[] = [];
  return (job: number): number => {
    while (known.length <= job) known.push(stream.next().value as number);
    return known[job] as number;
  };
});
const searcher = fc.record({ patience, life: fc.oneof(fc.constant(Infinity), fc.nat(3)), most: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 5 })) });
const crew = fc.array(searcher, { minLength: 1, maxLength: 4 });
const size = fc.integer({ min: 5, max: 300 });

describe('a search by several', () => {
  it('reports everything in order, whichever searcher is slow, gets lost or has too much to say', async () => {
    await fc.assert(
      fc.asyncProperty(times, times, crew, size, fc.nat(50), async (hits, checkpoints, people, pieceSize, limit) => {
        const fakes = new Fakes(people.map((one) => new FakeSearcher(hits, one.patience, one.life, one.most, 3)), [0, ...checkpoints]);
        const seen: number[] = [];
        const kept = new Map<Searcher, () => void>();
        const search = searchFor(hits, 'all', ({ position }) => (seen.push(position.time) > limit ? 'stop' : 'go on'));
        await new ParallelSearch(fakes, fakes, search, kept).run(new ForwardPieces(fakes, at(0), at(END), pieceSize), undefined);
        expect(seen).toEqual(hits.slice(0, limit + 1));
        expect(fakes.kept).toBe(kept.size);
      }),
      { numRuns: 150 },
    );
  });

  it('finds the first and the last', async () => {
    await fc.assert(
      fc.asyncProperty(times, times, crew, size, fc.boolean(), async (hits, checkpoints, people, pieceSize, backward) => {
        const fakes = new Fakes(people.map((one) => new FakeSearcher(hits, one.patience, one.life)), [0, ...checkpoints]);
        const seen: number[] = [];
        const search = searchFor(hits, backward ? 'last' : 'first', ({ position }) => (seen.push(position.time), 'stop'));
        const pieces = backward ? new BackwardPieces(fakes, at(END), pieceSize, 1 / 8) : new ForwardPieces(fakes, at(0), at(END), pieceSize);
        await new ParallelSearch(fakes, fakes, search, new Map()).run(pieces, undefined);
        expect(seen).toEqual(backward ? hits.slice(-1) : hits.slice(0, 1));
      }),
      { numRuns: 150 },
    );
  });

  it('does not search what lies behind the answer', async () => {
    const searchers = [1, 2].map(() => new FakeSearcher([900], () => 3));
    const fakes = new Fakes(searchers, Array.from({ length: 100 }, (_, i) => i * 10));
    const search = searchFor([900], 'last', () => 'stop');
    await new ParallelSearch(fakes, fakes, search, new Map()).run(new BackwardPieces(fakes, at(END), 10, 0), undefined);
    expect(searchers.reduce((sum, { jobs }) => sum + jobs, 0)).toBeLessThan(14);
  });

  it('fails with what the listener says', async () => {
    const fakes = new Fakes([new FakeSearcher([5], () => 5), new FakeSearcher([5], () => 5)]);
    const search = searchFor([5], 'all', () => {
      throw new Error('nobody reads it');
    });
    await expect(new ParallelSearch(fakes, fakes, search, new Map()).run(new ForwardPieces(fakes, at(0), at(END), 50), undefined)).rejects.toThrow('nobody reads it');
  });

  it('fails with what went wrong, and can be given up', async () => {
    const broken: Searcher = { done: 0, giveUp: () => undefined, search: () => Promise.reject(new Error('replay differs')) };
    const fakes = new Fakes([broken, new FakeSearcher([], () => 5)]);
    const run = (all: Fakes, work?: { isCancelled(): boolean }): Promise<void> => new ParallelSearch(all, all, searchFor([], 'all', () => 'go on'), new Map()).run(new ForwardPieces(all, at(0), at(END), 50), work);
    await expect(run(fakes)).rejects.toThrow('replay differs');
    const sound = new Fakes([new FakeSearcher([], () => 5), new FakeSearcher([], () => 50)]);
    await expect(run(sound, { isCancelled: () => true })).rejects.toThrow(Cancelled);
    expect(sound.kept).toBeLessThanOrEqual(2);
  });
});

describe('pieces', () => {
  it('cover everything, in either direction', () => {
    fc.assert(
      fc.property(times, size, fc.nat(400), fc.boolean(), (checkpoints, pieceSize, from, backward) => {
        const fakes = new Fakes([], [0, ...checkpoints]);
        const pieces = backward ? new BackwardPieces(fakes, at(END), pieceSize, 1 / 8) : new ForwardPieces(fakes, at(from), at(END), pieceSize);
        const list: Piece[] = [];
        while (!pieces.isAtEnd) {
          const piece = pieces.next();
          if (piece !== undefined) list.push(piece);
          else expect(pieces.play()).toBe(true);
        }
        expect(pieces.next()).toBeUndefined();
        const ordered = backward ? [...list].reverse() : list;
        expect(ordered[0]?.from).toEqual(at(backward ? 0 : from));
        expect(ordered.at(-1)?.to).toEqual(at(END));
        ordered.forEach((piece, i) => {
          expect(piece.from.time).toBeLessThan(piece.to.time);
          if (i > 0) expect(piece.from).toEqual(ordered[i - 1]?.to);
        });
      }),
    );
  });
});

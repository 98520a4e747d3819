/** One search, driven with pauses, at once, for many questions together, and by hand: all find the same. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type GuestAddr, guestAddr } from '../../src/base/types.js';
import { Player } from '../../src/replay/play/player.js';
import { at } from '../../src/replay/log/position.js';
import type { Condition, Hit } from '../../src/replay/timeline/conditions.js';
import { hitMeets } from '../../src/replay/timeline/hitMeets.js';
import { atOnce } from '../../src/replay/timeline/steps.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { Cancelled } from '../../src/replay/timeline/work.js';
import { type FoundHits, Playing, type Question } from '../../src/traces/execution/playing.js';
import { buildProgram } from '../programs/build.js';
import { type Recorded, record } from './recorded.js';

const VARIANT = { compiler: 'gcc', flags: ['-O1', '-static'] } as never;
const RUNS = process.env['CULPRIT_LONG'] === undefined ? 6 : 60;
const MOST_HITS = 3000;

let run: Recorded;
/** By time: the address of the instruction that comes next. */
const addresses: GuestAddr[] = [];
let frequent: readonly GuestAddr[];

beforeAll(async () => {
  run = await record([await buildProgram('signalsBetween.c', VARIANT)], { scheduleSeed: 3 });
  const player = new Player(run.options);
  const counts = new Map<GuestAddr, number>();
  for (let time = 0; time < run.instructions; time++) {
    player.advance(time);
    player.space?.load(player.task as never);
    const rip = player.space?.machine.cpu.rip ?? guestAddr(0);
    addresses.push(rip);
    counts.set(rip, (counts.get(rip) ?? 0) + 1);
  }
  frequent = [...counts].filter(([, count]) => count < MOST_HITS / 4).map(([rip]) => rip);
}, 120_000);

/** Small intervals, so that there are many checkpoints and parts. */
function timeline(): Timeline {
  return new Timeline({ ...run.options, checkpointInterval: Math.ceil(run.instructions / 13) });
}

function conditions(): fc.Arbitrary<Condition[]> {
  const code = fc.array(fc.constantFrom(...frequent), { minLength: 1, maxLength: 4 }).map((some): Condition => ({ kind: 'address', addresses: some }));
  const time = fc.integer({ min: 0, max: run.instructions })
    .map((when): Condition => ({ kind: 'time', time: at(when).time }));
  const logged = fc.constantFrom<Condition>({ kind: 'syscall' }, { kind: 'signal' }, { kind: 'switch' });
  return fc.array(fc.oneof(code, time, logged), { minLength: 1, maxLength: 3 });
}

const times = (): fc.Arbitrary<[number, number]> =>
  fc.tuple(fc.integer({ min: 0, max: run.instructions }), fc.integer({ min: 0, max: run.instructions })).map(([a, b]) => [Math.min(a, b), Math.max(a, b)]);

/** The first hit of each time. */
function firsts(hits: readonly Hit[]): Hit[] {
  return hits.filter((hit, i) => hit.position.time !== hits[i - 1]?.position.time);
}

const text = ({ position, conditions: met, rip, task, kind }: Hit): string => `${position.time}/${position.done} ${kind} ${met.join()} ${rip.toString(16)} ${task}`;

describe('searches', () => {
  it('find what is there, one instruction after the other', async () => {
    const one = timeline();
    await fc.assert(fc.asyncProperty(conditions(), times(), async (wanted, [from, to]) => {
      const hits = await one.all(wanted, at(from, 0), at(to, 0));
      const plain = (kind: Hit['kind']): number[] => hits.filter(({ kind: own, position }) => own === kind && position.done === Infinity).map(({ position }) => position.time);
      const happened = (time: number, kind: 'address' | 'time'): boolean =>
        wanted.some((condition) => {
          return hitMeets(condition, { kind, position: at(time), task: 0, rip: addresses[time] ?? guestAddr(0) });
        });
      const all = Array.from({ length: to - from }, (_, i) => from + i);
      expect(plain('address')).toEqual(all.filter((time) => happened(time, 'address')));
      expect(plain('time')).toEqual(all.filter((time) => happened(time, 'time')));
      for (const hit of hits) expect(hit.conditions).toEqual(wanted.flatMap((condition, i) => (hitMeets(condition, hit) ? [i] : [])));
    }), { numRuns: RUNS });
  }, 120_000);

  it('at once find what those with pauses find, forward and backward', async () => {
    const [one, other] = [timeline(), timeline()];
    await fc.assert(fc.asyncProperty(conditions(), times(), async (wanted, [from, to]) => {
      const piece = { from: at(from, 0), to: at(to, 0) };
      const all: Hit[] = [];
      const pauses: number[] = [];
      await one.each(wanted, (hit) => (all.push(hit), 'go on'), piece.from, piece.to, { progress: (done) => void pauses.push(done), breathe: async () => undefined });
      const hits: Hit[] = [];
      expect(atOnce(other.driver.forward({ conditions: wanted, listener: (hit) => (hits.push(hit), 'go on') }, piece))).toBe('done');
      expect(hits.map(text)).toEqual(all.map(text));
      expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
      const backward: Hit[][] = [];
      const reached = atOnce(other.driver.backward(piece, {
        searchOf: () => {
          backward.unshift([]);
          return { conditions: wanted, listener: (hit) => (backward[0]?.push(hit), 'go on') };
        },
        ended: () => 'go on',
      }));
      if (from < to) expect(reached).toEqual(from === 0 ? other.start : piece.from);
      expect(backward.flat().map(text)).toEqual(all.map(text));
      await one.seek(at(to));
      const last = await one.backward(wanted);
      const before = (await other.all(wanted, at(0, 0), at(to))).at(-1);
      expect(last?.position).toEqual(before?.position);
    }), { numRuns: RUNS });
  }, 120_000);

  it('for many questions in turn tell each all there is, whichever was asked', async () => {
    const reference = timeline();
    const asking = fc.array(fc.tuple(fc.nat(2), fc.boolean(), times(), fc.integer({ min: 1, max: 5 })), { minLength: 2, maxLength: 12 });
    await fc.assert(fc.asyncProperty(fc.tuple(conditions(), conditions(), conditions()), asking, async (all, asked) => {
      const playing = new Playing(timeline());
      const expected: Hit[][] = [];
      for (const wanted of all) expected.push(firsts(await reference.all(wanted, at(0, 0))));
      const check = (i: number, { from, to, hits }: FoundHits): void =>
        expect(hits.map(text)).toEqual((expected[i] ?? []).filter(({ position }) => position.time >= from && position.time < to).map(text));
      const questions = all.map((wanted, i): Question => ({ conditions: wanted, learn: (found) => check(i, found) }));
      // A second one about the same: a hit of one is a hit of the other, and where one stops the other begins.
      questions.push({ conditions: all[0], learn: (found) => check(0, found) });
      let reached = 0;
      for (const [i, isForward, [from, to], most] of asked) {
        const question = questions[i] as Question;
        const found = isForward ? playing.forward(question, from, to, most) : playing.backward(question, from, to);
        check(i, found);
        expect(isForward ? [found.from, found.to <= to] : [found.from >= from, found.to]).toEqual(isForward ? [from, true] : [true, to]);
        reached = isForward ? found.to : reached;
        if (i === 0 && isForward && reached > 0) check(0, playing.forward(questions[3] as Question, reached - 1, Math.max(reached, to), 2));
      }
    }), { numRuns: RUNS });
  }, 120_000);

  it('at once can be given up, and go on afterwards', () => {
    const one = timeline();
    const search = { conditions: [{ kind: 'address', addresses: frequent.slice(0, 2) } as const], listener: (): 'go on' => 'go on' };
    const piece = { from: at(0, 0), to: at(run.instructions, 0) };
    let asked = 0;
    expect(() => atOnce(one.driver.forward(search, piece), { isCancelled: () => ++asked > 2 })).toThrow(Cancelled);
    expect(atOnce(one.driver.forward(search, piece))).toBe('done');
  });
});

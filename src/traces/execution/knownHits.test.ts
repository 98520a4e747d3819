/** What is known of a trace, against a plain list of times of which one knows whether they were looked at. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { guestAddr } from '../../base/types.js';
import { at } from '../../replay/log/position.js';
import type { Hit } from '../../replay/timeline/conditions.js';
import { KnownHits, type KnownTrace } from './knownHits.js';

const END = 40;
function hitAt(time: number): Hit {
  const by = time % 2 === 0 ? 'kernel' : 'program';
  const access = { address: guestAddr(time), bytes: 4, write: true, by } as const;
  return { position: at(time), kind: 'memory', conditions: [0], task: 1, rip: guestAddr(0x1000 + time), access };
}
const times = fc.uniqueArray(fc.integer({ min: 0, max: END - 1 }), { maxLength: 20 }).map((list) => list.sort((a, b) => a - b));
const ranges = fc.array(fc.tuple(fc.integer({ min: 0, max: END }), fc.integer({ min: 0, max: END })), { maxLength: 12 });

function check(trace: KnownTrace, hits: readonly number[], isKnown: readonly boolean[]): void {
  for (let time = 0; time < END; time++) {
    const here = trace.from(time);
    const next = isKnown.indexOf(true, time);
    if ('next' in here) expect([isKnown[time], here.next]).toEqual([false, next < 0 ? Infinity : next]);
    else {
      const end = isKnown.indexOf(false, time);
      expect([isKnown[time], here.to, here.hits]).toEqual([true, end < 0 ? END : end, hits.filter((hit) => hit >= time && hit < here.to).map(hitAt)]);
    }
    const least = time >> 1;
    const before = trace.before(time + 1, least);
    expect('hits' in before).toBe(isKnown[time]);
    if ('hits' in before) expect([before.from, before.hits]).toEqual([Math.max(least, isKnown.lastIndexOf(false, time) + 1), hits.filter((hit) => hit >= before.from && hit <= time).map(hitAt)]);
    else expect(before.next).toBe(isKnown.lastIndexOf(true, time) < 0 ? -Infinity : isKnown.lastIndexOf(true, time) + 1);
  }
}

it('pieces that touch or overlap become one, in whatever order they come, and survive being stored', () => {
  fc.assert(fc.property(times, ranges, (hits, looks) => {
    const known = new KnownHits();
    const trace = known.trace('x', () => [{ kind: 'address', addresses: [guestAddr(1)] }]);
    const isKnown = Array.from({ length: END }, () => false);
    for (const [from, to] of looks) {
      trace.learn({ from, to, hits: hits.filter((hit) => hit >= from && hit < to).map(hitAt) });
      isKnown.fill(true, from, Math.max(from, to));
    }
    check(trace, hits, isKnown);
    const again = new KnownHits(known.encode()).trace('x', () => expect.unreachable());
    check(again, hits, isKnown);
    expect(again.conditions).toEqual(trace.conditions);
  }));
});

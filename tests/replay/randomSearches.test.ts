/** Whatever is searched for, going back finds what going forward finds; so does an engine that only interprets. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GuestAddr, guestAddr } from '../../src/base/types.js';
import { buildProgram } from '../programs/build.js';
import { at, comparePositions } from '../../src/replay/log/position.js';
import { type Condition, type Hit, memoryRange } from '../../src/replay/timeline/conditions.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { type Recorded, record } from './recorded.js';

const LONG = process.env['CULPRIT_LONG'] !== undefined;
const VARIANT = { compiler: 'gcc', flags: ['-O1', '-static'] } as never;
const PROGRAMS = LONG ? ['sorting.c', 'threadLocks.c', 'forks.c', 'signalsBetween.c', 'selfModifying.c', 'pipes.c', 'strings.c', 'recursion.c'] : ['signalsBetween.c'];
const RUNS = LONG ? 25 : 4;
/** More are not looked at one by one. */
const MOST_STEPS = 12;
/** Searches with more hits are left out: everything is accessed all the time. */
const MOST_HITS = 20_000;
const PLACES = 300;

interface Places {
  readonly code: readonly GuestAddr[];
  readonly data: readonly number[];
}

/** Where the program was, and what it wrote to: places at which something happens. */
async function places(timeline: Timeline, run: Recorded): Promise<Places> {
  const [code, data] = [new Set<GuestAddr>(), new Set<number>()];
  for (let i = 0; i < PLACES; i++) {
    const { current, register } = bound(await timeline.stateAt(at(Math.floor((run.instructions * i) / PLACES))));
    if (current === undefined) continue;
    code.add(guestAddr(Number(register(current.id, 'rip'))));
    for (const name of ['rsp', 'rbp', 'rdi', 'rbx', 'rax']) data.add(Number(BigInt.asUintN(47, register(current.id, name) ?? 0n)));
  }
  return { code: [...code], data: [...data] };
}

function bound(state: Awaited<ReturnType<Timeline['stateAt']>>): { current: typeof state.current; register: typeof state.register } {
  return { current: state.current, register: state.register.bind(state) };
}

function conditions({ code, data }: Places): fc.Arbitrary<Condition[]> {
  const range = fc.tuple(fc.constantFrom(...data), fc.integer({ min: -16, max: 16 }), fc.constantFrom(1, 4, 8, 64, 5000))
    .map(([address, offset, size]) => memoryRange(guestAddr(Math.max(0, address + offset)), size));
  const one: fc.Arbitrary<Condition> = fc.oneof(
    fc.array(fc.constantFrom(...code), { minLength: 1, maxLength: 3 }).map((addresses) => ({ kind: 'address' as const, addresses })),
    fc.record({ kind: fc.constant('memory' as const), access: fc.constantFrom('write' as const, 'read' as const, 'access' as const), ranges: fc.array(range, { minLength: 1, maxLength: 3 }) }),
    fc.constantFrom<Condition>({ kind: 'syscall' }, { kind: 'switch' }, { kind: 'signal' }),
  );
  return fc.array(one, { minLength: 1, maxLength: 3 });
}

const text = ({ position, conditions, rip, task, access }: Hit): string =>
  `${position.time}/${position.done} ${conditions.join()} ${rip.toString(16)} ${task} ${access === undefined ? '' : `${access.address.toString(16)}+${access.bytes} ${access.write ? 'w' : 'r'} ${access.by}`}`;

function positions(hits: readonly Hit[]): string[] {
  return [...new Set(hits.map(({ position: { time, done } }) => `${time}/${done}`))];
}

describe('random searches', () => {
  it.each(PROGRAMS)('%s', async (source) => {
    const run = await record([await buildProgram(source, VARIANT)], { scheduleSeed: 3 });
    const timeline = new Timeline({ ...run.options, checkpointInterval: Math.ceil(run.instructions / 17) });
    const interpreting = new Timeline({ ...run.options, engine: { ...run.options.engine, noCompiler: true } });
    const where = await places(timeline, run);
    await fc.assert(
      fc.asyncProperty(conditions(where), fc.integer({ min: 0, max: run.instructions }), async (wanted, time) => {
        const all: Hit[] = [];
        await timeline.each(wanted, (hit) => (all.push(hit) < MOST_HITS ? 'go on' : 'stop'));
        fc.pre(all.length < MOST_HITS);
        expect(all.map(text)).toEqual((await interpreting.all(wanted)).map(text));
        expect(all.every((hit, i) => i === 0 || comparePositions((all[i - 1] as Hit).position, hit.position) <= 0)).toBe(true);
        const here = at(time);
        await timeline.seek(here);
        const before = positions(all.filter(({ position }) => comparePositions(position, here) < 0)).reverse().slice(0, MOST_STEPS);
        expect(positions(await walk(() => timeline.backward(wanted), before.length))).toEqual(before);
        await timeline.seek(here);
        const after = positions(all.filter(({ position }) => comparePositions(position, here) > 0)).slice(0, MOST_STEPS);
        expect(positions(await walk(() => timeline.forward(wanted), after.length))).toEqual(after);
      }),
      { numRuns: RUNS },
    );
  });
});

async function walk(step: () => Promise<Hit | undefined>, most: number): Promise<Hit[]> {
  const hits: Hit[] = [];
  while (hits.length < most) {
    const hit = await step();
    if (hit === undefined) break;
    hits.push(hit);
  }
  return hits;
}

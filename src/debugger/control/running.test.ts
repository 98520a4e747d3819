import { describe, expect, it } from 'vitest';
import { type GuestAddr, guestAddr } from '../../base/types.js';
import { at } from '../../replay/log/position.js';
import { type Hit, memoryRange } from '../../replay/timeline/conditions.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { Happening } from '../../replay/timeline/hitMeets.js';
import { type Goal, type Interest, lookHere, run, type RunRequest } from './running.js';
import { scriptedExecution } from './testing/scriptedExecution.js';

const [HERE, THERE] = [guestAddr(0x10), guestAddr(0x20)];

function passes(rip: GuestAddr, time: number, task = 1): Happening {
  return { kind: 'address', position: at(time), task, rip };
}

/** Passes HERE at 2, 4 and 6, THERE at 4 and 8. */
const HAPPENINGS = [passes(HERE, 2), passes(HERE, 4), passes(THERE, 4), passes(HERE, 6), passes(THERE, 8)];

function execution(time = 0): Execution {
  return scriptedExecution({ endTime: 10, happenings: HAPPENINGS, since: [] }, at(time));
}

function interest(rip: GuestAddr, accepts?: (hit: Hit) => boolean): Interest<string> {
  return {
    conditions: [{ kind: 'address', addresses: [rip] }],
    ...(accepts === undefined ? {} : { accepts }),
    stop: async (hit) => `${rip} at ${hit.position.time}`,
  };
}

function goalAt(rip: GuestAddr, comesFirst = false): Goal {
  return { conditions: [{ kind: 'address', addresses: [rip] }], comesFirst };
}

function request(parts: Partial<RunRequest<string>>): RunRequest<string> {
  return { execution: execution(), direction: 'forward', interests: [], together: ([first]) => first, ...parts };
}

describe('a run', () => {
  it('ends at the first stop in its direction, or at the limit', async () => {
    const interests = [interest(HERE)];
    expect(await run(request({ interests }))).toMatchObject({ kind: 'stop', stop: '16 at 2' });
    expect(await run(request({ interests, execution: execution(6), direction: 'backward' }))).toMatchObject({ kind: 'stop', stop: '16 at 4' });
    expect(await run(request({ interests, execution: execution(6) }))).toEqual({ kind: 'limit' });
    expect(await run(request({ interests, execution: execution(2), direction: 'backward' }))).toEqual({ kind: 'limit' });
  });

  it('passes what is not accepted, and goes on after what is no stop', async () => {
    expect(await run(request({ interests: [interest(HERE, ({ position }) => position.time > 4)] }))).toMatchObject({ stop: '16 at 6' });
    const silent = { ...interest(HERE), stop: async () => undefined };
    expect(await run(request({ interests: [silent] }))).toEqual({ kind: 'again' });
  });

  it('filters only if an interest, or the goal, wants to', async () => {
    const filters: unknown[] = [];
    const seen = { ...execution(), position: at(0), forward: async (_c: unknown, _w: unknown, filter: unknown) => void filters.push(filter) } as unknown as Execution;
    await run(request({ execution: seen, interests: [interest(HERE)], goal: goalAt(THERE) }));
    await run(request({ execution: seen, interests: [interest(HERE, () => true)], goal: goalAt(THERE) }));
    expect(filters.map((filter) => filter === undefined)).toEqual([true, false]);
  });

  it('ends at its goal, which comes after stops in the same place unless it comes first', async () => {
    const both = (comesFirst: boolean) => request({ execution: execution(3), interests: [interest(HERE)], goal: goalAt(HERE, comesFirst) });
    expect(await run(both(false))).toMatchObject({ kind: 'stop', stop: '16 at 4' });
    expect(await run(both(true))).toMatchObject({ kind: 'goal' });
  });

  it('stays within its stretch', async () => {
    const within = { begin: at(3), end: at(5) };
    const interests = [interest(HERE)];
    expect(await run(request({ interests, within, execution: execution(3) }))).toMatchObject({ stop: '16 at 4' });
    expect(await run(request({ interests, within, execution: execution(4) }))).toEqual({ kind: 'limit' });
    expect(await run(request({ interests, within, execution: execution(5), direction: 'backward' }))).toMatchObject({ stop: '16 at 4' });
    expect(await run(request({ interests, within, execution: execution(4), direction: 'backward' }))).toEqual({ kind: 'limit' });
  });
});

describe('what happens before the position changes', () => {
  const signal: Happening = { kind: 'signal', position: at(5, 0), task: 1, rip: guestAddr(0), signal: 10 };
  const access = { address: guestAddr(0), bytes: 1, write: true, by: 'program' } as const;
  const write: Happening = { kind: 'memory', position: at(5), task: 1, rip: guestAddr(0), access };
  const script = { endTime: 10, happenings: [signal, write], since: [] };
  const signals: Interest<string> = { conditions: [{ kind: 'signal' }], stop: async () => 'signal' };
  const writes: Interest<string> = {
    conditions: [{ kind: 'memory', access: 'write', ranges: [memoryRange(access.address, 1)] }],
    stop: async () => 'write',
  };
  const all = new Set(['signal', 'memory'] as const);

  it('is found where searches would pass it, by its kind', async () => {
    const before = request({ execution: scriptedExecution(script, at(5, 0)), interests: [signals, writes] });
    expect(await lookHere(before, all)).toMatchObject({ kind: 'stop', stop: 'signal' });
    expect(await lookHere(before, new Set(['memory']))).toBeUndefined();
    const after = request({ execution: scriptedExecution(script, at(5)), interests: [signals, writes] });
    expect(await lookHere(after, all)).toMatchObject({ kind: 'stop', stop: 'write' });
    expect(await run(after)).toEqual({ kind: 'limit' });
  });

  it('may be the goal', async () => {
    const goal: Goal = { conditions: [{ kind: 'signal' }] };
    expect(await lookHere(request({ execution: scriptedExecution(script, at(5, 0)), goal }), new Set())).toMatchObject({ kind: 'goal' });
  });

  it('is gone by if it moves the execution and is no stop', async () => {
    const passing = scriptedExecution(script, at(5));
    const unchanged = { ...writes, stop: async () => void (await passing.seek(at(6, 0))) };
    expect(await lookHere(request({ execution: passing, interests: [unchanged] }), all)).toEqual({ kind: 'again' });
    expect(passing.position).toEqual(at(6, 0));
  });
});

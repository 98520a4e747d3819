import { describe, expect, it } from 'vitest';
import { guestAddr } from '../../base/types.js';
import { at, type Position } from '../../replay/log/position.js';
import { memoryRange } from '../../replay/timeline/conditions.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { Happening } from '../../replay/timeline/hitMeets.js';
import { Cancelled } from '../../replay/timeline/work.js';
import { type MoveContext, Moves, unlessCancelled } from './moves.js';
import type { Interest } from './running.js';
import { behind, type Standing } from './standing.js';
import type { Direction } from './stops.js';
import { type Script, scriptedExecution } from './testing/scriptedExecution.js';

/** Where everything happens. */
const rip = guestAddr(0);

/** Thread 2 runs from time 4 to time 7. */
const SWITCHES: Script = {
  endTime: 10,
  happenings: [
    { kind: 'switch', position: at(4, 0), task: 2, rip },
    { kind: 'switch', position: at(7, 0), task: 1, rip },
  ],
  since: [{ position: at(4, 1), current: 2 }, { position: at(7, 1), current: 1 }],
};

function scripted(happenings: readonly Happening[], since: Script['since'] = []): Script {
  return { endTime: 10, happenings, since };
}

const SIGNALS: Interest<string> = { conditions: [{ kind: 'signal' }], stop: async ({ signal }) => `signal ${signal}` };

interface Standpoint {
  readonly from: Position;
  readonly direction?: Direction;
  readonly standing?: Standing;
  readonly interests?: (execution: Execution) => readonly Interest<string>[];
  readonly context?: Partial<MoveContext<string>>;
}

function movesOf(script: Script, { from, direction = 'forward', standing = 'behind events', interests, context }: Standpoint): { readonly moves: Moves<string>; readonly execution: Execution } {
  const execution = scriptedExecution(script, from);
  const moves = new Moves<string>({
    execution, standing, told: undefined, looksAt: new Set(['memory', 'signal']),
    viewAt: () => undefined, interests: () => interests?.(execution) ?? [], done: () => undefined, together: ([first]) => first, ...context,
  }, 1, direction, undefined);
  return { moves, execution };
}

async function afterInstruction(script: Script, standpoint: Standpoint): Promise<unknown> {
  const { moves, execution } = movesOf(script, standpoint);
  const moved = await moves.instruction();
  return [moved.kind === 'stop' ? moved.stop : moved.kind, execution.position];
}

describe('one instruction', () => {
  it('ends behind it, before or after what the kernel then does', async () => {
    expect(await afterInstruction(scripted([]), { from: at(3) })).toEqual(['there', at(4)]);
    expect(await afterInstruction(scripted([]), { from: at(3), standing: 'behind instructions' })).toEqual(['there', at(4, 0)]);
    expect(await afterInstruction(scripted([]), { from: at(4), direction: 'backward' })).toEqual(['there', at(3)]);
  });

  it('waits for the turn of the thread', async () => {
    expect(await afterInstruction(SWITCHES, { from: at(3) })).toEqual(['there', at(7, 1)]);
    expect(await afterInstruction(SWITCHES, { from: at(3), standing: 'behind instructions' })).toEqual(['there', at(4, 0)]);
    expect(await afterInstruction(SWITCHES, { from: at(4, 0), standing: 'behind instructions' })).toEqual(['there', at(8, 0)]);
    expect(await afterInstruction(SWITCHES, { from: at(5), standing: 'behind instructions' })).toEqual(['there', at(8, 0)]);
    expect(await afterInstruction(SWITCHES, { from: at(7, 1), direction: 'backward' })).toEqual(['there', at(3)]);
  });

  it('takes a turn that the thread gets right where it stands', async () => {
    expect(await afterInstruction(SWITCHES, { from: at(7, 0) })).toEqual(['there', at(8)]);
  });

  it('that faults stands before the signal, which then leads to the handler', async () => {
    const fault: Happening = { kind: 'signal', position: at(4, 0), task: 1, rip, signal: 11, isFault: true };
    const script = scripted([fault], [{ position: at(0), registers: { rip: 1 } }, { position: at(4, 1), registers: { rip: 2 } }]);
    expect(await afterInstruction(script, { from: at(3), interests: () => [SIGNALS] })).toEqual(['there', at(4, 0)]);
    expect(await afterInstruction(script, { from: at(4, 0), interests: () => [SIGNALS] })).toEqual(['signal 11', at(4, 0)]);
    expect(await afterInstruction(script, { from: at(4, 0), interests: () => [SIGNALS], context: { told: at(4, 0) } })).toEqual(['there', at(4)]);
  });

  it('back from a handler leads to what the signal has interrupted', async () => {
    const script = scripted([], [{ position: at(0), registers: { rip: 1 } }, { position: at(4, 1), registers: { rip: 2, rdi: 11, rsp: 64, rdx: 72 } }]);
    expect(await afterInstruction(script, { from: at(4), direction: 'backward' })).toEqual(['there', at(4, 0)]);
    const inside = scripted([], [{ position: at(0), registers: { rip: 2, rdi: 11, rsp: 64, rdx: 72 } }]);
    expect(await afterInstruction(inside, { from: at(4), direction: 'backward' })).toEqual(['there', at(3)]);
  });

  it('ends where the stretch does', async () => {
    const within = { begin: at(3), end: at(5, 0) };
    expect(await afterInstruction(scripted([]), { from: at(3), direction: 'backward', context: { within } })).toMatchObject(['limit', {}]);
    expect(await afterInstruction(scripted([]), { from: at(4), direction: 'backward', context: { within } })).toEqual(['there', at(3)]);
    expect(await afterInstruction(scripted([]), { from: at(5), standing: 'behind instructions', context: { within } })).toMatchObject(['limit', {}]);
  });
});

describe('watched memory', () => {
  const access = { address: guestAddr(0), bytes: 1, write: true, by: 'program' } as const;
  const write = (time: number): Happening => ({ kind: 'memory', position: at(time), task: 1, rip, access });
  const script = scripted([write(3), write(5)]);
  /** As gdbserver has it: no filter; goes by if nothing has changed, which is so at time 3. */
  const watch = (direction: Direction) => (execution: Execution): Interest<string>[] => [{
    conditions: [{ kind: 'memory', access: 'write', ranges: [memoryRange(guestAddr(0), 1)] }],
    stop: async (hit) => {
      if (direction === 'forward') await execution.seek(behind(hit, 'behind instructions'));
      return hit.position.time === 3 ? undefined : `write ${hit.position.time}`;
    },
  }];

  async function away(from: Position, direction: Direction): Promise<unknown> {
    const { moves, execution } = movesOf(script, { from, direction, standing: 'behind instructions', interests: watch(direction) });
    const moved = await moves.away();
    return [moved.kind === 'stop' ? moved.stop : moved.kind, execution.position];
  }

  it('stops a run behind the access in either direction, also by the instruction that comes next', async () => {
    expect(await away(at(1), 'forward')).toEqual(['write 5', at(6, 0)]);
    expect(await away(at(3), 'forward')).toEqual(['write 5', at(6, 0)]);
    expect(await away(at(5), 'forward')).toEqual(['write 5', at(6, 0)]);
    expect(await away(at(9), 'backward')).toEqual(['write 5', at(5)]);
    expect(await away(at(5), 'backward')).toMatchObject(['limit', {}]);
  });

  it('stops a step, and is gone by in a step if nothing has changed', async () => {
    const step = (from: Position, direction: Direction): Promise<unknown> => afterInstruction(script, { from, direction, standing: 'behind instructions', interests: watch(direction) });
    expect(await step(at(5), 'forward')).toEqual(['write 5', at(6, 0)]);
    expect(await step(at(3), 'forward')).toEqual(['there', at(4, 0)]);
    expect(await step(at(6), 'backward')).toEqual(['write 5', at(5)]);
    expect(await step(at(4), 'backward')).toEqual(['there', at(3)]);
  });

  it('that moves a run to its very goal is no reason to miss it', async () => {
    const settling = (execution: Execution): Interest<string>[] => watch('forward')(execution).map((one) => ({
      ...one, accepts: () => true, stop: async () => void (await execution.seek(at(4))),
    }));
    expect(await afterInstruction(scripted([write(3)]), { from: at(3), interests: settling })).toEqual(['there', at(4)]);
  });
});

it('moves that are given up leave the execution where it was, unless that was a branch which is no more', async () => {
  const [branch, recording] = [scriptedExecution(scripted([]), at(3)), scriptedExecution(scripted([]), at(1))];
  const debugged = { execution: branch };
  const givingUp = async (): Promise<never> => {
    await debugged.execution.seek(at(7));
    throw new Cancelled();
  };
  expect(await unlessCancelled(debugged, givingUp)).toBeUndefined();
  expect(branch.position).toEqual(at(3));
  const leaving = async (): Promise<never> => {
    debugged.execution = recording;
    return givingUp();
  };
  expect(await unlessCancelled(debugged, leaving)).toBeUndefined();
  expect([branch.position, recording.position]).toEqual([at(3), at(7)]);
  await expect(unlessCancelled(debugged, async () => Promise.reject(new Error('other')))).rejects.toThrow('other');
});

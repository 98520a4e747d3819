/** What went forward comes back: the same places in reverse order. */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { UserError } from '../../src/base/errors.js';
import type { Debugger } from '../../src/debugger/control/debugger.js';
import { RangeEntries } from '../../src/debugger/control/enterRange.js';
import { at } from '../../src/replay/log/position.js';
import { compile, debug, shownStack } from './debugged.js';

const LONG = process.env['CULPRIT_LONG'] !== undefined;
const RUNS = LONG ? 50 : 2;
const PROGRAMS = [['threads.c', '-O0'], ['recursion.c', '-O0'], ['throwing.cc', '-O2']] as const;

const STEPPED = [['oneLine.c', '-O0'], ['oneLine.c', '-O2'], ['calls.c', '-O0'], ['calls.c', '-O2'], ['inlining.c', '-O2'], ['handlers.c', '-O0'], ['recursion.c', '-O2'], ['throwing.cc', '-O0']] as const;

/** When it begins and when it is left. */
async function timesOfMain(session: Debugger): Promise<[number, number]> {
  await session.goTo(at(0));
  session.addBreakpoint('main', { temporary: true });
  await session.continue();
  const begin = session.position.time;
  session.addBreakpoint('exit', { temporary: true });
  await session.continue();
  return [begin + 1, session.position.time];
}

async function placed(session: Debugger): Promise<string> {
  return `${session.position.time} ${shownStack(session).join(', ')}`;
}

/** Goes forward by `move`, then back by its opposite: all places are the same. */
async function thereAndBack(session: Debugger, count: number, move: (direction: 'forward' | 'backward') => Promise<{ readonly kind: string }>): Promise<void> {
  const places = [await placed(session)];
  for (let i = 0; i < count; i++) {
    const stop = await move('forward');
    places.push(await placed(session));
    if (stop.kind === 'end') break; // a place like others: the way back begins there
  }
  for (let i = places.length - 2; i >= 0; i--) {
    await move('backward');
    expect(await placed(session), `place ${i} of ${places.length}`).toBe(places[i]);
  }
}

describe('going back', () => {
  it.each(LONG ? PROGRAMS : PROGRAMS.slice(0, 1))('%s %s: leads to where the program came from', async (source, level) => {
    const session = await debug(compile(source, [level, '-g']));
    const { endTime } = session.execution;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1000, max: endTime - 1000 }), fc.integer({ min: 2, max: 6 }), fc.boolean(), async (time, count, byInstruction) => {
        session.breakpoints.deleteAll();
        await session.goTo(at(time));
        if (byInstruction) return thereAndBack(session, count, (direction) => session.stepInstruction({ direction }));
        for (const address of [session.program()?.pc, session.backtrace?.frame(1)?.pc]) if (address !== undefined) session.addBreakpoint(`*${address}`);
        session.signals.handle(17, { stop: true });
        return thereAndBack(session, count, (direction) => session.continue(direction));
      }),
      { numRuns: RUNS, seed: 7 },
    );
  });

  it('by lines of one function leads to their starts', async () => {
    const session = await debug(compile('calls.c', ['-O0', '-g']));
    await session.goTo(at(0));
    session.addBreakpoint('main', { temporary: true });
    await session.continue();
    await thereAndBack(session, 9, (direction) => session.next({ direction }));
  });

  it.each(LONG ? STEPPED : STEPPED.slice(0, 1))('%s %s: at full speed through a line as instruction by instruction', async (source, level) => {
    const session = await debug(compile(source, [level, '-g']));
    const [low, high] = await timesOfMain(session);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: low, max: high }), fc.integer({ min: 1, max: 3 }), fc.constantFrom('step' as const, 'next' as const), async (time, count, command) => {
        const back = async (): Promise<string> => {
          await session.goTo(at(time));
          // In libraries without symbols there is nothing to step by.
          await session[command]({ direction: 'backward', count }).catch((error: unknown) => {
            if (!(error instanceof UserError)) throw error;
          });
          return placed(session);
        };
        const quick = await back();
        const slow = vi.spyOn(RangeEntries, 'of').mockReturnValue(undefined);
        try {
          expect(quick, `${time} ${count} ${command}`).toBe(await back());
        } finally {
          slow.mockRestore();
        }
      }),
      { numRuns: LONG ? 30 : 3, seed: 7 },
    );
  });
});

/** Where our debugger stops for a breakpoint on calls: the return addresses of the calls, in order. */
import type { Debugger } from '../../src/debugger/control/debugger.js';
import { at, comparePositions, type Position } from '../../src/replay/log/position.js';

interface CallStop {
  readonly position: Position;
  readonly returns: bigint;
}

/** From main on to the end, and from the end back to main. They must be the same. */
export async function stopsOf(session: Debugger, begin: Position, name: string, condition?: string): Promise<{ readonly forward: readonly CallStop[]; readonly backward: readonly CallStop[] }> {
  await session.goTo(begin);
  const point = await session.addCallBreakpoint(name, { condition });
  const forward: CallStop[] = [];
  while ((await session.continue()).kind === 'breakpoint') forward.push(await callHere(session));
  const backward: CallStop[] = [];
  while ((await session.continue('backward')).kind === 'breakpoint' && comparePositions(session.position, begin) > 0) backward.push(await callHere(session));
  session.breakpoints.delete(point.number);
  return { forward, backward };
}

/** The instruction is a call: what it pushes is where it returns to. */
async function callHere(session: Debugger): Promise<CallStop> {
  const { position, thread } = session;
  if (thread === undefined) throw new Error('a call is made by a thread');
  const points = session.breakpoints.all.filter(({ enabled }) => enabled);
  for (const point of points) point.enabled = false;
  await session.goTo(at(position.time + 1));
  const stack = session.state.register(thread.id, 'rsp') ?? 0n;
  const returns = session.program(thread.id)?.pointer(stack) ?? 0n;
  await session.goTo(position);
  for (const point of points) point.enabled = true;
  return { position, returns };
}

/** Where main begins. */
export async function mainOf(session: Debugger): Promise<Position> {
  await session.goTo(at(0));
  session.addBreakpoint('main', { temporary: true });
  await session.continue();
  return session.position;
}

/**
 * Where the calls of a function return to during which a variable got another value: by a watchpoint and its stacks.
 */
export async function callsChanging(session: Debugger, begin: Position, name: string, variable: string): Promise<bigint[]> {
  await session.goTo(begin);
  const point = session.addWatchpoint(variable);
  const calls = new Map<string, bigint>();
  while ((await session.continue()).kind === 'watchpoint') {
    const frames = session.backtrace?.frames(100) ?? [];
    frames.toReversed().forEach((frame) => {
      const caller = frames[frame.level + 1];
      if (frame.functionName === name && caller !== undefined) calls.set(`${frame.id.stack} ${caller.pc}`, caller.pc);
    });
  }
  session.breakpoints.delete(point.number);
  return [...calls.values()];
}

/** gdb's commands, given to our debugger. */
import { UserError } from '../../src/base/errors.js';
import type { Debugger } from '../../src/debugger/control/debugger.js';
import type { Stop } from '../../src/debugger/control/stops.js';
import { at } from '../../src/replay/log/position.js';
import { shownStack } from './debugged.js';

export interface Followed {
  readonly command: string;
  readonly frames: readonly string[] | undefined;
  readonly pc: number;
}

export async function give(session: Debugger, command: string): Promise<Stop | undefined> {
  const [name = '', ...rest] = command.split(' ');
  const argument = rest.join(' ');
  const reverse = name.startsWith('reverse-');
  const direction = reverse ? 'backward' : 'forward';
  const count = argument === '' ? 1 : Number(argument);
  switch (reverse ? name.slice(8) : name) {
    case 'break': session.addBreakpoint(argument); return undefined;
    case 'tbreak': session.addBreakpoint(argument, { temporary: true }); return undefined;
    case 'delete': session.breakpoints.deleteAll(); return undefined;
    case 'record': return undefined;
    case 'run': await session.goTo(at(0)); return session.continue();
    case 'continue': return session.continue(direction);
    case 'step': return session.step({ direction, count });
    case 'next': return session.next({ direction, count });
    case 'stepi': return session.stepInstruction({ direction, count });
    case 'nexti': return session.nextInstruction({ direction, count });
    case 'finish': return session.finish({ direction });
    case 'until': return session.until(argument === '' ? undefined : argument, { direction });
    case 'advance': return session.advance(argument, { direction });
    case 'up': session.selectFrame((session.frame?.level ?? 0) + Number(argument || 1)); return undefined;
    default: throw new Error(`what is ${command}?`);
  }
}

/** Until the program ends. */
export async function follow(session: Debugger, commands: readonly string[]): Promise<Followed[]> {
  const followed: Followed[] = [];
  for (const command of commands) {
    let stop: Stop | undefined;
    try {
      stop = await give(session, command);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
    }
    const frames = stop?.kind === 'end' ? undefined : shownStack(session);
    followed.push({ command, frames, pc: Number(session.program()?.pc ?? 0n) });
    if (frames === undefined) break;
  }
  return followed;
}

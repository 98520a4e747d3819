/** What happens after a stop: displays are shown, then the commands of the breakpoints that were hit. */
import { UserError } from '../base/errors.js';
import { numbersOf, type Stop } from '../debugger/control/stops.js';
import type { Display } from './displays.js';
import type { Session } from './session.js';

export async function afterStop(stop: Stop, session: Session): Promise<void> {
  if (stop.kind === 'cancelled') return;
  await showDisplays(session);
  for (const line of commandsOf(stop, session)) {
    if (line === 'silent') continue;
    await session.execute(line);
  }
}

function commandsOf(stop: Stop, { debugger: { breakpoints } }: Session): readonly string[] {
  return numbersOf(stop).flatMap((number) => breakpoints.find(number)?.commands ?? []);
}

export async function showDisplays(session: Session): Promise<void> {
  for (const display of session.displays.all) if (display.enabled) await showDisplay(display, session);
}

/** One that makes no sense here is passed over, as gdb does with variables of other functions. */
export async function showDisplay({ number, expression, format }: Display, session: Session): Promise<void> {
  try {
    if (/[is]$/.test(format) || /^\/\d/.test(format)) {
      const bytes = (): Promise<string> => session.language.examine(`${format} ${expression}`, session.settings.get('disassembly-flavor'));
      await session.looking(bytes, (text) => session.write(`${number}: x${format} ${expression}\n${text}`));
      return;
    }
    const value = (): Promise<string> => session.language.output(`${format} ${expression}`.trim());
    await session.looking(value, (text) => session.say(`${number}: ${format === '' ? '' : `${format} `}${expression} = ${text}`));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
}

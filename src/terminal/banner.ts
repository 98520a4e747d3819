/** What is said first: which program, how it ended, where, and what one could do. */
import { shellWord } from '../base/visible.js';
import { countText, endingWords } from './commands/timeCommands.js';
import { frameText } from './frameText.js';
import type { Session } from './session.js';
import { gdbSignalWords } from './signalWords.js';
import { stopSource } from './stopSource.js';
import { wildJumpText } from './stopText.js';

export async function banner(session: Session): Promise<string> {
  const { debugger: { lastStop, position, execution, frame } } = session;
  const { paint } = session;
  const ending = lastStop.kind === 'end' && lastStop.ending.how === 'signaled' ? `${endingWords(lastStop)} (${gdbSignalWords(lastStop.ending.code)})` : endingWords(lastStop);
  const lines = [
    `${paint('heading', session.commandLine.map(shellWord).join(' '))}: ${ending}, ${countText(execution.endTime)} instructions`,
    ...(frame === undefined ? [] : [`#0  ${frameText(frame, session)}`]),
  ];
  const hint = `You are at the end, time ${countText(position.time)}. Go back with reverse-continue (rc), reverse-step (rs), reverse-next (rn); see "help".`;
  return `${lines.join('\n')}\n${frame === undefined ? '' : stopSource(frame, session)}${await wildJumpText(session)}${paint('dim', hint)}\n`;
}

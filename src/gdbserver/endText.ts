/**
 * How it ended, in words. A stop reply that says so (`W`, `X`) would end the session for gdb, which could not go back
 * then; so the program stands at its end, and the user is told beside that.
 */
import { branchEnding, endingText } from '../debugger/control/endings.js';
import type { HowItEnded } from '../debugger/control/stops.js';
import type { Debuggee } from './debuggee.js';

/** A line for who has come to the end of the process, or of the branch. */
export function endText({ branch, process }: Debuggee): string {
  if (branch !== undefined) return `The branch ends here${why(branchEnding(branch.end))}.\n`;
  if (process.isReplaced) return 'The process executes another program here.\n';
  if (process.end === undefined) return 'The recording ends here.\n';
  return `The process ends here${why(process.signal === 0 ? { how: 'exited', code: process.code } : { how: 'signaled', code: process.signal })}.\n`;
}

/** `: exited with code 7`, or nothing. */
export function why(ending: HowItEnded): string {
  const text = endingText(ending);
  return text === undefined ? '' : `: ${text}`;
}

/**
 * Says that the program is not the recorded one any more, or is it again: commands that assign do not look as if they
 * did that.
 */
import { countText, whenText } from './commands/timeCommands.js';
import type { Session } from './session.js';

export function announceBranch(session: Session): void {
  const { shownBranch, debugger: { branch } } = session;
  if (branch === shownBranch) return;
  session.shownBranch = branch;
  if (branch === undefined) session.say(`[Back in the recording, at ${whenText(session)}]`);
  else session.say(`[A branch begins here, at time ${countText(branch.start.time)}: what follows was not recorded; "branch drop" returns to what was]`);
}

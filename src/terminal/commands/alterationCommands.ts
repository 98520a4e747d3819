/** What if: what whatIf/alterationCommands.ts answers is printed, and the branch that it makes is entered. */
import { ALTERATION_COMMANDS, type AlterationCommand, type AlterationOutcome } from '../../whatIf/alterationCommands.js';
import type { Command, Completed } from '../command.js';
import type { Session } from '../session.js';
import { arrive } from './runningCommands.js';
import { whenText } from './timeCommands.js';

interface Help {
  readonly details?: string;
  readonly examples?: Command['examples'];
  readonly completes: Completed;
}

const WHICH = 'Which instances: "all" of them (as if nothing is said), "once" for the next one after here, N or #N for the N-th of the whole run.';

const HELP: Readonly<Record<AlterationCommand, Help>> = {
  switch: {
    completes: 'location', details: `${WHICH} The recording stays as it is: "branch drop" returns to it.`,
    examples: [['switch tally.c:18#5', 'its fifth evaluation goes the other way'], ['switch tally.c:18.2', 'the second condition of the line'], ['switch menu.c:40 to 3', 'every time to case 3'], ['switch menu.c:40#1 to default', '']],
  },
  suppress: {
    completes: 'location', details: `${WHICH} With a value the calls of the statement, or the function, give it as their result without being made, and the rest happens.`,
    examples: [['suppress tally.c:19#5', 'its fifth instance does not happen'], ['suppress free', 'nothing is freed'], ['suppress malloc#3 = 0', 'the third call fails'], ['suppress notes.c:30 = -1', 'what is called in that line fails']],
  },
  alteration: { completes: ['on', 'off', 'delete'], details: 'A branch is made of those that are on. What you have assigned yourself stays.' },
  alterations: { completes: 'file' },
  compare: {
    completes: ['recording', 'branch', '-findings'],
    details: 'A run is "recording", "branch" (the one that is debugged), @CHECKPOINT (what was debugged when it was made), or numbers of alterations: the recording with these. Without runs it is the recording and the branch, with one the recording and that one. -findings: also what the rules of "culprit check" find in one of them only; the program is run again for that.',
    examples: [['compare', 'the recording with the branch'], ['compare 1', 'the recording with alteration 1 alone'], ['compare 1 1,2', 'what does alteration 2 add?'], ['compare @before branch', 'with what was debugged at a checkpoint'], ['compare -findings 1', 'and does it find less?']],
  },
};

const named = (name: AlterationCommand): Command => ({
  name, group: 'time', repeat: 'never', usage: ALTERATION_COMMANDS[name].usage, summary: ALTERATION_COMMANDS[name].summary, ...HELP[name],
  run: async (args, session) => answer(await session.working(name, (work) => session.alterations.run(name, args, work)), session),
});

export const ALTERING: readonly Command[] = (Object.keys(ALTERATION_COMMANDS) as AlterationCommand[]).map(named);

export const INFO_ALTERATIONS: Command = {
  name: 'alterations', group: 'time', usage: 'info alterations', completes: 'nothing', summary: 'What is altered, with its numbers.',
  run(_args, session) {
    for (const line of session.alterations.lines) session.say(line);
  },
};

/** Says it, and goes on with the branch that was made. */
export async function answer({ lines, entering }: AlterationOutcome, session: Session): Promise<void> {
  for (const line of lines) session.say(line);
  if (entering === undefined) return;
  const { debugger: debug } = session;
  const { branch, history, position } = entering;
  if (branch === undefined) {
    if (debug.branch !== undefined) debug.dropBranch();
    session.shownBranch = undefined;
    return session.say(`Nothing is altered: back in the recording, at ${whenText(session)}.`);
  }
  const stop = await session.going('altering', async (work) => {
    await debug.enterBranch(branch, history, work);
    return debug.goTo(position, work);
  });
  await arrive(stop, session);
}

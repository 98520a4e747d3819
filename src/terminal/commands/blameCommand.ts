/** The first point of memory corruption, and the executions that show it. */
import { UserError } from '../../base/errors.js';
import { blame, type BlameResult } from '../../blame/blame.js';
import { blameLines } from '../../blame/blameText.js';
import { suppressedRun } from '../../blame/suppression/suppressedRun.js';
import type { Command } from '../command.js';
import type { Session } from '../session.js';

const USAGE = 'blame [-max-runs N] [suppression | guards | both], blame open N';

/** The last answer, by session. */
const ANSWERS = new WeakMap<Session, BlameResult>();

export const BLAME: Command = {
  name: 'blame', group: 'time', usage: USAGE, completes: 'nothing', repeat: 'never',
  summary: 'Find the statement that corrupted memory first.',
  details: 'Guards: the recorded program runs once more, with guards around every variable and block, under the rules of culprit check. Suppression: from the crash back to the statement that defined what crashed, and again without it and all that depends on it, until nothing crashes. "blame open N" goes to the end of the N-th execution of the last answer, in a branch; "branch drop" comes back. You stay where you are otherwise.',
  examples: [['blame', 'who corrupted memory first?'], ['blame suppression', 'without guards'], ['blame open 2', 'look into the second execution']],
  async run(args, session) {
    const open = /^open\s+(\d+)$/.exec(args.trim());
    if (open !== null) return openRun(session, Number(open[1]));
    const [, runs, method] = /^(?:-max-runs\s+(\d+)\s*)?(suppression|guards|both)?$/.exec(args.trim()) ?? fail();
    const { debugger: debug, blameMeans } = session;
    if (blameMeans === undefined) throw new UserError('the program cannot be run again from here');
    if (debug.branch !== undefined) throw new UserError('a branch is debugged: "branch drop" returns to the recording, which is what is looked at');
    const result = await session.working('looking for the first corruption', (work) => blame(debug, {
      ...blameMeans, program: session.commandLine[0] ?? '', work,
      method: (method ?? 'both') as 'both', ...(runs === undefined ? {} : { maxRuns: Number(runs) }),
    }));
    ANSWERS.set(session, result);
    for (const line of blameLines(result.report, (path, line) => session.sources.line(path, line))) session.say(line);
  },
};

async function openRun(session: Session, number: number): Promise<void> {
  const points = ANSWERS.get(session)?.points[number - 1];
  if (points === undefined) throw new UserError('there is no such execution: "blame" lists them');
  if (points.length === 0) throw new UserError(`execution ${number} left nothing out: it is the recording itself`);
  const { debugger: debug } = session;
  const { branch } = await session.working('running it once more', (work) => suppressedRun(debug, points, { work }));
  await session.working('going to its end', (work) => branch.seekEnd(work));
  await session.going('going there', (work) => debug.enterBranch(branch, undefined, work));
  session.say(`In the branch of execution ${number}, at its end, time ${debug.position.time.toLocaleString('en')}.`);
}

function fail(): never {
  throw new UserError(`Usage: ${USAGE}`);
}

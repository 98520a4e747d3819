/** `instance`: how often a statement was reached up to now, and which of these times it is. */
import { UserError } from '../../base/errors.js';
import { visible } from '../../base/visible.js';
import { instanceText } from '../../debugger/control/namedInstances.js';
import type { Statement } from '../../debugger/program/statements.js';
import { isSameFrame } from '../../debugger/program/visibleFrame.js';
import { parseStatement } from '../../debugger/program/statementText.js';
import type { Command } from '../command.js';
import type { Session } from '../session.js';

export const INSTANCE: Command = {
  name: 'instance', group: 'time', usage: 'instance [FILE:LINE[.K]]', completes: 'location', repeat: 'never',
  summary: 'Say how often a line or statement was reached up to now, and which of these times this is.',
  details: 'Without argument: the line where you are, and its statement if it has several. A line is reached when control comes to it from another line or jumps back within it; that a call in it returns, or a signal handler, does not count. FILE:LINE.K is the K-th statement of a line, FILE:LINE#N the N-th time it was reached, over all threads, from the beginning: "break", "tbreak", "until", "advance", "goto" and "list" take both.',
  examples: [['instance', 'where are we?'], ['instance tally.c:19', 'how often was that line reached?'], ['goto tally.c:19#3', 'go to its third time'], ['break 19.2#4', 'stop at the fourth time of its second statement']],
  async run(args, session) {
    for (const statement of await wanted(args, session)) {
      const { count, standing } = await session.working('counting', (work) => session.debugger.instancesOf(statement, work));
      session.say(visible(instanceText(statement, count, standing)));
    }
  },
};

async function wanted(args: string, session: Session): Promise<readonly Statement[]> {
  const { debugger: { named, instanceRun, frame }, listing } = session;
  if (args === '') return statementsHere(session);
  const text = parseStatement(args);
  if (text === undefined || text.instance !== undefined) throw new UserError(`"${args}" is no statement: write FILE:LINE, FILE:LINE.K or LINE.`);
  return [await session.working('counting', (work) => named.statement(text, instanceRun, { currentPath: frame?.path ?? listing.file?.path, work }))];
}

function statementsHere({ frame, program, debugger: { named, instanceRun, backtrace } }: Session): readonly Statement[] {
  // Callers stand in the statement of the call, which is before where it returns to.
  const isInnermost = backtrace?.innermost === undefined || isSameFrame(frame.stackId, backtrace.innermost.stackId);
  const pc = isInnermost ? program.pc : frame.pc - 1n;
  const found = named.statementHere(instanceRun, program.thread.id, pc);
  if (found === undefined) throw new UserError('There is no debug information for this place: say FILE:LINE.');
  return found;
}

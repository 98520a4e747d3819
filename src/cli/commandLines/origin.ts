/** The command line of `culprit origin`. */
import { type Command, InvalidArgumentError } from 'commander';
import { withCheckpointMemory } from '../arguments/checkpointMemory.js';
import { parseTime } from '../arguments/parseTime.js';
import type { OriginOptions } from '../commands/origin.js';
import { type WithInstances, withTimes } from './times.js';

const ORIGIN_HELP = `
EXPRESSION is a variable, a member, *ADDRESS or a register, as in the debugger: p, list->head, buf[3], $rdi.
It means what it means in the innermost frame that has source (--frame: another one, by its number).
Shown are the copies of the value, newest first, back to where it was made: assignments, arguments, results,
copies by memcpy and its like. What it was computed from is not: a pointer that is moved on stays the same
pointer, other arithmetic makes a new value.

Examples:
  $ culprit origin bug.culprit ptr                where does the bad pointer come from?
  $ culprit origin bug.culprit '$rdi'             ... what is in a register where it crashed?
  $ culprit origin --at 67,981 bug.culprit count  ... what was there then?
  $ culprit origin --at tally.c:19#3 bug.culprit count   ... the third time at a line?

Exit status: 0; 65: FILE is cut off or damaged, and was used up to there; 2: not a recording, no such time,
thread or variable.
`;

export function addOrigin(program: Command, finish: (status: number) => void): void {
  withCheckpointMemory(program.command('origin'))
    .summary('say where a value comes from')
    .description('Says where a value comes from: every line that copied it, back to the one that made it.')
    .usage('[options] FILE EXPRESSION')
    .argument('<FILE>', 'what culprit record made')
    .argument('<EXPRESSION>', 'a variable, a member, *ADDRESS or a register')
    .option('--at <TIME>', 'what is there at TIME (default: the end)', parseTime)
    .option('--thread <N>', 'as thread N sees it (default: the one that runs)', parseNumber)
    .option('--frame <N>', 'in frame N of the stack', parseNumber)
    .option('--limit <N>', 'at most so many copies of the machine (default: 1000)', parseNumber)
    .option('--json', 'as JSON, with the instructions of each link')
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', ORIGIN_HELP)
    .action(async (file: string, expression: string, given: WithInstances<OriginOptions>) => {
      const { originCommand } = await import('../commands/origin.js');
      finish(await originCommand(file, expression, await withTimes(file, given)));
    });
}

function parseNumber(value: string): number {
  const digits = value.replace(/[,_]/g, '');
  if (!/^\d+$/.test(digits) || !Number.isSafeInteger(Number(digits))) throw new InvalidArgumentError('It should be a number.');
  return Number(digits);
}

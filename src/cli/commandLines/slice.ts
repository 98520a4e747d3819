/** The command line of `culprit slice`. */
import type { Command } from 'commander';
import { withCheckpointMemory } from '../arguments/checkpointMemory.js';
import { parseTime } from '../arguments/parseTime.js';
import type { SliceCommandOptions } from '../commands/slice.js';
import { whole } from '../arguments/wholeNumber.js';
import { type WithInstances, withTimes } from './times.js';

const SLICE_HELP = `
Lists the lines that something depended on: those that made a value what it was (data), and the conditions
and calls that let them happen (control), back to the start of the program, through registers, memory,
system calls and libraries. What is not there had no part in it.

PLACE is FILE:LINE#N, the N-th time that a line was reached (FILE:LINE: the last time), or FILE:LINE.K#N
for one of its statements. THING is an expression as it was there, $REGISTER, or an address and a size in
bytes. Without THING it is all that the line used; without PLACE, what is asked for at the end, or the
instruction that crashed.

With --relevant it lists conditions, too, that were no dependence but would have been, had they gone the
other way: because of them something was not done. Each is tried in a what-if branch, the newest first.

What functions do to set up and leave their frames is left out (--frames). Libraries are followed, and
shown as the lines that call them (--into-libraries).

Examples:
  $ culprit slice bug.culprit                        why did it crash?
  $ culprit slice bug.culprit parse.c:120#3 length   why was length what it was, the third time?
  $ culprit slice bug.culprit main.c:30 --data       values only: no conditions
  $ culprit slice bug.culprit main.c:12 --forward    what did this line have an influence on?
  $ culprit slice bug.culprit main.c:40 flag --relevant   why was flag not set?
  $ culprit slice bug.culprit --list                 file:line, one a line

Exit status: 0; 65: FILE is cut off or damaged, and was looked at up to there; 2: not a recording, no such
line, instance or value.
`;

export function addSlice(program: Command, finish: (status: number) => void): void {
  withCheckpointMemory(program.command('slice'))
    .summary('list what something depended on')
    .description('Lists what a value, a statement or a crash depended on: a dynamic slice.')
    .usage('[options] FILE [PLACE] [THING...]')
    .argument('<FILE>', 'what culprit record made')
    .argument('[PLACE_OR_THING...]', 'FILE:LINE[#N], then expressions, registers, or addresses with sizes')
    .option('--at <TIME>', 'things are meant at TIME instead of the end', parseTime)
    .option('--forward', 'what a statement had an influence on, instead of what it depended on')
    .option('--data', 'only how values came to be')
    .option('--control', 'only which conditions and calls let it happen')
    .option('--into-libraries', 'code of libraries by itself, too')
    .option('--relevant', 'also conditions that would have had a part in it, had they gone the other way: each is tried')
    .option('--most <N>', 'with --relevant: try at most so many (default: 100)', whole(1, 1_000_000))
    .option('--frames', 'what functions do to set up and leave their frames, too')
    .option('--no-edges', 'without what each line depends on')
    .option('--list', 'file:line of each line, by file and line, and nothing else')
    .option('--dot', 'as a graph for Graphviz')
    .option('--json', 'as JSON')
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', SLICE_HELP)
    .action(async (file: string, words: string[], options: WithInstances<SliceCommandOptions>) => {
      const { sliceCommand } = await import('../commands/slice.js');
      finish(await sliceCommand(file, words, await withTimes<SliceCommandOptions>(file, options)));
    });
}

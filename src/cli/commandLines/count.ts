/** The command line of `culprit count`. */
import type { Command } from 'commander';
import { withCheckpointMemory } from '../arguments/checkpointMemory.js';
import { parseTime } from '../arguments/parseTime.js';
import type { CountOptions } from '../commands/count.js';
import { type WithInstances, withTimes } from './times.js';

const COUNT_HELP = `
Without FUNCTION: the functions that ran, with their calls and their own instructions. With FUNCTION: its
source, and how often each line ran. "#####" marks lines that have code and never ran, "-" those without.

A call is an arrival at the function's first instruction, by a call, by a jump from another function, or by a
signal; each call of a recursion is one. Inlined copies are not called, but their lines count. All threads and
processes count together.

Examples:
  $ culprit count bug.culprit                    what ran most?
  $ culprit count bug.culprit parse_line         which lines of a function ran, and how often?
  $ culprit count --from 1,000,000 bug.culprit   ... in a part of the run
  $ culprit count --from tally.c:19#3 bug.culprit   ... from the third time at a line on
  $ culprit count --all bug.culprit | head       libraries, too

Exit status: 0; 65: FILE is cut off or damaged, and was counted up to there; 2: not a recording, no such time
or function.
`;

export function addCount(program: Command, finish: (status: number) => void): void {
  withCheckpointMemory(program.command('count'))
    .summary('count calls and lines')
    .description('Counts how often functions were called and lines ran, exactly, in a run or a part of it.')
    .usage('[options] FILE [FUNCTION...]')
    .argument('<FILE>', 'what culprit record made')
    .argument('[FUNCTION...]', 'whose lines to list')
    .option('--from <TIME>', 'only what ran at TIME or later', parseTime)
    .option('--to <TIME>', 'only what ran before TIME', parseTime)
    .option('--lines', 'list the lines of all functions of your own that ran')
    .option('--all', 'functions of libraries, too')
    .option('--json', 'as JSON')
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', COUNT_HELP)
    .action(async (file: string, functions: string[], given: WithInstances<CountOptions>) => {
      const { countCommand } = await import('../commands/count.js');
      finish(await countCommand(file, functions, await withTimes(file, given)));
    });
}

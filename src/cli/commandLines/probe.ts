/** The command line of `culprit probe`. */
import type { Command } from 'commander';
import { withCheckpointMemory } from '../arguments/checkpointMemory.js';
import { parseInstructions } from '../arguments/parseTime.js';
import { whole } from '../arguments/wholeNumber.js';
import type { ProbeCommandOptions } from '../commands/probe.js';

const PROBE_HELP = `
What did the failure need? Each condition in the slice of the failure is made to go the other way, and
each call that is on the stack there is left out: one at a time, the newest instances first, in what-if
branches that run side by side. Those that make the failure go away are listed, the nearest to it first.
The recording and the files of this machine stay as they are.

A failure has gone away if the run then ends, or runs on beyond the limit (--run), without it. A run that
crashes otherwise is no success. The failure is how the recording ended: the signal, or any exit status
but 0; or it is

  --exit STATUS                      this status
  --signal NAME                      this signal
  --output TEXT                      this text in what the program writes
  --expression EXPR --at PLACE       an expression that is true when control comes to FILE:LINE or a function;
                                     at FILE:LINE#N or FUNCTION#N, that time

Examples:
  $ culprit probe bug.culprit
  $ culprit probe bug.culprit --list               switch FILE:LINE#N and suppress FILE:LINE#N, one a line
  $ culprit probe bug.culprit --output 'total: -1'
  $ culprit probe bug.culprit --expression 'count < 0' --at tally.c:41
  $ culprit branch bug.culprit --switch tally.c:18#5 --output    what it then does

Exit status: 0; 1: nothing that was tried makes it go away; 65: FILE is cut off or damaged, and was looked
at up to there; 2: not a recording, or it does not fail so.
`;

export function addProbe(program: Command, finish: (status: number) => void): void {
  withCheckpointMemory(program.command('probe'))
    .summary('find out what a failure needed')
    .description('Lists the conditions and calls without which a recorded run would not have failed.')
    .usage('[options] FILE')
    .argument('<FILE>', 'what culprit record made')
    .option('--exit <STATUS>', 'the failure is this exit status', whole(0, 255))
    .option('--signal <NAME>', 'the failure is this signal')
    .option('--output <TEXT>', 'the failure is this text in the output')
    .option('--expression <EXPR>', 'the failure is an expression that is true')
    .option('--at <PLACE>', 'where the expression is looked at')
    .option('--most <N>', 'try at most so many (default: 100)', whole(1, 1_000_000))
    .option('--run <N>', 'instructions that each branch may take (default: those of the recording, and a million)', parseInstructions)
    .option('--jobs <N>', 'branches that run at the same time (default: as many as there are processors)', whole(1, 64))
    .option('--list', 'switch FILE:LINE#N and suppress FILE:LINE#N, one a line, and nothing else')
    .option('--json', 'as JSON, with all that was tried')
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', PROBE_HELP)
    .action(async (file: string, options: ProbeCommandOptions) => {
      const { probeCommand } = await import('../commands/probe.js');
      finish(await probeCommand(file, options));
    });
}

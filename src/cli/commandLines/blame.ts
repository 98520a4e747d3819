/** The command line of `culprit blame`. */
import { type Command, Option } from 'commander';
import { withCheckpointMemory } from '../arguments/checkpointMemory.js';
import { whole } from '../arguments/wholeNumber.js';
import type { BlameOptions } from '../commands/blame.js';

const BLAME_HELP = `
A program crashes, or corrupts memory in silence. Which statement corrupted memory first? PROGRAM is recorded,
and then looked at by two methods:

  guards       the program runs once more on the recorded input, with guards around every variable and every
               block of the heap, under the rules of culprit check: a wrong access fails where it is made
  suppression  from the crash back to the statement that defined what crashed; again without that statement
               and all that depends on it; from the next crash back; until nothing crashes

The answer is a statement, with its stack, what was overwritten, and the evidence of every execution.
Neither the program nor its files have to be here if there is a recording, and nothing of them changes.

Options after PROGRAM belong to PROGRAM.

Examples:
  $ culprit blame ./a.out input.txt
  $ culprit blame bug.culprit
  $ culprit blame --list ./a.out < input             FILE:LINE, the likeliest first, and nothing else
  $ culprit blame --timeout 10 --json -- ./a.out     a run that hangs counts as a failure
  $ culprit blame --sarif blame.sarif bug.culprit

Exit status: 99 if a corruption was found, 0 if none; 65: FILE is cut off or damaged, and was looked at up to
there; 2: wrong use of culprit; 126 and 127: PROGRAM cannot be run, was not found.
`;

export function addBlame(program: Command, finish: (status: number) => void): void {
  withCheckpointMemory(program.command('blame'))
    .summary('find the statement that corrupted memory first')
    .description('Runs PROGRAM, or takes a recording of it, and finds the first point of memory corruption.')
    .usage('[options] FILE.culprit | [--] PROGRAM [ARG...]')
    .argument('<NAME>', 'what culprit record made, or a program')
    .argument('[ARG...]', 'arguments of the program')
    .passThroughOptions()
    .addOption(new Option('--method <METHOD>', 'how to look for it').choices(['suppression', 'guards', 'both']).default('both'))
    .option('--max-runs <N>', 'executions at most (default: 20)', whole(1, 10_000))
    .option('--time <SECONDS>', 'give up after so many seconds, and tell what is known by then', whole(1, 1_000_000))
    .option('--timeout <SECONDS>', 'end PROGRAM after so many seconds: it hangs', whole(1, 1_000_000))
    .option('--pid-base <N>', 'the number of its first process', whole(1, 4_000_000))
    .option('--sandbox', 'what PROGRAM changes, it changes for itself alone, and it reaches nothing outside')
    .option('--record <FILE>', 'keep the recording of PROGRAM')
    .option('--list', 'FILE:LINE of the answer, and nothing else; the likeliest first')
    .option('--json', 'as JSON, with all evidence')
    .option('--sarif <FILE>', 'write it there, too, as SARIF 2.1.0 with code flows')
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', BLAME_HELP)
    .action(async (name: string, args: string[], options: BlameOptions) => {
      const { blameCommand } = await import('../commands/blame.js');
      finish(await blameCommand([name, ...args], options));
    });
}

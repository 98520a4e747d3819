/** The command line of `culprit triage`. */
import { type Command, Option } from 'commander';
import { UserError } from '../../base/errors.js';
import { parseInstructions } from '../arguments/parseTime.js';
import { whole } from '../arguments/wholeNumber.js';
import type { TriageOptions } from '../commands/triage.js';

const TRIAGE_HELP = `
Every input is run and blamed, in a sandbox and within limits, and failures are grouped by the statement
that corrupted memory first, instead of by where the program crashed. INPUTS are files, or directories as
AFL and libFuzzer leave them (crashes, hangs, queue; crash-..., timeout-..., oom-...). Files with equal
contents are one input. In the arguments of PROGRAM, @@ stands for the path of the input; without it PROGRAM
reads the input from its standard input.

Results are kept as they come: after a kill, or Ctrl-C, the same command goes on where it was. --state DIR
says where they are kept (default: in the cache directory, by command, program and limits); --fresh forgets
them.

Examples:
  $ culprit triage out/default -- ./prog @@                 all that AFL has found
  $ culprit triage crash-* -- ./prog                        by standard input
  $ culprit triage --list crashes -- ./prog @@              count, place and smallest input, one group a line
  $ culprit triage --html page.html --sarif found.sarif crashes -- ./prog @@
  $ culprit triage --repeat 3 crashes -- ./prog @@          names inputs whose runs differ
  $ culprit triage --queue redis://host:6379 crashes -- ./prog @@
  $ culprit triage --worker redis://host:6379               one of any number of workers, on any machine

A password for Redis is in the URL, or in the variable CULPRIT_REDIS_PASSWORD.

Exit status: 0: nothing fails; 99: memory is corrupted with at least one input; 1: inputs fail for other
reasons only, or could not be decided; 2: wrong use of culprit; 126 and 127: PROGRAM cannot be run, was not
found; 130: interrupted.
`;

export function addTriage(program: Command, finish: (status: number) => void): void {
  program
    .command('triage')
    .summary('group the inputs that a fuzzer found by what is to blame')
    .description('Runs PROGRAM with every input, and groups failures by the first corruption of memory.')
    .usage('[options] INPUTS... -- PROGRAM [ARG...]')
    .argument('[INPUTS...]', 'files and directories; then -- and the program with its arguments')
    .option('--jobs <N>', 'inputs that are looked at at the same time (default: as many as there are processors)', whole(1, 64))
    .option('--timeout <S>', 'seconds that a run may take; what takes longer is a hang (default: 10)', whole(1, 86_400))
    .option('--instructions <N>', 'instructions that a run may take; what takes more is a hang', parseInstructions)
    .option('--memory <MB>', 'memory that PROGRAM may have (default: 1024)', whole(16, 2048))
    .addOption(new Option('--method <METHOD>', 'as culprit blame has it; guards: suppression only where guards see nothing wrong').choices(['guards', 'suppression', 'both']).default('guards'))
    .option('--repeat <N>', 'run each input N times; those whose answers differ are named flaky (default: 1)', whole(1, 100))
    .option('--list', 'count, place and smallest input, one group a line, and nothing else')
    .option('--json', 'as JSON')
    .option('--sarif <FILE>', 'write them there as SARIF 2.1.0, too: one result a group')
    .option('--html <FILE>', 'write them there as a page, too')
    .option('--state <DIR>', 'keep results there, and go on from what is there')
    .option('--fresh', 'forget results that are kept')
    .option('--queue <URL>', 'hand the work to workers, through Redis: redis://HOST:PORT[/DB]')
    .option('--worker <URL>', 'be such a worker, until a signal ends it')
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', TRIAGE_HELP)
    .action(async (operands: string[], options: TriageOptions) => {
      if (options.worker !== undefined) {
        if (operands.length > 0) throw new UserError('--worker takes its work from the queue, and no inputs or program');
        const { triageWorker } = await import('../triage/triageWorker.js');
        finish(await triageWorker(options.worker, options.jobs));
        return;
      }
      const words = afterDashes(process.argv);
      if (words.length === 0) throw new UserError('which program? culprit triage INPUTS... -- PROGRAM [ARG...]');
      const inputs = operands.slice(0, operands.length - words.length);
      if (inputs.length === 0) throw new UserError('which inputs? culprit triage INPUTS... -- PROGRAM [ARG...]');
      const { triageCommand } = await import('../commands/triage.js');
      finish(await triageCommand(inputs, words, options));
    });
}

/** What follows the first `--`, which is not an operand. */
function afterDashes(words: readonly string[]): readonly string[] {
  const at = words.indexOf('--');
  return at < 0 ? [] : words.slice(at + 1);
}

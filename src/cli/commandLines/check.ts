/** The command line of `culprit check`. */
import { type Command, InvalidArgumentError } from 'commander';
import type { CheckOptions } from '../commands/check.js';
import { withProgramOptions } from './run.js';

const CHECK_HELP = `
The program runs as with culprit run, until it is about to use memory in a way that one of the rules forbids:
beyond the end of a block, after it was freed, through a null pointer, ... Then it is stopped, and a report
says where that is, whose block it is, and line by line how the pointer came to be. The program is neither
compiled anew nor changed; with debug information (-g) reports have lines and names. culprit rules list shows
the rules. A new one is a line of text: --rules.

Options after PROGRAM belong to PROGRAM. Processes that it leaves behind end soon after it; --children wait
lets them go on until they end.

Examples:
  $ culprit check ./a.out input.txt
  $ culprit check --record bug.culprit ./a.out       reports say how to go there
  $ culprit check --keep-going --leaks -- make test  all there is to find, also in processes that it starts
  $ culprit check --json --output found.json ./a.out for programs; the streams are all PROGRAM's
  $ culprit check --sarif found.sarif ./a.out        for code scanning in continuous integration
  $ culprit check --switch 1000=-libc.* bug.culprit  once more, with other rules: made with --record

What ends by a signal that no rule is about (a division by zero, abort, a wild pointer) is reported, too.

Exit status: 99 if a rule was broken, or what --error-exitcode says; otherwise that of PROGRAM, as with
culprit run, also if it crashed. 65: a recording is cut off or damaged, and there is nothing to report up to
there; 2: wrong use of culprit, or a mistake in a file of rules or suppressions.
`;

export function addCheck(program: Command, finish: (status: number) => void): void {
  withProgramOptions(program.command('check'))
    .summary('find memory bugs')
    .description('Runs PROGRAM (a path, or a name to look up in PATH) and reports what it does wrong with memory, before it happens; or reports once more what is in a recording of such a run.')
    .option('--keep-going', 'let it go on after a report; the same at the same place is reported once')
    .option('--leaks', 'when it ends, report memory that nothing points to any more')
    .option('--record <FILE>', 'keep the recording; reports say how to open it where it happened')
    .option('--error-exitcode <N>', 'exit status if something was reported (default: 99)', parseStatus)
    .option('--output <FILE>', 'write reports there, instead of stderr (with --json: instead of stdout)')
    .option('--json', 'reports as JSON instead of text, on stdout; what PROGRAM writes to its stdout is then on stderr')
    .option('--json-file <FILE>', 'write them there as JSON, too')
    .option('--sarif <FILE>', 'write them there, as SARIF 2.1.0')
    .option('--suppressions <FILE>', 'what not to report (may be repeated)', several)
    .option('--no-default-suppressions', 'report also what the shipped suppressions are about')
    .option('--gen-suppressions', 'print a suppression after each report')
    .option('--rules <FILE>', 'rules of your own, too (may be repeated)', several)
    .option('--enable <RULE>', 'switch a rule on that is off by default (may be repeated; "libc.*", "all")', several)
    .option('--disable <RULE>', 'switch a rule off (may be repeated)', several)
    .option('--switch <WHEN=RULES>', 'switch rules while it runs, at a time or when a function is called: "1000000=-libc.*", "serve=+definite.leak,-null.*" (may be repeated)', several)
    .option('--functions <NAME=F,...>', 'which functions a name in a rule stands for (may be repeated)', several)
    .option('--allocator <FUNCTIONS>', 'allocation functions of your own, as "my_alloc(size)=my_free(ptr)" (may be repeated)', several)
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', CHECK_HELP)
    .action(async (name: string, args: string[], options: CheckOptions) => {
      const { checkCommand } = await import('../commands/check.js');
      finish(await checkCommand([name, ...args], options));
    });
}

function several(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function parseStatus(value: string): number {
  if (!/^\d+$/.test(value) || Number(value) > 255) throw new InvalidArgumentError('It should be a number from 0 to 255.');
  return Number(value);
}

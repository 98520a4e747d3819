/** The command line of `culprit query`. */
import { type Command, InvalidArgumentError } from 'commander';
import { UserError } from '../../base/errors.js';
import { withCheckpointMemory } from '../arguments/checkpointMemory.js';
import type { QueryOptions } from '../commands/query.js';

const QUERY_HELP = `
SCRIPT is TypeScript or JavaScript that asks about the whole execution:

  import { execution } from 'culprit/traces';
  const foo = execution.breakpoints('foo');                        all calls of foo; nothing has been run yet
  console.log(await foo.count((s) => +s.readVar('x') === 0));      how many have x == 0
  console.log(await foo.getBefore(Infinity));                      the last one: only the end is looked at

Without a script lines are read and answered; what they give is shown. Only the part of the execution that an
answer needs is replayed. Time is the number of instructions that all threads have executed. docs/traces.md
explains it all; analyses/ has scripts that find races, leaks, deadlocks and smashed stacks.

Examples:
  $ culprit query bug.culprit -e "execution.breakpoints('parse').length"
  $ culprit query bug.culprit -e "execution.watchpoints('count')"     who wrote to it, and when
  $ culprit query bug.culprit -e "execution.syscalls('openat')" --json | jq .value
  $ culprit query bug.culprit analyses/stackSmash.ts
  $ culprit query bug.culprit

Exit status: 0; 1: the script failed (its line is told); 65: FILE is cut off or damaged, and was looked at up
to there; 130: interrupted; 2: not a recording, wrong use.
`;

export function addQuery(program: Command, finish: (status: number) => void): void {
  const command = program
    .command('query')
    .summary('ask about a whole execution, by script or at a prompt')
    .description('Answers questions about a recording: scripts over the whole execution, which is replayed only as\nfar as the answers need it.')
    .usage('[options] FILE [SCRIPT [ARG...]]')
    .argument('<FILE>', 'what culprit record made')
    .argument('[SCRIPT]', 'a file of TypeScript or JavaScript')
    .argument('[ARG...]', 'for the script: its args')
    .option('-e, --eval <TEXT>', 'evaluate this and show the result (repeatable)', (text: string, before: string[] = []) => [...before, text])
    .option('--json', 'show results as JSON, items of traces one a line')
    .option('--limit <ITEMS>', 'show so many items of a trace (default: 100)', parseLimit);
  withCheckpointMemory(command)
    .allowUnknownOption()
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', QUERY_HELP)
    .action(async (file: string, script: string | undefined, args: string[], options: QueryOptions) => {
      for (const word of [file, script]) if (word?.startsWith('-') === true) throw new UserError(`unknown option '${word}'; see culprit query --help`);
      const { queryCommand } = await import('../commands/query.js');
      finish(await queryCommand(file, script, args, options));
    });
}

function parseLimit(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It should be a number of items.');
  return Number(value);
}

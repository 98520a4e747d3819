/**
 * The command line: options and help of every command. What a command does is loaded only when it
 * is asked for.
 */
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { UserError } from '../base/errors.js';
import { EXIT_USAGE } from './report.js';
import type { IrOptions } from './irCommand.js';
import type { RunOptions } from './runCommand.js';
import { VERSION } from './version.js';

const TOP_HELP = `
Examples:
  $ culprit run gzip -9 notes.txt          what a shell would have done, on our engine
  $ culprit run --stats -- sort names.txt  ... and what it took
  $ culprit ir ./a.out main                one function as x86, IR and WebAssembly

Exit status: that of the program; 128+n if signal n killed it. 2: wrong use of culprit;
126: the program cannot be run; 127: it was not found; 70: a bug in culprit.
`;

const RUN_HELP = `
Options after PROGRAM belong to PROGRAM.

Examples:
  $ culprit run ls -l /tmp
  $ culprit run --stats --json -- python3 -c 'print(6 * 7)'
  $ culprit run --env LC_ALL=C --cwd /tmp -- ./a.out --help
  $ culprit run --aslr 7 ./a.out           another memory layout, the same one every time
  $ culprit run --sandbox -- rm -r notes   what it would have done, without doing it

Exit status: that of PROGRAM, as a shell reports it: 128+n if signal n killed it, with the shell's
message on stderr. 124: ended by --timeout, or because all its threads wait for each other.
126: found but cannot be run; 127: not found; 2: wrong use of culprit.
`;

const IR_HELP = `
Nothing is run. Addresses are those in the file, as objdump and nm show them; for a
position-independent program those that gdb shows while it runs will do as well.

Examples:
  $ culprit ir ./a.out main
  $ culprit ir /lib64/ld-linux-x86-64.so.2 0x1c000
  $ culprit ir --no-wasm ./a.out main | less
`;

/** Runs one command line (without `node` and the script); resolves to the exit status. */
export async function culprit(args: readonly string[]): Promise<number> {
  let status = 0;
  const program = createProgram((result) => {
    status = result;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    throw new UserError(error.message.replace(/^error: /, ''), EXIT_USAGE);
  }
  return status;
}

function createProgram(finish: (status: number) => void): Command {
  const program = new Command('culprit')
    .description('Runs unmodified x86-64 Linux programs on an engine of its own.')
    .version(VERSION, '-V, --version', 'print the version and exit')
    .helpOption('-h, --help', 'show help and exit')
    .helpCommand(false)
    .enablePositionalOptions()
    .addHelpText('after', TOP_HELP);
  addRun(program, finish);
  addIr(program, finish);
  program.allowExcessArguments().action(() => {
    const [name] = program.args;
    throw new UserError(name === undefined ? 'no command given; see culprit --help' : `unknown command '${name}'; see culprit --help`, EXIT_USAGE);
  });
  for (const command of [program, ...program.commands]) {
    // Errors become our own one-liners in `culprit`.
    command.exitOverride().configureOutput({ outputError: () => undefined }).showSuggestionAfterError(false);
  }
  return program;
}

function addRun(program: Command, finish: (status: number) => void): void {
  program
    .command('run')
    .summary('run a program as a shell would')
    .description('Runs PROGRAM (a path, or a name to look up in PATH) with its arguments.')
    .usage('[options] [--] PROGRAM [ARG...]')
    .argument('<PROGRAM>', 'what to run')
    .argument('[ARG...]', 'its arguments')
    .passThroughOptions()
    .option('--stats', 'when it has ended, say on stderr what it took')
    .option('--json', 'statistics as one line of JSON (implies --stats)')
    .option('--env <K=V>', "set a variable in the program's environment (repeatable)", collectVariable, [])
    .option('--cwd <DIR>', 'run it in directory DIR; a relative PROGRAM is looked up there')
    .option('--aslr <SEED>', 'place things at other addresses, chosen by the number SEED', parseSeed)
    .option('--sandbox', 'let it change files only for itself, in memory, and reach no network')
    .option('--schedule-seed <N>', 'interleave threads and processes in another way, chosen by the number N', parseSeed)
    .option('--timeout <S>', 'end it after S seconds, and say what its threads were doing', parseSeconds)
    .option('--verbose', 'mention system calls that culprit lacks on stderr')
    .option('--interpret', 'do not compile hot code (slow; for testing the engine)')
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', RUN_HELP)
    .action(async (name: string, args: string[], options: RunOptions) => {
      const { runCommand } = await import('./runCommand.js');
      finish(await runCommand([name, ...args], options));
    });
}

function addIr(program: Command, finish: (status: number) => void): void {
  program
    .command('ir')
    .summary('show a function as x86, IR and WebAssembly')
    .description('Shows the code at SYMBOL or ADDRESS of PROGRAM, block by block: x86, the IR it is lifted to,\nand the WebAssembly generated from that.')
    .usage('[options] PROGRAM SYMBOL|ADDRESS')
    .argument('<PROGRAM>', 'an ELF file: a path, or a name to look up in PATH')
    .argument('<SYMBOL|ADDRESS>', 'a function by name, or any address in hexadecimal')
    .option('--no-wasm', 'only x86 and IR')
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', IR_HELP)
    .action(async (name: string, place: string, options: IrOptions) => {
      const { irCommand } = await import('./irCommand.js');
      finish(irCommand(name, place, options));
    });
}

function collectVariable(value: string, previous: readonly string[]): readonly string[] {
  if (!/^[^=]+=/.test(value)) throw new InvalidArgumentError('It should look like NAME=value.');
  return [...previous, value];
}

function parseSeconds(value: string): number {
  const seconds = Number(value);
  if (!/^(\d+\.?\d*|\.\d+)$/.test(value) || !(seconds > 0 && seconds < Infinity)) throw new InvalidArgumentError('It should be a number of seconds, more than 0.');
  return seconds;
}

function parseSeed(value: string): number {
  const seed = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(seed)) throw new InvalidArgumentError('It should be a whole number, 0 or more.');
  return seed;
}

/** What all commands have in common: how a command line is read, and what is said if it is wrong. */
import { Command, CommanderError } from 'commander';
import { UserError } from '../../base/errors.js';
import { untilReaderGone, writeFully } from '../output/output.js';
import { EXIT_USAGE } from '../output/report.js';
import { VERSION } from '../stores/version.js';

/** Adds a command, which says by `finish` how it ended. */
type AddCommand = (program: Command, finish: (status: number) => void) => void;

/** Resolves to the exit status. */
export async function runCommandLine(args: readonly string[], commands: readonly AddCommand[], help: string): Promise<number> {
  let status = 0;
  const program = createProgram(commands, help, (result) => {
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

function createProgram(commands: readonly AddCommand[], help: string, finish: (status: number) => void): Command {
  const program = new Command('culprit')
    .description('Runs unmodified x86-64 Linux programs on an engine of its own, records them and runs them again.')
    .version(VERSION, '-V, --version', 'print the version and exit')
    .helpOption('-h, --help', 'show help and exit')
    .helpCommand(false)
    .enablePositionalOptions()
    .addHelpText('after', help);
  for (const add of [...commands, addHelp]) add(program, finish);
  program.allowExcessArguments().action(() => {
    const [name] = program.args;
    throw new UserError(name === undefined ? 'no command given; see culprit --help' : `unknown command '${name}'; see culprit --help`, EXIT_USAGE);
  });
  for (const command of [program, ...program.commands]) speakOurWay(command);
  return program;
}

function addHelp(program: Command): void {
  program
    .command('help')
    .summary('show help, of a command if one is named')
    .usage('[COMMAND]')
    .argument('[COMMAND]', 'the name of a command')
    .helpOption('-h, --help', 'show help and exit')
    .action((name: string | undefined) => {
      const command = name === undefined ? program : program.commands.find((one) => one.name() === name);
      if (command === undefined) throw new UserError(`unknown command '${name}'; see culprit help`, EXIT_USAGE);
      command.outputHelp();
    });
}

/** Errors become our own one-liners in `runCommandLine`, and a reader may close help before its end. */
export function speakOurWay(command: Command): void {
  const writeOut = (text: string): void => void untilReaderGone(() => (writeFully(1, Buffer.from(text)), 0));
  command.exitOverride().configureOutput({ outputError: () => undefined, writeOut }).showSuggestionAfterError(false);
}

/** The command line of what runs programs: `run` and `record`. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { RunOptions } from '../running/guestRun.js';
import { LEAST_BASE, MOST_BASE, parsePidBase } from '../arguments/pidBaseNumber.js';
import type { RecordOptions } from '../commands/record.js';

const RUN_HELP = `
Options after PROGRAM belong to PROGRAM.

Examples:
  $ culprit run ls -l /tmp
  $ culprit run --stats --json -- python3 -c 'print(6 * 7)'
  $ culprit run --env LC_ALL=C --cwd /tmp -- ./a.out --help
  $ culprit run --aslr 7 ./a.out           another memory layout, the same one every time
  $ culprit run --sandbox -- rm -r notes   what it would have done, without doing it

The command ends when PROGRAM ends. Processes that it leaves behind, which natively would go on in the
background, may finish what they are doing, then get SIGTERM, then SIGKILL. --children wait: until they end.

Signals (Ctrl-C, Ctrl-Z, kill, timeout) do to PROGRAM and its process group what they do natively.

Exit status: that of PROGRAM, as a shell reports it: 128+n if signal n killed it, with the shell's
message on stderr; if the signal came from outside, it kills culprit, too. 124: ended by --timeout, or
because all its threads wait for each other. 126: found but cannot be run; 127: not found;
2: wrong use of culprit.

Translated code is kept for the next run of the program in ~/.cache/culprit, or where CULPRIT_CODE_CACHE says
(off: nowhere). It makes no difference but in time; the directory may be deleted. It is used only if it is
yours and no other user can write to it or to a directory above it (CULPRIT_DEBUG=1 says why it is not).

The first process has the number 20000, which is part of what makes runs equal. While a run with it is alive,
others on this machine begin with 30000, 40000 and so on. --pid-base, or CULPRIT_PID_BASE in the environment,
chooses one.
`;

const RECORD_HELP = `
The program runs as with culprit run. All that came to it from outside goes to FILE as it happens, so that
culprit replay can run it again, on any machine: FILE has the program, its libraries, arguments, environment
and input. Whoever gets FILE gets all of that; it is readable only by you.

Options after PROGRAM belong to PROGRAM.

Examples:
  $ culprit record ./a.out --help          to a.out-1.culprit, or the next number that is free
  $ culprit record -o bug.culprit -- python3 broken.py
  $ culprit record --schedule-seed 7 ./threads
  $ culprit replay bug.culprit

Processes that PROGRAM leaves behind end soon after it; --children wait records them to their end (daemons).

Ctrl-C and the like end the program, and the recording is complete; if culprit itself is killed or the disk
is full, what was written until then can be replayed.

Exit status: as culprit run: that of PROGRAM; 128+n if signal n killed it. 2: wrong use of culprit, or FILE
cannot be created. If FILE cannot be written later, that is one line on stderr, and the program goes on.
`;

export function addRun(program: Command, finish: (status: number) => void): void {
  withRunOptions(program.command('run'))
    .summary('run a program as a shell would')
    .description('Runs PROGRAM (a path, or a name to look up in PATH) with its arguments.')
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', RUN_HELP)
    .action(async (name: string, args: string[], options: RunOptions) => {
      const { runAsProgram } = await import('../running/guestRun.js');
      finish(await runAsProgram([name, ...args], options));
    });
}

export function addRecord(program: Command, finish: (status: number) => void): void {
  withRunOptions(program.command('record').option('-o, --output <FILE>', 'where the recording goes; an older recording there is replaced (default: a new PROGRAM-N.culprit)'))
    .addOption(new Option('--announce <SOCKET>', 'for culprit dap').hideHelp())
    .addOption(new Option('--environment <FILE>', 'for culprit dap').hideHelp())
    .summary('run a program and record it')
    .description('Runs PROGRAM (a path, or a name to look up in PATH) with its arguments, and records all of it.')
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', RECORD_HELP)
    .action(async (name: string, args: string[], options: RecordOptions) => {
      const { recordCommand } = await import('../commands/record.js');
      finish(await recordCommand([name, ...args], options));
    });
}

function withRunOptions(command: Command): Command {
  return withProgramOptions(command).option('--json', 'statistics as one line of JSON (implies --stats)');
}

/** What everything has that runs a program. */
export function withProgramOptions(command: Command): Command {
  return command
    .usage('[options] [--] PROGRAM [ARG...]')
    .argument('<PROGRAM>', 'what to run')
    .argument('[ARG...]', 'its arguments')
    .passThroughOptions()
    .option('--stats', 'when it has ended, say on stderr what it took')
    .option('--env <K=V>', "set a variable in the program's environment (repeatable)", collectVariable, [])
    .option('--cwd <DIR>', 'run it in directory DIR; a relative PROGRAM is looked up there')
    .option('--aslr <SEED>', 'place things at other addresses, chosen by the number SEED', parseSeed)
    .option('--sandbox', 'let it change files only for itself, in memory, and reach no network and no process outside')
    .option('--sandbox-memory <MB>', 'how much its changes may take in memory (default: 1024)', parseMegabytes)
    .option('--schedule-seed <N>', 'interleave threads and processes in another way, chosen by the number N', parseSeed)
    .addOption(new Option('--children <WHAT>', 'end: processes that it leaves behind end soon after it (default); wait: until they end').choices(['end', 'wait']))
    .option('--pid-base <N>', 'begin with process id N (default: 20000, or the next base that no other run has)', readPidBase)
    .option('--timeout <S>', 'end it after S seconds, and say what its threads were doing', parseSeconds)
    .option('--verbose', 'mention system calls that culprit lacks on stderr, and of what the sandbox is made')
    .option('--interpret', 'do not compile hot code (slow; for testing the engine)');
}

function collectVariable(value: string, previous: readonly string[]): readonly string[] {
  if (!/^[^=]+=/.test(value)) throw new InvalidArgumentError('It should look like NAME=value.');
  return [...previous, value];
}

export function readPidBase(value: string): number {
  const base = parsePidBase(value);
  if (base === undefined) throw new InvalidArgumentError(`It should be a number from ${LEAST_BASE} to ${MOST_BASE}.`);
  return base;
}

function parseSeconds(value: string): number {
  const seconds = Number(value);
  if (!/^(\d+\.?\d*|\.\d+)$/.test(value) || !(seconds > 0 && seconds < Infinity)) throw new InvalidArgumentError('It should be a number of seconds, more than 0.');
  return seconds;
}

function parseMegabytes(value: string): number {
  const megabytes = Number(value);
  if (!/^\d+$/.test(value) || !(megabytes > 0 && megabytes <= 65_536)) throw new InvalidArgumentError('It should be a number of megabytes, 1 to 65536.');
  return megabytes;
}

function parseSeed(value: string): number {
  const seed = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(seed)) throw new InvalidArgumentError('It should be a whole number, 0 or more.');
  return seed;
}

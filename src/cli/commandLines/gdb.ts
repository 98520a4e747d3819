/** The command line of what lets gdb debug recordings: `gdbserver` and `gdb`. */
import { type Command, InvalidArgumentError } from 'commander';
import { withCheckpointMemory } from '../arguments/checkpointMemory.js';
import type { GdbCommandOptions } from '../commands/gdb.js';
import type { GdbserverOptions } from '../commands/gdbserver.js';
import { readPidBase } from './run.js';

const GDBSERVER_HELP = `
WHAT is a recording, or a program with its arguments, which is recorded first. gdb finds it where it ended or
crashed; reverse-continue, reverse-step, reverse-next and reverse-finish go back. In gdb, monitor help lists
what else can be asked for; run goes to the beginning.

Programs and libraries are served from the recording. Nothing else of this machine is, but whoever can connect
can read all of the recording: think before you say --host.

If gdb says "Ignoring packet error", it has not waited long enough: set remotetimeout 600.

Examples:
  $ culprit gdbserver bug.culprit                      then, in gdb: target extended-remote :PORT
  $ culprit gdbserver --port 1234 --once -- ./a.out --help
  (gdb) target extended-remote | culprit gdbserver --stdio bug.culprit

Exit status: 0; 65: the recording is cut off or damaged, and was served up to there; 2: wrong use, not a
recording, no such process, the port is taken.
`;

const GDB_HELP = `
Starts gdb (or what CULPRIT_GDB names) on a recording, or on a program that is recorded first. It stands where
the program ended or crashed. What follows -- goes to gdb.

Examples:
  $ culprit gdb bug.culprit
  $ culprit gdb bug.culprit -- -batch -ex bt
  $ culprit gdb ./a.out --help            records ./a.out --help, then debugs it
  (gdb) watch counter
  (gdb) reverse-continue                  who changed it last?
  (gdb) when                              the time here, in instructions
  (gdb) goto 1,000,000

Exit status: that of gdb; 65: the recording is cut off or damaged, and was debugged up to there; 2: wrong
use, not a recording, gdb was not found.
`;

type Finish = (status: number) => void;

export function addGdbserver(program: Command, finish: Finish): void {
  withServedOptions(withCheckpointMemory(program.command('gdbserver')))
    .summary('let gdb debug a recording')
    .description('Serves a recording to gdb by the remote serial protocol, in both directions of time.')
    .usage('[options] FILE | [--] PROGRAM [ARG...]')
    .option('--port <N>', 'listen on TCP port N (default: one that is free)', parsePort)
    .option('--host <ADDRESS>', 'listen on ADDRESS (default: 127.0.0.1)')
    .option('--stdio', 'talk through stdin and stdout instead')
    .option('--once', 'end when the first client is gone')
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', GDBSERVER_HELP)
    .action(async (name: string, args: string[], options: GdbserverOptions) => {
      const { gdbserverCommand } = await import('../commands/gdbserver.js');
      finish(await gdbserverCommand([name, ...args], options));
    });
}

export function addGdb(program: Command, finish: Finish): void {
  withServedOptions(program.command('gdb'))
    .summary('debug a recording with gdb')
    .description("Starts the user's gdb on a recording.")
    .usage('[options] FILE | PROGRAM [ARG...] [-- GDB-ARG...]')
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', GDB_HELP)
    .action(async (name: string, args: string[], options: GdbCommandOptions) => {
      const { gdbCommand } = await import('../commands/gdb.js');
      finish(await gdbCommand([name, ...args], options));
    });
}

function withServedOptions(command: Command): Command {
  return command
    .argument('<WHAT>', 'what culprit record made, or a program')
    .argument('[ARG...]', "the program's arguments")
    .passThroughOptions()
    .option('--pid-base <N>', 'a program that is recorded first begins with process id N (default: as culprit record)', readPidBase)
    .option('--start', 'open it at its beginning, not at its end')
    .option('--pid <PID>', 'the process to debug, by its number in the recording (default: the one that crashed, or the first)', parsePid);
}

function parsePort(value: string): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65535) throw new InvalidArgumentError('It should be a port: a number up to 65535.');
  return port;
}

function parsePid(value: string): number {
  if (!/^[1-9]\d{0,9}$/.test(value)) throw new InvalidArgumentError('It should be the number of a process.');
  return Number(value);
}

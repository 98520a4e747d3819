/** The command line of the debug adapter: `dap`. */
import { type Command, InvalidArgumentError } from 'commander';
import type { DapOptions } from '../commands/dap.js';

const DAP_HELP = `
Editors start this; people rarely do. VS Code: the extension in editors/vscode does it. Others: tell the editor
to start "culprit dap". Requests "launch" (program, args, cwd, env, stdin, console, recording,
stopOnEntry, openAt) and
"attach" (recording); both take sourceMap, an object from directories of the compiler to those of this machine.

On a port, launch and attach need "token", too: the one that is printed with the port, or that you have chosen by
the variable CULPRIT_DAP_TOKEN (16 characters or more). Without it any web page that you visit, and any other
user of this machine, could run programs as you.

Examples:
  $ culprit dap                            talks through stdin and stdout
  $ culprit dap --port 4711                for clients that connect to 127.0.0.1:4711
  $ CULPRIT_DAP_TOKEN=$(openssl rand -hex 16) culprit dap --port 0

Exit status: 0; 2: wrong use, or the port is taken.
`;

export function addDap(program: Command, finish: (status: number) => void): void {
  program
    .command('dap')
    .summary('let editors debug recordings')
    .description('A debug adapter for VS Code and other editors, in both directions of time.')
    .usage('[options]')
    .option('--port <N>', 'serve clients on TCP port N of this machine (0: one that is free)', parsePort)
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', DAP_HELP)
    .action(async (options: DapOptions) => {
      const { dapCommand } = await import('../commands/dap.js');
      finish(await dapCommand(options));
    });
}

function parsePort(value: string): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65535) throw new InvalidArgumentError('It should be a port: a number up to 65535.');
  return port;
}

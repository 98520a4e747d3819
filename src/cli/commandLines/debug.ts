/** The command line of `culprit debug`. */
import type { Command } from 'commander';

const DEBUG_HELP = `
Options:
  -ex COMMAND   do this first (repeatable)
  -x FILE       do what FILE says first (repeatable)
  -batch        then leave; nothing is asked, and a failed last command is exit status 1
  -q            without the lines at the start
  --pid-base N  a program that is recorded first begins with process id N (default: as culprit record)
  -h, --help    show help and exit

Commands are gdb's, and go in both directions: break, watch, continue and reverse-continue (rc), step and
reverse-step (rs), finish, backtrace, print, list, info ... Beside them: when, goto TIME, last EXPRESSION (who
changed it?), back, forward, bookmark. "help" lists them. The program stands where it ended or crashed.
Nothing you do changes the recording; assigning to a variable begins a branch: what would have happened if.

A program is recorded until it ends; what it leaves behind in the background ends soon after it. To debug a
daemon, record it with culprit record --children wait, then debug the recording.

Ctrl-C gives up a long search (with -batch: ends culprit); an empty line repeats the last command; Ctrl-D or quit leaves. What you type is kept
in $XDG_STATE_HOME/culprit/history (~/.local/state/culprit/history).

Examples:
  $ culprit debug ./a.out --help            records ./a.out --help, then debugs it
  $ culprit debug bug.culprit
  (culprit) backtrace
  (culprit) watch list->head
  (culprit) reverse-continue                who wrote it?
  $ culprit debug -batch -ex bt -ex 'info locals' bug.culprit

Exit status: 0, or what "quit N" says; 1: with -batch, if the last command failed; 65: the recording is cut
off or damaged, and was debugged up to there; 2: wrong use, not a recording; 126 and 127: the program cannot
be run, was not found; 70: a bug in culprit.
`;

export function addDebug(program: Command, finish: (status: number) => void): void {
  program
    .command('debug')
    .summary('debug a recording, forward and backward')
    .description('Debugs a recording by source, forward and backward, with the commands of gdb.')
    .usage('[options] FILE | [--] PROGRAM [ARG...]')
    .argument('[WORDS...]', 'a recording, or a program with its arguments')
    .allowUnknownOption()
    .passThroughOptions()
    .helpOption('-h, --help', 'show help and exit')
    .configureHelp({ visibleOptions: () => [], visibleArguments: () => [] })
    .addHelpText('after', DEBUG_HELP)
    .action(async (words: string[]) => {
      const { debugCommand, parseDebugArguments } = await import('../commands/debug.js');
      const { words: what, options } = parseDebugArguments(words);
      finish(await debugCommand(what, options));
    });
}

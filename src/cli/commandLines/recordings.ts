/** The command line of what looks at recordings: `replay`, `info`, `dump`, `writes`, `branch` and `checkpoint`. */
import { type Command, InvalidArgumentError } from 'commander';
import type { BranchOptions, Change, WrittenAlteration } from '../commands/branch.js';
import type { CheckpointOptions } from '../commands/checkpoint.js';
import { DEFAULT_MEGABYTES, parseMegabytes, withCheckpointMemory } from '../arguments/checkpointMemory.js';
import { parseInstructions, parseTime } from '../arguments/parseTime.js';
import type { DumpOptions } from '../commands/dump.js';
import type { InfoOptions } from '../commands/info.js';
import type { ReplayOptions } from '../commands/replay.js';
import type { WritesOptions } from '../commands/writes.js';
import { type WithInstances, withTimes } from './times.js';

const REPLAY_HELP = `
Time is the number of instructions that all threads have executed; commas and underscores in it are ignored.
Wherever a TIME is asked for, FILE:LINE#N is the N-th time that a line was reached, FUNCTION#N the N-th call.
Nothing of this machine is touched but FILE: what the program wrote to its stdout and stderr goes to ours.

Examples:
  $ culprit replay bug.culprit
  $ culprit replay --quiet bug.culprit     only the exit status
  $ culprit replay --to 1,500,000 bug.culprit

Exit status: that of the recorded program; 128+n if signal n killed it; 124 if culprit ended it; 0 with --to.
65: FILE is cut off or damaged, and was replayed up to there; 2: not a recording, or no such time;
70: replay differs from the recording, which is a bug in culprit.
`;

const INFO_HELP = `
Reads all of FILE, so that damage anywhere is found.

Examples:
  $ culprit info bug.culprit
  $ culprit info --json bug.culprit | jq .instructions

Exit status: 0; 65: FILE is cut off or damaged; 2: not a recording.
`;

const DUMP_HELP = `
One line for everything that happened: time (instructions that all threads have executed so far), thread,
and what it was.

Examples:
  $ culprit dump bug.culprit | less
  $ culprit dump --from 1_000_000 --to 2_000_000 bug.culprit
  $ culprit dump --json bug.culprit | jq -c 'select(.kind == "syscall") | [.time, .call.name]'

Exit status: 0; 65: FILE is cut off or damaged, and was listed up to there; 2: not a recording, or no such
time.
`;

const WRITES_HELP = `
WHAT is a global variable, a part of one, or an address: NAME, NAME:BYTES, NAME+OFFSET:BYTES, 0xADDRESS:BYTES
(at an address 8 bytes unless said otherwise).
For the last write only the part of the execution after it is searched.

Examples:
  $ culprit writes bug.culprit list_head               who wrote it last
  $ culprit writes --before 67,981 bug.culprit count   ... before that time
  $ culprit writes --all bug.culprit 0x4c6310:4        everybody, in order

Exit status: 0; 1: nobody did; 65: FILE is cut off or damaged, and was searched up to there; 2: not a
recording, no such time or variable.
`;

const BRANCH_HELP = `
Goes to TIME, makes the changes in the order in which they are given, and runs the program on. As long as
it asks for the same things it gets the recorded answers; after that it runs on files of this machine, which
it can change only for itself. Neither FILE nor anything else is touched. Without changes it does what was
recorded.

A change is for the thread that runs at TIME:
  --set REGISTER=VALUE        rax ... r15, rip, eflags, xmm0 ... xmm15, fs_base, gs_base, mxcsr
  --write NAME=VALUE          a global variable, or NAME+OFFSET:BYTES=VALUE, 0xADDRESS:BYTES=VALUE
  --write 0xADDRESS:HEX       these bytes, as 0x4c6310:00ff
  --skip                      the next instruction is not executed
  --flip                      the next conditional jump goes the other way

Alterations need no TIME: without one the branch begins at the first altered instance.
  --switch FILE:LINE[#N]      the condition goes the other way: in all its instances, or in the N-th
  --switch 'FILE:LINE to 3'   the switch statement goes to case 3
  --suppress FILE:LINE[#N]    the statement is left out
  --suppress 'FUNCTION = 0'   the function returns at once, with 0
With --output stdout and stderr have what the program wrote, from its start on, and nothing else.

What the program writes goes to our stdout and stderr; then stderr says how it ended, where it left the
recording, and what is different from the recording at the same time.

Examples:
  $ culprit branch bug.culprit --at end --skip            what if the instruction that crashed were not there
  $ culprit branch bug.culprit --at 67,981 --write count=0
  $ culprit branch bug.culprit --at tally.c:19#3 --skip   ... the third time at a line
  $ culprit branch bug.culprit --at 67,981 --set rax=0 --run 1000
  $ culprit branch bug.culprit --at 67,981 --flip --json | jq .output
  $ culprit branch bug.culprit --switch list.c:40#3 --output     what if its third test had failed
  $ culprit branch bug.culprit --suppress list.c:52 --suppress free --output

Exit status: that of the program; 128+n if signal n killed it; 0 with --run if it came so far; 124: all
threads wait for each other for ever; 65: the recording does not know enough to go on, or FILE is cut off or
damaged, and was used up to there; 2: not a recording, no such time, register, variable, line or instance.
`;

const CHECKPOINT_HELP = `
Replays FILE once and adds checkpoints to it: states of the program at some times, more of them near its end.
Commands that go to a time in the middle or at the end then start from the nearest one. FILE is otherwise as
before; if this is interrupted, it can be used as before. Checkpoints that it has already are replaced.

Examples:
  $ culprit checkpoint bug.culprit
  $ culprit checkpoint --every 1,000,000 bug.culprit
  $ culprit writes bug.culprit list_head   quicker now

Exit status: 0; 65: FILE is cut off or damaged, and has checkpoints up to there; 2: not a recording, or FILE
cannot be written to.
`;

type Finish = (status: number) => void;

export function addReplay(program: Command, finish: Finish): void {
  program
    .command('replay')
    .summary('run a recording again')
    .description('Runs a recording again, exactly as it was.')
    .usage('[options] FILE')
    .argument('<FILE>', 'what culprit record made')
    .option('--to <TIME>', 'stop at TIME and say where that is', parseTime)
    .option('--quiet', 'drop what the program writes')
    .option('--stats', 'say on stderr what it took')
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', REPLAY_HELP)
    .action(async (file: string, given: WithInstances<ReplayOptions>) => {
      const { replayCommand } = await import('../commands/replay.js');
      finish(replayCommand(file, await withTimes(file, given)));
    });
}

export function addInfo(program: Command, finish: Finish): void {
  program
    .command('info')
    .summary('say what is in a recording')
    .description('Says what was recorded, how long it took, how it ended and what is in the file.')
    .usage('[options] FILE')
    .argument('<FILE>', 'what culprit record made')
    .option('--json', 'as JSON')
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', INFO_HELP)
    .action(async (file: string, options: InfoOptions) => {
      const { infoCommand } = await import('../commands/info.js');
      finish(infoCommand(file, options));
    });
}

export function addDump(program: Command, finish: Finish): void {
  program
    .command('dump')
    .summary('list what happened in a recording')
    .description('Lists the events of a recording: system calls, signals, faults, threads, processes, output.')
    .usage('[options] FILE')
    .argument('<FILE>', 'what culprit record made')
    .option('--json', 'each event as one line of JSON, with all that was recorded of it')
    .option('--from <TIME>', 'only what happened at TIME or later', parseTime)
    .option('--to <TIME>', 'only what happened at TIME or earlier', parseTime)
    .option('--replay', 'run it again on the way: shows long buffers too, and where faults happened by name')
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', DUMP_HELP)
    .action(async (file: string, given: WithInstances<DumpOptions>) => {
      const { dumpCommand } = await import('../commands/dump.js');
      finish(dumpCommand(file, await withTimes(file, given)));
    });
}

export function addWrites(program: Command, finish: Finish): void {
  withCheckpointMemory(program.command('writes'))
    .summary('say who wrote to a variable')
    .description('Says who wrote to a variable or address: when, in which thread, which instruction, and the values before and after.')
    .usage('[options] FILE WHAT')
    .argument('<FILE>', 'what culprit record made')
    .argument('<WHAT>', 'a variable or an address')
    .option('--before <TIME>', 'only before TIME', parseTime)
    .option('--all', 'all writes, not only the last')
    .option('--json', 'each as one line of JSON')
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', WRITES_HELP)
    .action(async (file: string, what: string, given: WithInstances<WritesOptions>) => {
      const { writesCommand } = await import('../commands/writes.js');
      finish(await writesCommand(file, what, await withTimes(file, given)));
    });
}

export function addBranch(program: Command, finish: Finish): void {
  const changes: Change[] = [];
  const change = (kind: 'set' | 'write') => (text: string): string => {
    changes.push({ kind, text });
    return text;
  };
  const alterations: WrittenAlteration[] = [];
  // What it returns is an option's value, and must not be taken for a time: an instance is written as one.
  const alteration = (what: WrittenAlteration['what']) => (text: string): boolean => alterations.push({ what, text }) > 0;
  withCheckpointMemory(program.command('branch'))
    .summary('try what would have happened if')
    .description('Runs the program of a recording on from some time, with something changed.')
    .usage('[options] FILE')
    .argument('<FILE>', 'what culprit record made')
    .option('--at <TIME>', 'where to begin: a time, or `end`, right before the last thing that happened', (text) => (text === 'end' ? text : parseTime(text)))
    .option('--switch <PLACE>', 'the condition at FILE:LINE[#N] goes the other way', alteration('switch'))
    .option('--suppress <PLACE>', 'the statement at FILE:LINE[#N], or a function, is left out', alteration('suppress'))
    .option('--set <REGISTER=VALUE>', 'change a register', change('set'))
    .option('--write <WHAT>', 'change memory: NAME=VALUE or 0xADDRESS:HEX', change('write'))
    .option('--skip', 'skip an instruction')
    .option('--flip', 'make the next conditional jump go the other way')
    .option('--run <N>', 'stop after N instructions', parseInstructions)
    .option('--output', 'print all that the program prints from its start on, and nothing else')
    .option('--quiet', 'drop what the program writes')
    .option('--json', 'say everything on stdout, as JSON')
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', BRANCH_HELP)
    .on('option:skip', () => changes.push({ kind: 'skip' }))
    .on('option:flip', () => changes.push({ kind: 'flip' }))
    .action(async (file: string, given: WithInstances<Omit<BranchOptions, 'changes' | 'alterations'>>) => {
      const { branchCommand } = await import('../commands/branch.js');
      finish(await branchCommand(file, { ...(await withTimes(file, given)), changes, alterations }));
    });
}

export function addCheckpoint(program: Command, finish: Finish): void {
  program
    .command('checkpoint')
    .summary('make a recording quick to travel in')
    .description('Stores checkpoints in a recording, so that commands need not replay it from its start.')
    .usage('[options] FILE')
    .argument('<FILE>', 'what culprit record made')
    .option('--every <N>', 'instructions from one to the next (default: a hundredth of all, but not less than 16,000,000)', parseCount)
    .option('--memory <MB>', `what they may take, before they are compressed (default: ${DEFAULT_MEGABYTES})`, parseMegabytes)
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', CHECKPOINT_HELP)
    .action(async (file: string, options: CheckpointOptions) => {
      const { checkpointCommand } = await import('../commands/checkpoint.js');
      finish(await checkpointCommand(file, options));
    });
}

function parseCount(value: string): number {
  const number = parseInstructions(value);
  if (number === 0) throw new InvalidArgumentError('It should be a number of instructions.');
  return number;
}

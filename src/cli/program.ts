/**
 * The command line: options and help of every command. What a command does is loaded only when it
 * is asked for.
 */
import type { Command } from 'commander';
import { addBlame } from './commandLines/blame.js';
import { addCheck } from './commandLines/check.js';
import { runCommandLine } from './commandLines/commandLine.js';
import { addCount } from './commandLines/count.js';
import { addShape } from './commandLines/shape.js';
import { addSlice } from './commandLines/slice.js';
import { addDap } from './commandLines/dap.js';
import { addGdb, addGdbserver } from './commandLines/gdb.js';
import { addDebug } from './commandLines/debug.js';
import type { IrOptions } from './commands/ir.js';
import { addPaths } from './commandLines/paths.js';
import { addProbe } from './commandLines/probe.js';
import { addOrigin } from './commandLines/origin.js';
import { addQuery } from './commandLines/query.js';
import { addBranch, addCheckpoint, addDump, addInfo, addReplay, addWrites } from './commandLines/recordings.js';
import { addRules } from './commandLines/rules.js';
import { addRecord, addRun } from './commandLines/run.js';
import { addTriage } from './commandLines/triage.js';

const TOP_HELP = `
Examples:
  $ culprit run gzip -9 notes.txt          what a shell would have done, on our engine
  $ culprit run --stats -- sort names.txt  ... and what it took
  $ culprit check ./a.out                  find memory bugs, and how the bad pointer came to be
  $ culprit blame ./a.out                  the statement that corrupted memory first
  $ culprit shape tree.shape ./a.out       the statement that broke a data structure
  $ culprit triage crashes -- ./a.out @@   what a fuzzer found, grouped by the first corruption
  $ culprit record -o bug.culprit ./a.out  keep a run, so that it can be run again, anywhere
  $ culprit replay bug.culprit             the same run, instruction by instruction
  $ culprit info bug.culprit               what was recorded
  $ culprit dump bug.culprit | less        all that happened: system calls, signals, threads
  $ culprit writes bug.culprit counter     who wrote to a variable last
  $ culprit origin bug.culprit ptr         where a value comes from, line by line
  $ culprit probe bug.culprit              which conditions and calls a failure needed
  $ culprit count bug.culprit              how often each function and line ran
  $ culprit paths --text report.sarif      paths of reports in the source: calls inlined, the rest folded
  $ culprit gdb bug.culprit                debug it with gdb, backward too
  $ culprit debug bug.culprit              debug it, forward and backward
  $ culprit query bug.culprit script.ts    ask about the whole run: every call, every write
  $ culprit ir ./a.out main                one function as x86, IR and WebAssembly

Exit status: that of the program; 128+n if signal n killed it. 2: wrong use of culprit;
65: a recording is cut off or damaged; 126: the program cannot be run; 127: it was not found;
70: a bug in culprit.
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
  if (process.env['CULPRIT_DEBUG'] === '1') (await import('../ir/verifyPasses.js')).verifyPasses();
  return runCommandLine(args, [addRun, addRecord, addCheck, addBlame, addShape, addTriage, addRules, addReplay, addInfo, addDump, addWrites, addOrigin, addSlice, addProbe, addCount, addPaths, addBranch, addCheckpoint, addDebug, addQuery, addGdb, addGdbserver, addDap, addIr], TOP_HELP);
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
      const { irCommand } = await import('./commands/ir.js');
      finish(irCommand(name, place, options));
    });
}

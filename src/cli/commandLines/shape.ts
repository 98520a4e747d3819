/** The command line of `culprit shape`. */
import { Command } from 'commander';
import { withCheckpointMemory } from '../arguments/checkpointMemory.js';
import { whole } from '../arguments/wholeNumber.js';
import type { ShapeOptions } from '../commands/shape.js';

const SHAPE_HELP = `
A data structure is broken: a list has lost its end, a tree its order. SPEC says in a few lines what a healthy one
looks like (docs/shapes.md), for example

  node X; X.next != NULL => X.next->prev == X;

PROGRAM is recorded, and all writes to its nodes are followed. Where the structure must hold (at its C-points, or
else at the end or the crash) it is checked; if it is broken there, the search goes back to the statements that made
it so. Violations for a time, in the middle of an insertion, are none.

SPEC is a file, or the name of one that comes with culprit. Options may stand before SPEC and after it; those after
PROGRAM belong to PROGRAM.

Examples:
  $ culprit shape tree.shape ./a.out input.txt
  $ culprit shape doubly-linked-list bug.culprit
  $ culprit shape tree.shape --list -- ./a.out < input    FILE:LINE, the last write first, and nothing else
  $ culprit shape --at 'exit insert' --at tree.c:28 tree.shape ./a.out
  $ culprit shape --type qdtree=tree.c:19 tree.shape ./a.out     what is allocated there
  $ culprit shape --allocator 'pool_get(size)=pool_put(ptr)' tree.shape ./a.out
  $ culprit shape check tree.shape                        the specification in words
  $ culprit shape learn --at 'exit insert' qdtree -- ./a.out     what held at all C-points, strongest first

Exit status: 99 if a constraint was broken at a C-point, otherwise that of PROGRAM; 65: FILE is cut off or damaged,
and was looked at up to there; 2: wrong use of culprit; 126 and 127: PROGRAM cannot be run, was not found.
`;

const CHECK = 'check';
const LEARN = 'learn';

export function addShape(program: Command, finish: (status: number) => void): void {
  withOptions(withCheckpointMemory(program.command('shape')))
    .summary('find the statement that broke a data structure')
    .description('Runs PROGRAM, or takes a recording of it, and finds the statements that broke a data structure.')
    .usage('[options] SPEC FILE.culprit | SPEC [--] PROGRAM [ARG...] | check SPEC | learn TYPE [--] PROGRAM')
    .argument('<SPEC>', 'what a healthy structure looks like: a file, or the name of a shipped one')
    .argument('[WORD...]', 'what culprit record made, or a program with its arguments')
    .passThroughOptions()
    .helpOption('-h, --help', 'show help and exit')
    .addHelpText('after', SHAPE_HELP)
    .action(async (specification: string, words: string[], options: ShapeOptions, command: Command) => {
      const after = optionsIn(words, command);
      const all = { ...options, ...after.options, ...joined(options, after.options) };
      if (specification === CHECK) {
        const { shapeCheckCommand } = await import('../commands/shapeCheck.js');
        return finish(shapeCheckCommand(after.words));
      }
      if (specification === LEARN) {
        const [types = '', ...rest] = after.words;
        const last = optionsIn(rest, command);
        const { shapeLearnCommand } = await import('../commands/shapeLearn.js');
        return finish(await shapeLearnCommand(types, last.words, { ...all, ...last.options, ...joined(all, last.options) }));
      }
      if (after.words.length === 0) command.error('culprit shape: what is to be looked at? Say SPEC and a recording or a program');
      const { shapeCommand } = await import('../commands/shape.js');
      return finish(await shapeCommand(specification, after.words, all));
    });
}

function withOptions(command: Command): Command {
  const several = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];
  return command
    .option('--type <TYPE=FILE:LINE>', 'what is allocated there is of that type; may be repeated', several)
    .option('--allocator <FUNCTIONS>', "functions that hand out memory: 'get(size)=put(ptr)', or a name; may be repeated", several)
    .option('--at <PLACE>', 'where it must hold: entry F, exit F, F, FILE:LINE, every N, end; may be repeated', several)
    .option('--timeout <SECONDS>', 'end PROGRAM after so many seconds', whole(1, 1_000_000))
    .option('--pid-base <N>', 'the number of its first process', whole(1, 4_000_000))
    .option('--sandbox', 'what PROGRAM changes, it changes for itself alone, and it reaches nothing outside')
    .option('--record <FILE>', 'keep the recording of PROGRAM')
    .option('--list', 'FILE:LINE of the statements, and nothing else; the last write first')
    .option('--json', 'as JSON')
    .option('--sarif <FILE>', 'write it there, too, as SARIF 2.1.0 with code flows')
    .option('--svg <FILE>', 'draw the part of the structure that is broken, before and after');
}

/** Options that stand between SPEC and PROGRAM. */
function optionsIn(words: readonly string[], outer: Command): { readonly options: ShapeOptions; readonly words: readonly string[] } {
  const inner = withOptions(withCheckpointMemory(new Command('shape'))).argument('[WORD...]').passThroughOptions().copyInheritedSettings(outer);
  let rest: readonly string[] = [];
  inner.action((found: string[]) => void (rest = found));
  inner.parse([...words], { from: 'user' });
  return { options: inner.opts<ShapeOptions>(), words: rest[0] === '--' ? rest.slice(1) : rest };
}

/** What may be repeated is taken from before and after. */
function joined(before: ShapeOptions, after: ShapeOptions): Pick<ShapeOptions, 'type' | 'allocator' | 'at'> {
  const both = (name: 'type' | 'allocator' | 'at'): readonly string[] => [...(before[name] ?? []), ...(after[name] ?? [])];
  return { type: both('type'), allocator: both('allocator'), at: both('at') };
}

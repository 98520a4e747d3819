/** Programs and what is asked about them. */
export interface Case {
  readonly name: string;
  /** Beside this file, or below tests/. */
  readonly source: string;
  readonly flags: readonly string[];
  readonly commands: readonly string[];
  readonly args?: readonly string[];
  /** Variables that have no value yet where they are shown. */
  readonly garbage?: RegExp;
  /** In the usual run, too. */
  readonly usual?: boolean;
}

const LOOK = ['bt', 'info locals', 'info args', 'info line', 'list', 'up', 'info locals', 'info args', 'list', 'down'];

const SHAPES = [
  'break sum', 'run', 'bt', 'info args', 'info line', 'list', 'x/2i $pc', 'up', 'list', 'down', 'next', 'next', 'info locals', 'p count', 'finish', 'info breakpoints', 'tbreak variable_length', 'continue', 'bt', 'info args', 'next 3', 'ptype table',
  'ptype struct nested', 'p deep', 'p some_bits', 'p/x some_bits', 'p names', 'p *list', 'p list->next', 'p &numbers', 'p numbers[1]@2', 'whatis numbers', 'whatis &numbers[1]', 'p $rip', 'x/4dw numbers',
  'x/s names[0]', 'info line sum', 'list sum', 'list -', 'list 10,12', 'p sizeof(struct packed)', 'p table', 'p/d mask', 'p wide', 'p huge', 'p per_thread', 'output numbers', 'p nosuch', 'ptype nosuch',
  'info frame', 'frame 1', 'frame function main', 'up 10', 'down 10', 'p $_exitcode', 'bt 1', 'bt -1', 'printf "%d %s %5.2f|%x\\n", numbers[2], names[1], 2.5, 255', 'info source', 'disassemble sum', 'continue',
];

const INLINED = ['break square', 'run', ...LOOK, 'delete 1', 'finish', 'info locals', 'break consume', 'continue', ...LOOK, 'p value', 'p ratio', 'next', 'next', 'step', 'bt', 'up', 'info frame', 'tbreak average', 'continue', ...LOOK, 'p *values@count', 'finish', 'info breakpoints'];

const CLASSES = ['break takes', 'run', 'bt', 'info args', 'list', 'ptype shape', 'whatis shape', 'p *shape', 'p array', 'up', 'info locals', 'down', 'finish'];

const SIGNALS = ['break fault', 'run', ...LOOK, 'continue', 'bt', 'info locals', 'break handler', 'continue', ...LOOK, 'up 1', 'up', 'info frame', 'finish', 'delete', 'handle SIGUSR1 nostop noprint', 'tbreak compare', 'continue', ...LOOK, 'finish'];
const SIGNALS_OPTIMISED = ['break main', 'run', ...LOOK, 'tbreak handler', 'continue', 'bt', 'info locals', 'continue', 'bt', 'delete', 'handle SIGUSR1 nostop noprint', 'tbreak compare', 'continue', ...LOOK];

const CALLS = [
  'break add', 'run', ...LOOK, 'watch total', 'continue', 'bt', 'continue', 'info watchpoints', 'delete 2', 'finish', 'until', 'advance 18', 'bt', 'info breakpoints', 'step', 'step', 'bt', 'delete', 'break fact if n == 2', 'info breakpoints', 'continue', 'bt', 'up 2', 'p n', 'down', 'p n',
  'condition 3', 'ignore 3 1', 'finish', 'display total', 'display/x total', 'info display', 'next', 'undisplay 1', 'next', 'list 20', 'list', 'list', 'info line 20', 'info line 4', 'p fact', 'p &total', 'p *&total', 'whatis fact', 'ptype fact', 'x/2xw &total', 'x', 'info address total', 'info symbol total',
];
const RECURSION = ['break main', 'run', ...LOOK, 'step', 'step', 'bt', 'info locals', 'finish', 'next', 'next', 'info locals', 'stepi', 'nexti', 'x/i $pc', 'info registers rip', 'p $sp', 'p $pc'];
const THREADS = ['break main', 'run', 'bt', 'info locals', 'next', 'list', 'info line', 'next'];
const THROWING = ['break main', 'run', 'bt', 'info locals', 'next', 'step', 'bt', 'info args', 'list', 'finish', 'next'];
const STEPS = ['break main', 'run', 'next', 'next', 'step', 'bt', 'info args', 'up', 'list', 'down', 'info frame', 'info source', 'x/3i $pc'];

function program(source: string, flags: readonly string[], commands: readonly string[], more: Partial<Case> = {}): Case {
  return { name: `${source.replace(/.*\//, '')} ${flags.join(' ')}`, source, flags, commands, ...more };
}

export const CASES: readonly Case[] = [
  program('dwarf/programs/shapes.c', ['-O0', '-g'], SHAPES, { garbage: /buffer|grid|line|next|result/, usual: true }),
  program('dwarf/programs/shapes.c', ['-O0', '-gdwarf-4', '-fomit-frame-pointer'], SHAPES, { garbage: /buffer|grid|line|next|result/ }),
  program('dwarf/programs/inlined.c', ['-O2', '-g'], INLINED, { garbage: /sink/, usual: true }),
  program('dwarf/programs/inlined.c', ['-O0', '-g'], INLINED),
  program('dwarf/programs/classes.cc', ['-O0', '-g'], CLASSES, { garbage: /lambda|result/ }),
  program('dwarf/programs/signals.c', ['-O0', '-g'], SIGNALS, { garbage: /twice|before|left|right/ }),
  program('dwarf/programs/signals.c', ['-O2', '-g'], SIGNALS_OPTIMISED, { garbage: /twice|numbers/ }),
  program('debugger/programs/calls.c', ['-O0', '-g'], CALLS, { garbage: /sum|first/ }),
  program('debugger/programs/calls.c', ['-O0', '-gdwarf-4', '-no-pie'], CALLS, { garbage: /sum|first/ }),
  program('debugger/programs/recursion.c', ['-O0', '-g'], RECURSION, { garbage: /text|\w+/ }),
  program('debugger/programs/recursion.c', ['-O2', '-g'], RECURSION, { garbage: /text|\w+/ }),
  program('debugger/programs/threads.c', ['-O0', '-g'], THREADS, { garbage: /first|one|two/ }),
  program('debugger/programs/throwing.cc', ['-O0', '-g'], THROWING, { garbage: /square|shape|most|real/ }),
  program('debugger/programs/handlers.c', ['-O0', '-g'], STEPS),
  program('debugger/programs/inlining.c', ['-O2', '-g'], STEPS),
  ...['strings.c', 'sorting.c', 'varargs.c', 'recursion.c', 'interpreter.c', 'digests.c', 'choices.c', 'wideIntegers.c', 'longDouble.c', 'vectors.c', 'containers.cc', 'exceptions.cc'].flatMap((source) => [
    program(`programs/${source}`, ['-O0', '-g'], source.endsWith('.cc') ? STEPS.slice(0, -1) : STEPS), program(`programs/${source}`, ['-O2', '-g'], source.endsWith('.cc') ? STEPS.slice(0, -1) : STEPS),
  ]),
];

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
  'break sum', 'run', ...LOOK, 'next', 'next', 'info locals', 'p count', 'finish', 'info breakpoints', 'tbreak variable_length', 'continue', ...LOOK, 'next 3', 'info locals', 'ptype table',
  'ptype struct nested', 'p deep', 'p some_bits', 'p/x some_bits', 'p names', 'p *list', 'p list->next', 'p &numbers', 'p numbers[1]@2', 'whatis numbers', 'whatis &numbers[1]', 'p $rip', 'x/4dw numbers',
  'x/2i $pc', 'info symbol add', 'info line add', 'list sum', 'list -', 'list 10,12', 'p sizeof(struct packed)', 'p table', 'p/d mask', 'p wide', 'p huge', 'p per_thread', 'output numbers', 'p nosuch', 'ptype nosuch',
  'info frame', 'frame 1', 'frame function main', 'up 10', 'down 10', 'p $_exitcode', 'bt 1', 'bt -1', 'bt full', 'info source', 'disassemble add', 'continue',
];

const INLINED = ['break square', 'run', ...LOOK, 'delete 1', 'finish', 'info locals', 'break consume', 'continue', ...LOOK, 'p value', 'p ratio', 'next', 'next', 'step', 'bt', 'up', 'info frame', 'tbreak average', 'continue', ...LOOK, 'p *values@count', 'finish', 'info breakpoints'];

const CLASSES = ['break takes', 'run', ...LOOK, 'ptype shape', 'whatis shape', 'up', 'info locals', 'down', 'finish', 'tbreak hidden', 'continue', ...LOOK];

const SIGNALS = ['break fault', 'run', ...LOOK, 'continue', 'bt', 'info locals', 'p $_siginfo.si_signo', 'break handler', 'continue', ...LOOK, 'up 1', 'up', 'info frame', 'finish', 'delete', 'handle SIGUSR1 nostop noprint', 'tbreak compare', 'continue', ...LOOK, 'finish'];

export const CASES: readonly Case[] = [
  { name: 'shapes -O0', source: 'dwarf/programs/shapes.c', flags: ['-O0', '-g'], commands: SHAPES, garbage: /buffer|grid|line|next|result/, usual: true },
  { name: 'shapes -O2', source: 'dwarf/programs/shapes.c', flags: ['-O2', '-g'], commands: SHAPES, garbage: /buffer|grid|line|next|result/ },
  { name: 'inlined -O2', source: 'dwarf/programs/inlined.c', flags: ['-O2', '-g'], commands: INLINED, usual: true },
  { name: 'inlined -O0', source: 'dwarf/programs/inlined.c', flags: ['-O0', '-g'], commands: INLINED },
  { name: 'classes -O0', source: 'dwarf/programs/classes.cc', flags: ['-O0', '-g'], commands: CLASSES, garbage: /lambda|result/, usual: true },
  { name: 'classes -O2', source: 'dwarf/programs/classes.cc', flags: ['-O2', '-g'], commands: CLASSES, garbage: /lambda|result/ },
  { name: 'signals -O0', source: 'dwarf/programs/signals.c', flags: ['-O0', '-g'], commands: SIGNALS, garbage: /twice/ },
  { name: 'signals -O2', source: 'dwarf/programs/signals.c', flags: ['-O2', '-g'], commands: SIGNALS, garbage: /twice/ },
];

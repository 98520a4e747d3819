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
  'ptype struct nested', 'p deep', 'p some_bits', 'p/x some_bits', 'p names', 'p *list', 'p list->next', 'p &numbers', 'p numbers[1]@2', 'whatis numbers', 'whatis &numbers[1]', 'p $rip', 'info registers cs fctrl', 'p/x $ss', 'x/4dw numbers',
  'x/s names[0]', 'info line sum', 'list sum', 'list -', 'list 10,12', 'p sizeof(struct packed)', 'p table', 'p/d mask', 'p wide', 'p huge', 'p per_thread', 'output numbers', 'p nosuch', 'ptype nosuch',
  'info frame', 'frame 1', 'frame function main', 'up 10', 'down 10', 'p $_exitcode', 'bt 1', 'bt -1', 'printf "%d %s %5.2f|%x\\n", numbers[2], names[1], 2.5, 255', 'printf "%5c|%#lx|%.3e|%-4d|%p\\n", 65, numbers[1], 0.5, -3, 0', 'printf "%d\\n", 1, 2', 'printf "%+u\\n", 1', 'info source', 'disassemble sum', 'continue',
];

const INLINED = ['break square', 'run', ...LOOK, 'delete 1', 'finish', 'info locals', 'break consume', 'continue', ...LOOK, 'p value', 'p ratio', 'next', 'next', 'step', 'bt', 'up', 'info frame', 'tbreak average', 'continue', ...LOOK, 'p *values@count', 'finish', 'info breakpoints'];

const CLASSES = ['break takes', 'run', 'bt', 'info args', 'list', 'ptype shape', 'whatis shape', 'p *shape', 'p array', 'up', 'info locals', 'down', 'finish'];

const SIGNALS = ['break fault', 'run', ...LOOK, 'continue', 'p $_siginfo', 'p $_siginfo.si_signo', 'p $_siginfo._sifields._sigfault.si_addr', 'p $_siginfo.si_code', 'bt', 'info locals', 'break handler', 'continue', ...LOOK, 'up 1', 'up', 'info frame', 'finish', 'delete', 'handle SIGUSR1 nostop noprint', 'tbreak compare', 'continue', ...LOOK, 'finish'];
const SIGNALS_OPTIMISED = ['break main', 'run', ...LOOK, 'tbreak handler', 'continue', 'bt', 'info locals', 'continue', 'bt', 'delete', 'handle SIGUSR1 nostop noprint', 'tbreak compare', 'continue', ...LOOK];

const CALLS = [
  'break add', 'run', ...LOOK, 'watch total', 'continue', 'bt', 'continue', 'info watchpoints', 'delete 2', 'finish', 'until', 'advance 18', 'bt', 'info breakpoints', 'step', 'step', 'bt', 'delete', 'break fact if n == 2', 'info breakpoints', 'continue', 'bt', 'up 2', 'p n', 'down', 'p n',
  'condition 3', 'ignore 3 1', 'finish', 'display total', 'display/x total', 'info display', 'next', 'undisplay 1', 'next', 'list 20', 'list', 'list', 'info line 20', 'info line 4', 'p fact', 'p &total', 'p *&total', 'whatis fact', 'ptype fact', 'x/2xw &total', 'x', 'info address total', 'info symbol total',
];
const RECURSION = ['break main', 'run', 'bt', 'info args', 'info line', 'list', 'up', 'down', 'next 2', 'p values', 'p root', 'step', 'step', 'bt', 'info locals', 'info args', 'finish', 'tbreak sum', 'continue', 'bt', 'p *root', 'p *root->left', 'p *$', 'p $$2', 'up', 'p values', 'p root', 'p i', 'finish', 'next', 'p values', 'stepi', 'nexti', 'x/i $pc', 'info registers rip', 'p $sp', 'p $pc'];
const RECURSION_OPTIMISED = ['break main', 'run', 'bt', 'info args', 'info line', 'list', 'next', 'next', 'info locals', 'tbreak insert', 'continue', 'bt', 'info args', 'finish', 'tbreak compare', 'continue', 'bt', 'info args', 'p *(int *)a', 'x/2i $pc', 'stepi', 'nexti', 'info registers rip', 'p $sp', 'p $pc'];
const THREADS = ['break main', 'run', 'bt', 'info args', 'next', 'list', 'info line', 'tbreak bump', 'continue', 'bt', 'info args', 'p mine', 'p counter', 'next', 'p mine', 'up', 'info locals', 'p *(int *)argument', 'finish', 'info threads', 'p $_thread', 'thread', 'tbreak bump if by == 2', 'continue', 'bt', 'p mine', 'p counter', 'info threads'];
const AT_ONCE = ['break main', 'run', 'watch both.whole', 'watch both.parts', 'watch other', 'break 12', 'break 13', 'tbreak 14', 'continue', 'continue', 'continue', 'continue', 'info breakpoints', 'rwatch both.whole', 'awatch other', 'continue', 'continue', 'info breakpoints'];
const THROWING = ['break main', 'run', 'bt', 'info args', 'next', 'step', 'bt', 'info args', 'list', 'finish', 'next'];
const STEPS = ['break main', 'run', 'next', 'next', 'step', 'bt', 'info args', 'up', 'list', 'down', 'info frame', 'info source', 'info registers rip cs ss gs st0 fctrl mxcsr', 'p $cs', 'x/3i $pc'];
const STEPS_CC = STEPS.slice(0, -1);

const TAGGED = [
  'break use', 'run', 'bt', 'info args', 'p *device', 'p bits', 'p/x bits', 'p message', 'p *how', 'p how', 'p device->apply', 'p device->table', 'p device->rights', 'p (enum rights)7', 'p (enum rights)9', 'p (enum color)6', 'p (enum color)3', 'p/d device->rights',
  'ptype struct bits', 'ptype struct message', 'ptype struct device', 'ptype operation', 'whatis operation', 'ptype device->table', 'whatis device->matrix', 'whatis device->matrix[0]', 'p device->matrix', 'p device->matrix[1]', 'p &device->matrix[1]', 'p *device->matrix@2', 'p/x device->matrix', 'p sizeof(struct packet)', 'ptype struct packet',
  'p messages', 'p messages[1].text', 'p &messages[1]', 'p *&messages[2]', 'p messages[0].note', 'p tape', 'p *tape.next', 'p tape.next->name', 'p rotated', 'p small', 'p words', 'p *words@2', 'p raw', 'p flags', 'p hello', 'p add', 'p &add', 'p *add', 'ptype add', 'whatis add', 'p add(2, 3)', 'p disk.apply(4, 5)', 'p multiply(add(1, 2), 3)',
  'p/d "aaaaaaaaaa"', 'p/d "aaaaaaaaaaa"', 'p sum_of', 'whatis sum_of', 'ptype sum_of', 'ptype puts', 'whatis puts', 'ptype &puts', 'p *puts', 'p sizeof(environ)', 'p sizeof(puts)', 'p environ', 'p puts(0)', 'p sizeof(long double)', 'p (char)65', "p 'A' + 1", 'p 7 / 2', 'p 7 / 2.0', 'p 1 == 2', 'p !5', 'p ~5', 'p -7 % 3', 'p 1 << 4', 'p 10 > 3 && 2 < 1', 'p disk.name[0]', 'p &disk.name[1]', 'p *disk.name@4', 'p/s disk.name', 'p/c raw[299]', 'p/t 10', 'p/o 64', 'p/a &disk', 'p/x -1', 'p/z 5',
  'x/3xb &some_bits', 'x/2dw device->matrix', 'x/s disk.name', 'x/2i add', 'x/3c disk.name', 'x/2gx $sp', 'output disk.rights', 'p &disk', 'p *&disk.matrix[0][1]', 'p &some_bits.color', 'ptype some_bits.color', 'whatis some_bits.wide', 'p some_bits.level = -3', 'p offsetof', 'p fill::calls', "p 'tagged.c'::disk.name", 'p &fill::calls',
  'info symbol add', 'info symbol &disk', 'info symbol 0', 'info symbol main+4', 'info address add', 'info address disk', 'info address device', 'info address nosuch', 'info line add', 'info line 60', 'info line *main', 'info line tagged.c:70', 'info line nosuch', 'info scope add',
  'finish', 'delete', 'break 82', 'info breakpoints', 'ptype/o struct bits', 'ptype/o struct message', 'ptype/o struct device', 'ptype/o int', 'ptype/o union { int a; }', 'continue',
];
const TAGGED_EARLY = [
  'break sum_of', 'run', 'bt', 'info args', 'list', 'next 4', 'p total', 'p i', 'p count', 'ptype list', 'whatis list', 'p list[0].gp_offset', 'finish', 'tbreak 80', 'continue', 'bt', 'info args', 'info locals', 'p grid', 'whatis grid', 'ptype grid', 'p sizeof grid', 'p grid[1]', 'p *grid@1', 'p &grid[0]', 'p calls', 'info symbol &calls', 'x/6dw grid', 'x/2i $pc', 'up', 'p *packet', 'p packet->data', 'p packet->data[0]@3', 'p space', 'p/x space', 'p/c space', 'watch -l raw[299]', 'continue', 'bt', 'info watchpoints', 'continue',
];
const TAGGED_OPTIMISED = [
  'break use', 'break fill', 'break sum_of', 'run', 'info breakpoints', 'bt', 'info args', 'info locals', 'list', 'up', 'info locals', 'continue', 'bt', 'info args', 'info locals', 'p disk', 'p some_bits', 'p messages', 'p rotated', 'p words', 'continue', 'bt', 'info args', 'up', 'info locals', 'p tape', 'p add', 'info symbol add', 'p fill::calls', 'x/3i $pc', 'info frame', 'delete', 'next', 'next',
];

const FAMILY = [
  'break visit', 'run', 'info breakpoints', 'bt', 'info args', 'list', 'p animal', 'p &animal', 'p point', 'p *pair', 'p pair->items', 'ptype animal', 'ptype point', 'ptype pair', 'ptype *pair', 'whatis *pair', 'whatis animal', 'whatis &point', 'p animal.name_', 'p animal.mood_', 'p zoo::Animal::count', 'p zoo::Mood::wild', 'p (zoo::Mood)7', 'p (zoo::Mood)3', 'ptype zoo::Mood',
  'ptype Duck', 'ptype zoo::Swimmer', 'ptype Doubles', 'whatis Doubles', 'ptype zoo::Number', 'ptype Point', 'p number', 'p coordinate', 'p question', 'ptype question', 'ptype coordinate', 'whatis coordinate', 'p origin', 'p sizeof(Duck)', 'p visit', 'p *visit', 'whatis zoo::Animal::legs', 'p &Point::y', 'p &Point::operator-',  'info symbol main',
  'up', 'info locals', 'p duck', 'p alias', 'p *pointer', 'p pointer', 'whatis pointer', 'p duck.eggs', 'p duck.depth', 'p doubles', 'p doubles.items[1]', 'p points', 'p points[1].x', 'p difference', 'p &duck', 'p *&duck', 'p points[0] - points[1]', 'p points[0] == points[1]', 'p duck[1]', 'p doubles + doubles', 'p duck.legs()', 'p alias.legs()', 'p pointer->legs()', 'p pointer->name()', 'p doubles.first()', 'p twice<int>', 'p twice<int>(4)', 'p points[0].operator-(points[1])', 'p (zoo::Animal *)&duck', 'p static_cast<Duck *>(pointer)', 'p reinterpret_cast<long *>(pointer)', 'p *static_cast<Duck *>(pointer)', 'set print object on', 'p pointer', 'p *pointer', 'whatis *pointer', 'set print object off', 'set print vtbl on', 'p *pointer', 'set print vtbl off', 'set print pretty on', 'p duck', 'p points', 'set print pretty off',
  'ptype/o Point', 'ptype/o Duck', 'ptype/m Duck', 'ptype/t Duck', 'p this', 'down', 'delete', 'break 67', 'continue', 'bt', 'info args', 'info locals', 'p by', 'p legs', 'p point.x', 'finish', 'tbreak twice<double>', 'continue', 'bt', 'info args', 'finish', 'tbreak zoo::Duck::legs', 'continue', 'bt', 'p *this', 'p eggs', 'p this->eggs[0]', 'p legs', 'p name_', 'ptype this', 'whatis *this', 'info frame', 'up', 'info source',
];
const FAMILY_OPTIMISED = ['break main', 'run', 'info breakpoints', 'bt', 'info args', 'list', 'next', 'next', 'info locals', 'p duck', 'p alias', 'p points', 'tbreak 90', 'p origin', 'p number', 'p zoo::Animal::count', 'p question', 'p coordinate', 'ptype Point', 'info line 84', 'info symbol main', 'x/3i $pc', 'info frame'];

const STANDARD = ['break use', 'run', 'bt', 'info args', 'up', 'info locals', 'p root', 'p *own', 'p numbers[1]', 'p points.size()', 'whatis counts', 'ptype numbers', 'finish'];

const WORKERS = ['break climb if n == 0', 'run', 'bt', 'info args', 'p depth', 'p last', 'info threads', 'thread', 'next', 'p depth', 'up 3', 'info locals', 'p *job', 'thread 1', 'frame function main', 'p jobs', 'p i', 'p depth', 'thread 2', 'frame', 'p $_thread', 'thread apply all p depth', 'finish', 'info breakpoints', 'continue', 'bt', 'p depth', 'p last', 'info threads', 'delete', 'next', 'next', 'next', 'info threads', 'continue'];
const WORKERS_OPTIMISED = ['break work', 'run', 'bt', 'info args', 'info locals', 'p *job', 'p depth', 'p last', 'next', 'next', 'info locals', 'info threads', 'continue', 'bt', 'p last', 'p depth', 'info threads'];

const ALARMS = ['break inner', 'handle SIGUSR1 SIGUSR2 nostop noprint', 'run', 'bt', 'info args', 'up', 'info frame', 'frame function outer', 'info locals', 'info args', 'p info->si_signo', 'p *context', 'frame function compute', 'info locals', 'p nested', 'list', 'finish', 'delete', 'bt', 'info locals', 'p page', 'p page[0]', 'x/i $pc', 'break repair', 'continue', 'bt', 'p (int)repaired', 'frame function compute', 'info locals', 'info registers rip', 'frame 0', 'finish', 'p repaired', 'tbreak alarms.c:49', 'continue', 'info locals', 'p nested'];
const ALARMS_OPTIMISED = ['break inner', 'handle SIGUSR1 SIGUSR2 nostop noprint', 'run', 'bt', 'info args', 'delete', 'continue', 'bt', 'p page', 'x/i $pc', 'break repair', 'continue', 'bt', 'info args', 'p repaired', 'delete', 'tbreak 49', 'continue', 'p nested'];

const WATCHED = ['break main', 'run', 'watch counter', 'watch current->second', 'continue', 'continue', 'continue', 'info watchpoints', 'bt', 'continue', 'continue', 'p *current', 'p pairs', 'continue', 'continue', 'delete', 'tbreak accumulate', 'info breakpoints', 'x/s text', 'p text', 'p &pairs[1]', 'p current', 'p *current@2', 'watch -location current->second', 'info watchpoints', 'rwatch text[0]', 'awatch counter', 'continue', 'info watchpoints'];
const JUMPS = ['break depth if n == 0', 'run', 'bt 3', 'bt -2', 'p n', 'next', 'bt', 'info args', 'next', 'finish', 'next'];
const FAULTS = ['break smash', 'run', 'bt', 'list', 'info args', 'continue', 'bt 3', 'info args', 'info frame', 'x/i $pc', 'p $_siginfo.si_signo', 'p $_siginfo._sifields._sigfault.si_addr', 'up', 'info locals', 'continue'];

function program(source: string, flags: readonly string[], commands: readonly string[], more: Partial<Case> = {}): Case {
  return { name: `${source} ${flags.join(' ')}${more.name === undefined ? '' : ` ${more.name}`}`, source, flags, commands, ...(more.args === undefined ? {} : { args: more.args }), ...(more.garbage === undefined ? {} : { garbage: more.garbage }), ...(more.usual === undefined ? {} : { usual: more.usual }) };
}

const [PLAIN, OPTIMISED] = [['-O0', '-g'], ['-O2', '-g']];

export const CASES: readonly Case[] = [
  program('dwarf/programs/shapes.c', PLAIN, SHAPES, { garbage: /buffer|grid|line|next|result/ }),
  program('dwarf/programs/shapes.c', ['-O0', '-gdwarf-4', '-fomit-frame-pointer'], SHAPES, { garbage: /buffer|grid|line|next|result/ }),
  program('dwarf/programs/shapes.c', OPTIMISED, SHAPES, { garbage: /arguments/ }),
  program('dwarf/programs/inlined.c', OPTIMISED, INLINED, { garbage: /sink/, usual: true }),
  program('dwarf/programs/inlined.c', PLAIN, INLINED, { garbage: /sink|got|result|left|right/ }),
  program('dwarf/programs/classes.cc', PLAIN, CLASSES, { garbage: /lambda|result/ }),
  program('dwarf/programs/classes.cc', OPTIMISED, CLASSES),
  program('dwarf/programs/signals.c', PLAIN, SIGNALS, { garbage: /twice|before|left|right/ }),
  program('dwarf/programs/signals.c', OPTIMISED, SIGNALS_OPTIMISED, { garbage: /twice|numbers/ }),
  program('debugger/programs/calls.c', PLAIN, CALLS, { garbage: /sum|first/ }),
  program('debugger/programs/calls.c', ['-O0', '-gdwarf-4', '-no-pie'], CALLS, { garbage: /sum|first/ }),
  program('debugger/programs/calls.c', OPTIMISED, CALLS),
  program('debugger/programs/recursion.c', PLAIN, RECURSION, { garbage: /made/ }),
  program('debugger/programs/recursion.c', OPTIMISED, RECURSION_OPTIMISED, { garbage: /text/ }),
  program('debugger/programs/threads.c', PLAIN, THREADS),
  program('debugger/programs/threads.c', OPTIMISED, THREADS),
  program('debugger/programs/throwing.cc', PLAIN, THROWING),
  program('debugger/programs/throwing.cc', OPTIMISED, THROWING),
  program('debugger/programs/handlers.c', PLAIN, STEPS),
  program('debugger/programs/handlers.c', OPTIMISED, STEPS),
  program('debugger/programs/inlining.c', OPTIMISED, STEPS),
  program('debugger/programs/watched.c', PLAIN, WATCHED),
  program('debugger/programs/watched.c', OPTIMISED, WATCHED),
  ...['1', '2', '3'].map((how) => program('debugger/programs/smashed.c', PLAIN, FAULTS, { args: [how], name: how })),
  program('terminal/programs/tagged.c', PLAIN, TAGGED, { name: 'values' }),
  program('terminal/programs/tagged.c', PLAIN, TAGGED_EARLY, { name: 'arrays' }),
  program('terminal/programs/tagged.c', OPTIMISED, TAGGED_OPTIMISED, { garbage: /list/ }),
  program('terminal/programs/family.cc', PLAIN, FAMILY, { garbage: /result|scale|legs/, usual: true }),
  program('terminal/programs/family.cc', OPTIMISED, FAMILY_OPTIMISED),
  program('values/programs/standard.cc', PLAIN, STANDARD),
  program('terminal/programs/externs.c', PLAIN, ['break main', 'run', 'p optind', 'next', 'p optind', 'p &optind', 'whatis environ', 'p environ == argv + argc + 1', 'p sizeof(environ)', 'p stderr', 'ptype optind', 'p stdout'], { args: ['-a', '-b', 'word'] }),
  program('terminal/programs/atOnce.c', PLAIN, AT_ONCE, { usual: true }),
  program('terminal/programs/workers.c', PLAIN, WORKERS),
  program('terminal/programs/workers.c', OPTIMISED, WORKERS_OPTIMISED),
  program('terminal/programs/alarms.c', PLAIN, ALARMS),
  program('terminal/programs/alarms.c', OPTIMISED, ALARMS_OPTIMISED),
  ...[PLAIN, OPTIMISED].flatMap((flags) => [
    ...['strings.c', 'sorting.c', 'varargs.c', 'recursion.c', 'choices.c', 'wideIntegers.c', 'longDouble.c', 'rounding.c', 'mathFunctions.c'].map((source) => program(`programs/${source}`, flags, STEPS)),
    ...['containers.cc', 'exceptions.cc'].map((source) => program(`programs/${source}`, flags, STEPS_CC)),
    program('programs/vectors.c', [...flags, '-msse4.2'], STEPS),
    program('programs/jumps.c', flags, JUMPS),
    // Their loops are on one line, which gdb steps over instruction by instruction.
    program('programs/interpreter.c', flags, ['break 41', 'run', 'bt', 'p last', 'p vars', 'list', 'x/2i $pc', 'p labels', 'p program']),
    program('programs/digests.c', flags, ['break block', 'run', 'bt', 'list', 'info line', 'p h', 'x/2i $pc', 'up', 'bt', 'info frame']),
  ]),
];

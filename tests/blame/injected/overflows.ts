/** Buffers that are written beyond their end: on the heap, on the stack, and global; by a loop or by a call. */
import { among, type Dice, excess, type Injection } from './injection.js';

interface Way {
  readonly name: string;
  /** Writes `count` bytes to `to`; the line is the first corruption. */
  readonly statement: (to: string, count: string) => string;
  /** Writes one byte more, the end of the text. */
  readonly ends: boolean;
}

const WAYS: readonly Way[] = [
  { name: 'a loop', statement: (to, count) => `for (int i = 0; i < ${count}; i++) ${to}[i] = source[i];`, ends: false },
  { name: 'a loop with a pointer', statement: (to, count) => `for (char *at = ${to}, *from = source; from < source + ${count}; ) *at++ = *from++;`, ends: false },
  { name: 'memcpy', statement: (to, count) => `memcpy(${to}, source, ${count});`, ends: false },
  { name: 'memset', statement: (to, count) => `memset(${to}, 'A', ${count});`, ends: false },
  { name: 'strcpy', statement: (to, count) => `prepare(${count}); strcpy(${to}, source);`, ends: true },
  { name: 'sprintf', statement: (to, count) => `prepare(${count}); sprintf(${to}, "%s", source);`, ends: true },
];

/** A call that is the last thing in a function may become a jump: then the function is not on the stack. */
function ending(dice: Dice): { readonly name: string; readonly text: string } {
  return dice(4) === 0 ? { name: ', last', text: '' } : { name: '', text: '\n    shown += 1;' };
}

interface Extent {
  readonly name: string;
  readonly size: number;
  readonly bad: number;
  readonly good: number;
  readonly way: Way;
}

function extent(dice: Dice): Extent {
  const way = among(dice, WAYS);
  const size = 8 + dice(56);
  const { name, bytes } = excess(dice);
  const good = way.ends ? size - 1 : size;
  return { name: `${way.name}, ${name}`, size, good, bad: good + bytes, way };
}

export function heapOverflow(dice: Dice): Injection {
  const { name, size, bad, good, way } = extent(dice);
  const after = among(dice, ['shown += victim->label[0];', 'shown += victim->weight;', 'release(victim); release(cells);', 'shown += victim->label[0]; release(cells); release(victim);']);
  const end = ending(dice);
  return {
    kind: 'heap overflow', name: `${name}${end.name}`,
    declarations: `
static char *cells;
static struct node *victim;
APART void fill(char *to, int count) {
    ${way.statement('to', 'count')} // @corrupt${end.text}
}
APART void bug(void) {
    chosen = VALUE(${bad}, ${good});
    prepare(0);
    cells = block(${size});
    victim = block(sizeof *victim);
    *victim = plainNode;
    fill(cells, chosen);
}
APART void after(void) {
    ${after}
}
`,
  };
}

export function stackOverflow(dice: Dice): Injection {
  const { name, size, bad, good, way } = extent(dice);
  const use = among(dice, ['shown += pointer->label[0];', 'shown += index;', 'shown += pointer->weight + plainNode.label[index];']);
  return {
    kind: 'stack overflow', name,
    declarations: `
APART void look(char *text) { shown += text[0]; }
APART int handle(int count) {
    struct node *volatile pointer = &plainNode;
    volatile long index = 2;
    char buffer[${size}];
    ${way.statement('buffer', 'count')} // @corrupt
    look(buffer);
    ${use}
    return (int)shown;
}
APART void bug(void) {
    chosen = VALUE(${bad}, ${good});
    prepare(0);
    shown += handle(chosen) & 1;
}
APART void after(void) { shown += 1; }
`,
  };
}

export function globalOverflow(dice: Dice): Injection {
  const { name, size, bad, good, way } = extent(dice);
  const use = among(dice, ['shown += before->label[0] + behind->label[0];', 'shown += behind->weight;', 'shown += plainNode.label[order & 3] + (before == behind);']);
  const end = ending(dice);
  return {
    kind: 'global overflow', name: `${name}${end.name}`,
    declarations: `
struct node *before = &plainNode;
char board[${size}] = "b";
struct node *behind = &plainNode;
long order = 2;
APART void write_board(int count) {
    ${way.statement('board', 'count')} // @corrupt${end.text}
}
APART void bug(void) {
    chosen = VALUE(${bad}, ${good});
    prepare(0);
    write_board(chosen);
}
APART void after(void) {
    shown += board[0];
    ${use}
}
`,
  };
}

/** The index is computed wrongly: the element before, one behind, or far away. */
export function wrongIndex(dice: Dice): Injection {
  const size = 4 + dice(12);
  const { name, index } = among(dice, [{ name: 'before', index: -1 - dice(3) }, { name: 'behind', index: size + dice(4) }, { name: 'far', index: 50_000_000 + dice(1000) }, { name: 'far before', index: -90_000_000 }]);
  const where = among(dice, ['global', 'heap', 'stack'] as const);
  const made = {
    global: { before: `struct node *first = &plainNode;\nlong board[${size}] = { 1 };\nstruct node *last = &plainNode;`, to: 'board', local: '', use: 'shown += first->label[0] + last->label[0] + board[0];' },
    heap: { before: 'static long *cells;\nstatic struct node *first, *last;', to: 'cells', local: `first = block(sizeof *first); *first = plainNode; cells = block(${size} * sizeof *cells); last = block(sizeof *last); *last = plainNode;`, use: 'shown += first->label[0] + last->label[0];' },
    stack: { before: '', to: 'own', local: `struct node *volatile first = &plainNode; long own[${size}]; struct node *volatile last = &plainNode; dirty(own, sizeof own);`, use: '' },
  }[where];
  const inFunction = where === 'stack' ? 'shown += first->label[0] + last->label[0] + own[0];' : '';
  return {
    kind: 'wrong index', name: `${where}, ${name}`,
    declarations: `
${made.before}
APART long position(int key) {
    long at = key * 3L - chosen * 2L; // @also
    return at;
}
APART void put(int key) {
    ${made.local}
    long at = position(key);
    ${made.to}[at] = 0x41414141; // @corrupt
    ${inFunction}
}
APART void bug(void) {
    chosen = VALUE(${index}, 1);
    put(chosen);
}
APART void after(void) {
    ${made.use}
}
`,
  };
}

/** Structures that are lost, blocks that are left at the end, and blocks that outlive the function that made them. */
import { c } from '../scenario.js';
import type { Scenario } from '../scenario.js';
import { BOX, NEW_BOX, scrubbed } from './box.js';

/** A child of fork has a copy of everything; what is freed there is not freed in its parent. */
const NOT_IN_CHILD = { unless: ['fork'] };

/** The root of a structure is lost, and with it everything that only the structure knows. */
const LOST_STRUCTURES: readonly Scenario[] = [
  {
    name: 'tree',
    type: 'struct tree **',
    prologue: c`
struct tree { struct tree *left, *right; int key; };

static struct tree *leaf(int key) {
  struct tree *tree = (struct tree *)calloc(1, sizeof(struct tree)); /* BUG */
  tree->key = key;
  return tree;
}

static void fell(struct tree *tree) {
  if (tree == NULL) return;
  fell(tree->left);
  fell(tree->right);
  free(tree);
}`,
    source: c`
data = (struct tree **)calloc(1, sizeof(struct tree *));
*data = leaf(2);
(*data)->left = leaf(1);
(*data)->right = leaf(3);`,
    sink: {
      buggy: c`
*data = NULL;
free(data);`,
      clean: c`
fell(*data);
free(data);`,
    },
  },
  {
    name: 'ring',
    type: 'struct ring **',
    prologue: c`
struct ring { struct ring *next, *previous; };
static struct ring *volatile anchor;

static struct ring *new_ring(int size) {
  struct ring *first = NULL, *last = NULL;
  for (int i = 0; i < size; i++) {
    struct ring *ring = (struct ring *)calloc(1, sizeof(struct ring)); /* BUG */
    if (first == NULL) first = last = ring;
    ring->previous = last;
    ring->next = first;
    last->next = ring;
    first->previous = ring;
    last = ring;
  }
  return first;
}`,
    source: c`
data = (struct ring **)calloc(1, sizeof(struct ring *));
*data = new_ring(3);`,
    sink: {
      buggy: c`
anchor = (*data)->next;
*data = NULL;
free(data);
anchor = NULL;`,
      clean: c`
anchor = (*data)->next;
*data = NULL;
free(data);`,
    },
  },
  {
    name: 'table',
    type: 'char ***',
    prologue: c`
static char **new_table(int size) {
  char **table = (char **)malloc(size * sizeof(char *)); /* BUG */
  for (int i = 0; i < size; i++) table[i] = strdup("entry"); /* BUG */
  return table;
}`,
    source: c`
data = (char ***)malloc(sizeof(char **));
*data = new_table(4);`,
    sink: {
      buggy: c`
*data = NULL;
free(data);`,
      clean: c`
for (int i = 0; i < 4; i++) free((*data)[i]);
free(*data);
free(data);`,
    },
  },
];

export const INDIRECT_LEAK = LOST_STRUCTURES.map(scrubbed);

/** At the end there is still a block, to whose inside something points. */
export const POSSIBLE_LEAK: readonly Scenario[] = [
  {
    name: 'interior',
    type: 'struct box *',
    prologue: `${BOX}\nstatic char *kept;`,
    source: NEW_BOX,
    sink: {
      buggy: c`
kept = data->payload + 8;
data->payload = NULL;
free(data);`,
      clean: c`
kept = data->payload + 8;
data->payload = NULL;
free(data);
free(kept - 8);
kept = NULL;`,
    },
    ...NOT_IN_CHILD,
  },
  {
    name: 'lastByte',
    type: 'struct box *',
    prologue: `${BOX}\nstatic char *end;`,
    source: NEW_BOX,
    sink: {
      buggy: c`
end = data->payload + 39;
free(data);`,
      clean: c`
end = data->payload + 39;
free(data->payload);
free(data);`,
    },
    ...NOT_IN_CHILD,
  },
  {
    name: 'ownHeader',
    type: 'int',
    scalar: true,
    prologue: c`
static long *held;

static long *with_header(int size) {
  long *memory = (long *)malloc(16 + size); /* BUG */
  memory[0] = size;
  memory[1] = 0;
  return memory + 2;
}`,
    source: 'data = 64;',
    sink: {
      buggy: 'held = with_header(data);',
      clean: c`
held = with_header(data);
free(held - 2);`,
    },
  },
  {
    name: 'secondBase',
    type: 'int',
    language: 'cc',
    scalar: true,
    prologue: c`
struct Left { virtual ~Left() {} int left = 1; };
struct Right { virtual ~Right() {} int right = 2; };
struct Both : Left, Right { int both = 3; };
static Right *kept;`,
    source: 'data = 5;',
    sink: {
      buggy: c`
Both *both = new Both; /* BUG */
both->both = data;
kept = both;`,
      clean: c`
Both *both = new Both;
both->both = data;
kept = both;
delete kept;`,
    },
  },
  {
    name: 'cursor',
    type: 'const char *',
    prologue: 'static char *cursor;',
    source: 'data = "name = value";',
    sink: {
      buggy: c`
cursor = strdup(data); /* BUG */
while (*cursor != '=') cursor++;
puts(cursor);`,
      clean: c`
char *copy = strdup(data);
cursor = copy;
while (*cursor != '=') cursor++;
puts(cursor);
free(copy);`,
    },
  },
];

/** What a function called `transaction` allocates, it has to free; others may keep what they like. */
export const LEAK_IN_TRANSACTION: readonly Scenario[] = [
  {
    name: 'kept',
    type: 'int',
    scalar: true,
    prologue: c`
static char *before, *held;

__attribute__((noinline)) void transaction(int size, int keep) {
  char *memory = (char *)malloc(size); /* BUG */
  memset(memory, 1, size);
  if (keep) held = memory;
  else free(memory);
}`,
    source: c`
data = 30;
before = (char *)malloc(10);`,
    sink: {
      buggy: c`
transaction(data, 1);
free(held);`,
      clean: c`
transaction(data, 0);
held = before;`,
    },
  },
  {
    name: 'callee',
    type: 'const char *',
    prologue: c`
static char *cache;

static char *cached(const char *text) {
  if (cache == NULL) cache = strdup(text); /* BUG */
  return cache;
}

__attribute__((noinline)) void transaction(const char *text) {
  puts(cached(text));
}`,
    source: 'data = "text";',
    sink: {
      buggy: c`
transaction(data);
free(cache);
cache = NULL;`,
      clean: c`
cached(data);
transaction(data);
free(cache);
cache = NULL;`,
    },
  },
  {
    name: 'second',
    type: 'int *',
    prologue: c`
static int *rows[4];

__attribute__((noinline)) int transaction(int *numbers, int count) {
  int sum = 0;
  int *copy = (int *)malloc(count * sizeof(int)); /* BUG */
  for (int i = 0; i < count; i++) sum += copy[i] = numbers[i];
  if (count == 3) {
    rows[0] = copy;
    return sum;
  }
  free(copy);
  return sum;
}`,
    source: c`
static int numbers[4] = { 1, 2, 3, 4 };
data = numbers;`,
    sink: {
      buggy: c`
transaction(data, 4);
transaction(data, 3);
free(rows[0]);`,
      clean: c`
transaction(data, 4);
transaction(data, 2);
free(rows[0]);`,
    },
  },
];

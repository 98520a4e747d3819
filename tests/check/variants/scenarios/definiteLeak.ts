/**
 * Blocks to which nothing points any more. What flows is a `box` that holds the block, so that what a flow keeps for
 * itself is not what is lost. Reported where the block was allocated.
 */
import { c } from '../scenario.js';
import type { Scenario } from '../scenario.js';
import { BOX, FREE_BOTH, NEW_BOX, scrubbed } from './box.js';

const SCENARIOS: readonly Scenario[] = [
  { name: 'overwritten', type: 'struct box *', prologue: BOX, source: NEW_BOX, sink: { buggy: 'data->payload = NULL;\nfree(data);', clean: FREE_BOTH } },
  { name: 'holderFreed', type: 'struct box *', prologue: BOX, source: NEW_BOX, sink: { buggy: 'free(data);', clean: FREE_BOTH } },
  {
    name: 'replaced',
    type: 'struct box *',
    prologue: BOX,
    source: NEW_BOX,
    sink: {
      buggy: c`
data->payload = payload_of(20);
free(data->payload);
free(data);`,
      clean: c`
free(data->payload);
data->payload = payload_of(20);
free(data->payload);
free(data);`,
    },
  },
  {
    name: 'keptByGlobal',
    type: 'struct box *',
    prologue: `${BOX}\nstatic char *kept;`,
    source: NEW_BOX,
    sink: {
      buggy: c`
kept = data->payload;
free(data);
kept = NULL;`,
      clean: c`
kept = data->payload;
free(data);`,
    },
  },
  {
    name: 'keptByBlock',
    type: 'struct box *',
    prologue: `${BOX}\nstatic struct box *all;`,
    source: NEW_BOX,
    sink: {
      buggy: c`
struct box *other = (struct box *)calloc(1, sizeof(struct box));
other->payload = data->payload;
free(data);
free(other);`,
      clean: c`
struct box *other = (struct box *)calloc(1, sizeof(struct box));
other->payload = data->payload;
free(data);
all = other;`,
    },
  },
  {
    name: 'result',
    type: 'const char *',
    source: 'data = "text";',
    sink: {
      buggy: 'strdup(data); /* BUG */',
      clean: c`
char *copy = strdup(data);
free(copy);`,
    },
  },
  {
    name: 'earlyReturn',
    type: 'const char *',
    prologue: c`
static int process(const char *text) {
  char *copy = (char *)malloc(60); /* BUG */
  strcpy(copy, text);
  if (copy[0] == '#') return -1;
  free(copy);
  return 0;
}`,
    source: { buggy: 'data = "#comment";', clean: 'data = "statement";' },
    sink: 'process(data);',
  },
  {
    name: 'loop',
    type: 'int',
    scalar: true,
    prologue: BOX,
    source: 'data = 3;',
    sink: {
      buggy: c`
char *last = NULL;
for (int i = 0; i < data; i++) last = payload_of(10 + i);
free(last);`,
      clean: c`
char *last = NULL;
for (int i = 0; i < data; i++) {
  free(last);
  last = payload_of(10 + i);
}
free(last);`,
    },
  },
  {
    name: 'list',
    type: 'struct box *',
    prologue: BOX,
    source: c`
data = new_box(8);
data->next = new_box(9);`,
    sink: {
      buggy: c`
free(data->payload);
free(data->next);
free(data);`,
      clean: c`
free(data->payload);
free(data->next->payload);
free(data->next);
free(data);`,
    },
  },
  {
    name: 'libraryBuffer',
    type: 'const char *',
    source: c`data = "a line\nanother\n";`,
    sink: {
      buggy: c`
char *line = NULL;
size_t size = 0;
FILE *file = fmemopen((void *)data, strlen(data), "r");
getline(&line, &size, file); /* BUG */
fclose(file);`,
      clean: c`
char *line = NULL;
size_t size = 0;
FILE *file = fmemopen((void *)data, strlen(data), "r");
getline(&line, &size, file);
getline(&line, &size, file);
fclose(file);
free(line);`,
    },
  },
  {
    name: 'moved',
    type: 'struct box *',
    prologue: `${BOX}\nstatic char *kept;`,
    source: NEW_BOX,
    sink: {
      buggy: c`
data->payload = (char *)realloc(data->payload, 2000); /* BUG */
free(data);`,
      clean: c`
data->payload = (char *)realloc(data->payload, 2000);
kept = data->payload;
free(data);
kept = (char *)realloc(kept, 10);`,
    },
  },
  {
    name: 'noDestructor',
    type: 'int',
    language: 'cc',
    scalar: true,
    prologue: c`
struct Row {
  explicit Row(int size) : cells(new int[size]()) {} /* BUG */
  void clear() { delete[] cells; }
  int *cells;
};`,
    source: 'data = 12;',
    sink: {
      buggy: 'Row row(data);',
      clean: c`
Row row(data);
row.clear();`,
    },
  },
  {
    name: 'thrown',
    type: 'int',
    language: 'cc',
    scalar: true,
    prologue: c`
#include <memory>
static void check(int value) {
  if (value > 3) throw value;
}`,
    source: 'data = 4;',
    sink: {
      buggy: c`
try {
  int *cell = new int(data); /* BUG */
  check(*cell);
  delete cell;
} catch (int) {
}`,
      clean: c`
try {
  std::unique_ptr<int> cell(new int(data));
  check(*cell);
} catch (int) {
}`,
    },
  },
];

export const DEFINITE_LEAK = SCENARIOS.map(scrubbed);

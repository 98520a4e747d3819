/** Use of what lay in a frame that is gone. */
import { c } from '../scenario.js';
import type { Scenario } from '../scenario.js';

/** The compiler must not see that a local's address leaves: it would return null instead. */
const LAUNDER = c`
static void *volatile laundry;

static void *launder(void *pointer) {
  laundry = pointer;
  return laundry;
}
`;

export const AFTER_RETURN: readonly Scenario[] = [
  {
    name: 'variable',
    type: 'int *',
    prologue: c`${LAUNDER}
static int *automatic(int value) {
  int local = value;
  return (int *)launder(&local);
}

static int *permanent(int value) {
  static int local;
  local = value;
  return (int *)launder(&local);
}`,
    source: { buggy: 'data = automatic(5);', clean: 'data = permanent(5);' },
    sink: c`
int value = *data; /* BUG */
printf("%d\n", value > 0);`,
  },
  {
    name: 'buffer',
    type: 'char *',
    prologue: c`${LAUNDER}
static char *format(int number, char *into) {
  char text[32];
  sprintf(text, "number %d", number);
  if (into == NULL) return (char *)launder(text);
  return strcpy(into, text);
}
static char answer[32];`,
    source: { buggy: 'data = format(17, NULL);', clean: 'data = format(17, answer);' },
    sink: c`
char letter = data[2]; /* BUG */
printf("%d\n", letter != 0);`,
  },
  {
    name: 'write',
    type: 'long *',
    prologue: c`${LAUNDER}
static long *cell(int automatic) {
  long local[4] = { 1, 2, 3, 4 };
  static long permanent[4];
  return (long *)launder(automatic ? local : permanent);
}`,
    source: { buggy: 'data = cell(1);', clean: 'data = cell(0);' },
    sink: 'data[2] = 9; /* BUG */',
    unless: ['signalHandler'],
  },
  {
    name: 'parameter',
    type: 'int *',
    prologue: c`${LAUNDER}
static int global = 3;
static int *address_of(int parameter, int which) {
  if (which) return (int *)launder(&parameter);
  return &global;
}`,
    source: { buggy: 'data = address_of(4, 1);', clean: 'data = address_of(4, 0);' },
    sink: c`
int value = *data; /* BUG */
printf("%d\n", value != -77777);`,
  },
  {
    name: 'storedByCallee',
    type: 'struct reply *',
    prologue: c`
struct reply { const int *numbers; int count; };
static const int fixed[3] = { 1, 2, 3 };

static void answer(struct reply *reply, int automatic) {
  int numbers[3] = { 4, 5, 6 };
  reply->numbers = automatic ? numbers : fixed;
  reply->count = 3;
}`,
    source: {
      buggy: c`
static struct reply reply;
answer(&reply, 1);
data = &reply;`,
      clean: c`
static struct reply reply;
answer(&reply, 0);
data = &reply;`,
    },
    sink: c`
int last = data->numbers[2]; /* BUG */
printf("%d\n", last != -77777);`,
  },
  {
    name: 'allocatedOnStack',
    type: 'char *',
    prologue: c`#include <alloca.h>
${LAUNDER}
static char *temporary(int size) {
  char *memory = (char *)alloca(size);
  memset(memory, 'a', size);
  return (char *)launder(memory);
}`,
    source: { buggy: 'data = temporary(64);', clean: c`data = (char *)alloca(64);
memset(data, 'a', 64);` },
    nested: true,
    sink: c`
char letter = data[40]; /* BUG */
printf("%d\n", letter != 1);`,
  },
  {
    name: 'structByPointer',
    type: 'struct point *',
    prologue: c`
struct point { int x, y, z; };
${LAUNDER}
static struct point *make(int x, int automatic) {
  struct point point = { x, x + 1, x + 2 };
  static struct point copy;
  copy = point;
  return (struct point *)launder(automatic ? &point : &copy);
}`,
    source: { buggy: 'data = make(1, 1);', clean: 'data = make(1, 0);' },
    sink: c`
struct point copy = *data; /* BUG */
printf("%d\n", copy.x != -77777);`,
  },
  {
    name: 'deepCallee',
    type: 'int *',
    prologue: c`${LAUNDER}
static int outer[2];
static int *deep(int depth, int *given) {
  int local[2] = { depth, depth };
  if (depth > 0) return deep(depth - 1, given);
  return (int *)launder(given != NULL ? given : local);
}`,
    source: { buggy: 'data = deep(5, NULL);', clean: 'data = deep(5, outer);' },
    sink: c`
int value = data[1]; /* BUG */
printf("%d\n", value != -77777);`,
  },
  {
    name: 'longjmp',
    type: 'int *',
    prologue: c`
#include <setjmp.h>
static jmp_buf back;
static int *seen, still;

static void inner(int automatic) {
  int local = 6;
  seen = automatic ? &local : &still;
  longjmp(back, 1);
}`,
    source: {
      buggy: c`
if (setjmp(back) == 0) inner(1);
data = seen;`,
      clean: c`
if (setjmp(back) == 0) inner(0);
data = seen;`,
    },
    sink: c`
int value = *data; /* BUG */
printf("%d\n", value != -77777);`,
  },
  {
    name: 'reference',
    type: 'Adder',
    language: 'cc',
    scalar: true,
    prologue: c`
struct Adder {
  Adder() : start(nullptr) {}
  Adder(int) : start(nullptr) {}
  Adder(const Adder &other) : start(other.start) {}
  Adder(const volatile Adder &other) : start(other.start) {}
  Adder &operator=(const Adder &other) = default;
  int add(int value) const {
    return *start + value; /* BUG */
  }
  const int *start;
};

static Adder make(int automatic) {
  int local = 3;
  static int permanent = 3;
  Adder adder;
  adder.start = automatic ? &local : &permanent;
  return adder;
}`,
    source: { buggy: 'data = make(1);', clean: 'data = make(0);' },
    sink: c`printf("%d\n", data.add(4) != -77777);`,
    unless: ['setjmp', 'varargs', 'union', 'signalHandler', 'threadLocal'],
  },
];

/** Access through a null pointer, itself or plus the offset of a member. */
import { c } from '../scenario.js';
import type { Scenario } from '../scenario.js';

export const NULL_DEREF: readonly Scenario[] = [
  {
    name: 'read',
    type: 'int *',
    prologue: 'static int zero;',
    source: { buggy: 'data = NULL;', clean: 'data = &zero;' },
    sink: c`printf("%d\n", *data); /* BUG */`,
  },
  {
    name: 'write',
    type: 'long *',
    prologue: 'static long zero;',
    source: { buggy: 'data = 0;', clean: 'data = &zero;' },
    sink: '*data = 5; /* BUG */',
  },
  {
    name: 'notFound',
    type: 'struct entry *',
    prologue: c`
struct entry { const char *key; int value; };
static struct entry entries[] = { { "one", 1 }, { "two", 2 }, { "three", 3 } };

static struct entry *find(const char *key) {
  for (int i = 0; i < 3; i++) {
    if (strcmp(entries[i].key, key) == 0) return &entries[i];
  }
  return NULL;
}`,
    source: { buggy: 'data = find("four");', clean: 'data = find("three");' },
    sink: c`printf("%d\n", data->value); /* BUG */`,
  },
  {
    name: 'missingFile',
    type: 'FILE *',
    source: { buggy: 'data = fopen("/no/such/file", "r");', clean: 'data = fopen("/dev/null", "r");' },
    sink: c`
int next = fgetc(data); /* BUG */
printf("%d\n", next);
fclose(data);`,
  },
  {
    name: 'environment',
    type: 'const char *',
    source: { buggy: 'data = getenv("NO_SUCH_VARIABLE");', clean: 'data = getenv("NO_SUCH_VARIABLE") == NULL ? "" : "set";' },
    sink: c`
char copy[20];
strcpy(copy, data); /* BUG */
puts(copy);`,
  },
  {
    name: 'clearedMember',
    type: 'struct tree *',
    prologue: 'struct tree { int key; struct tree *left, *right; };',
    source: 'data = (struct tree *)calloc(1, sizeof(struct tree));',
    sink: {
      buggy: c`
data->right->key = 1; /* BUG */
free(data);`,
      clean: c`
if (data->right != NULL) data->right->key = 1;
free(data);`,
    },
  },
  {
    name: 'failedAllocation',
    type: 'char *',
    source: { buggy: 'data = (char *)malloc((size_t)1 << 46);', clean: 'data = (char *)malloc((size_t)1 << 6);' },
    sink: c`
data[0] = 'x'; /* BUG */
free(data);`,
  },
  {
    name: 'length',
    type: 'const char *',
    source: { buggy: c`data = strchr("key without value", '=');`, clean: c`data = strchr("key=value", '=');` },
    sink: c`printf("%d\n", (int)strlen(data)); /* BUG */`,
  },
  {
    name: 'checkedAfterwards',
    type: 'int *',
    source: 'data = NULL;',
    sink: {
      buggy: c`
int value = *data; /* BUG */
if (data != NULL) printf("%d\n", value);`,
      clean: c`
if (data != NULL) printf("%d\n", *data);`,
    },
  },
  {
    name: 'memberOffset',
    type: 'struct wide *',
    prologue: c`
#include <stddef.h>
struct wide { char padding[200]; int member; };`,
    source: 'data = NULL;',
    sink: {
      buggy: c`data->member++; /* BUG */`,
      clean: c`
if (data == NULL) printf("%d\n", (int)offsetof(struct wide, member));`,
    },
  },
  {
    name: 'copyTo',
    type: 'char *',
    source: { buggy: 'data = NULL;', clean: 'data = (char *)malloc(8);' },
    sink: c`
memset(data, 1, 8); /* BUG */
free(data);`,
  },
  {
    name: 'index',
    type: 'short *',
    prologue: 'static short table[8];',
    source: { buggy: 'data = NULL;', clean: 'data = table;' },
    sink: c`
for (int i = 2; i < 8; i++) data[i] = i; /* BUG */`,
  },
  {
    name: 'harmlessNulls',
    type: 'char *',
    prologue: '#include <time.h>',
    source: 'data = NULL;',
    sink: {
      buggy: c`
time_t now = time(NULL);
printf("%c\n", *data); /* BUG */`,
      clean: c`
time_t now = time(NULL);
free(data);
printf("%d %d\n", now != 0, (int)strtol("12", NULL, 10));
data = (char *)realloc(data, 10);
free(data);`,
    },
  },
  {
    name: 'castOfWrongClass',
    type: 'Base *',
    language: 'cc',
    prologue: c`
struct Base { virtual ~Base() {} };
struct Left : Base { int number = 1; };
struct Right : Base { int number = 2; };`,
    source: 'data = new Left;',
    sink: {
      buggy: c`
Right *right = dynamic_cast<Right *>(data);
printf("%d\n", right->number); /* BUG */
delete data;`,
      clean: c`
Left *left = dynamic_cast<Left *>(data);
printf("%d\n", left->number);
delete data;`,
    },
  },
  {
    name: 'virtualCall',
    type: 'Shape *',
    language: 'cc',
    prologue: c`
struct Shape { virtual int area() { return 3; } };
static Shape unit;`,
    source: { buggy: 'data = nullptr;', clean: 'data = &unit;' },
    sink: c`printf("%d\n", data->area()); /* BUG */`,
  },
];

/** Reading and writing of freed blocks. */
import { c } from '../scenario.js';
import type { Scenario } from '../scenario.js';

export const DANGLING: readonly Scenario[] = [
  {
    name: 'read',
    type: 'int *',
    source: c`
data = (int *)malloc(4 * sizeof(int));
data[2] = 17;`,
    sink: {
      buggy: c`
free(data);
printf("%d\n", data[2]); /* BUG */`,
      clean: c`
int value = data[2];
free(data);
printf("%d\n", value);`,
    },
  },
  {
    name: 'write',
    type: 'char *',
    source: 'data = (char *)malloc(300);',
    sink: {
      buggy: c`
free(data);
data[299] = 'x'; /* BUG */`,
      clean: c`
data[299] = 'x';
free(data);`,
    },
  },
  {
    name: 'freedBefore',
    type: 'long *',
    source: {
      buggy: c`
data = (long *)calloc(3, sizeof(long));
free(data);`,
      clean: c`
static long zeros[3];
data = (long *)calloc(3, sizeof(long));
free(data);
data = zeros;`,
    },
    sink: c`
data[1] = 5; /* BUG */`,
  },
  {
    name: 'listFreedInLoop',
    type: 'struct cell *',
    prologue: c`
struct cell { int value; struct cell *next; };

static struct cell *cons(int value, struct cell *next) {
  struct cell *cell = (struct cell *)malloc(sizeof *cell);
  cell->value = value;
  cell->next = next;
  return cell;
}`,
    source: 'data = cons(1, cons(2, NULL));',
    sink: {
      buggy: c`
struct cell *cell = data;
while (cell != NULL) {
  free(cell);
  cell = cell->next; /* BUG */
}`,
      clean: c`
struct cell *cell = data;
while (cell != NULL) {
  struct cell *next = cell->next;
  free(cell);
  cell = next;
}`,
    },
  },
  {
    name: 'oldAddressAfterRealloc',
    type: 'int *',
    source: c`
data = (int *)malloc(8 * sizeof(int));
data[3] = 33;`,
    sink: {
      buggy: c`
int *third = &data[3];
int *fence = (int *)malloc(32);
data = (int *)realloc(data, 100000);
printf("%d\n", *third); /* BUG */
free(fence);
free(data);`,
      clean: c`
int *third = &data[3];
long distance = third - data;
int *fence = (int *)malloc(32);
data = (int *)realloc(data, 100000);
third = data + distance;
printf("%d\n", *third);
free(fence);
free(data);`,
    },
  },
  {
    name: 'addressUsedAgain',
    type: 'char *',
    source: 'data = strdup("first");',
    sink: {
      buggy: c`
char *old = data;
free(data);
data = strdup("other");
printf("%c\n", *old); /* BUG */
free(data);`,
      clean: c`
char *old = data;
free(data);
data = strdup("other");
if (old == data) puts("same place");
printf("%c\n", *data);
free(data);`,
    },
  },
  {
    name: 'stringFunction',
    type: 'char *',
    source: 'data = strdup("some longer text that fills a block");',
    sink: {
      buggy: c`
free(data);
printf("%d\n", (int)strlen(data)); /* BUG */`,
      clean: c`
printf("%d\n", (int)strlen(data));
free(data);`,
    },
  },
  {
    name: 'systemCall',
    type: 'char *',
    prologue: '#include <unistd.h>',
    source: c`
data = (char *)malloc(64);
memset(data, '.', 64);`,
    sink: {
      buggy: c`
free(data);
write(1, data + 32, 8); /* BUG */`,
      clean: c`
write(1, data + 32, 8);
free(data);`,
    },
  },
  {
    name: 'copyInto',
    type: 'char *',
    source: 'data = (char *)malloc(40);',
    sink: {
      buggy: c`
char text[24] = "twenty-three characters";
free(data);
memcpy(data, text, sizeof text); /* BUG */`,
      clean: c`
char text[24] = "twenty-three characters";
memcpy(data, text, sizeof text);
free(data);`,
    },
  },
  {
    name: 'directoryEntry',
    type: 'DIR *',
    prologue: '#include <dirent.h>',
    source: 'data = opendir("/");',
    sink: {
      buggy: c`
struct dirent *entry = readdir(data);
closedir(data);
printf("%d\n", entry->d_name[0] != 0); /* BUG */`,
      clean: c`
struct dirent *entry = readdir(data);
printf("%d\n", entry->d_name[0] != 0);
closedir(data);`,
    },
  },
  {
    name: 'memberOfFreedStruct',
    type: 'struct pair *',
    prologue: 'struct pair { int *first; int *second; };',
    source: c`
data = (struct pair *)malloc(sizeof(struct pair));
data->first = (int *)calloc(1, sizeof(int));
data->second = (int *)calloc(1, sizeof(int));`,
    sink: {
      buggy: c`
free(data->first);
free(data);
free(data->second); /* BUG */`,
      clean: c`
free(data->first);
free(data->second);
free(data);`,
    },
  },
  {
    name: 'ownFreeList',
    type: 'union slot *',
    prologue: c`
union slot { union slot *next; char bytes[32]; };
static union slot *spare;

static union slot *take(void) {
  union slot *slot = spare;
  if (slot != NULL) spare = slot->next; /* BUG */
  else slot = (union slot *)malloc(sizeof *slot);
  return slot;
}

static void give(union slot *slot) {
  slot->next = spare;
  spare = slot;
}`,
    source: 'data = take();',
    sink: {
      buggy: c`
give(data);
spare = NULL;
free(data);
spare = data;
union slot *again = take();
again->next = NULL;`,
      clean: c`
give(data);
union slot *again = take();
strcpy(again->bytes, "used once more");
give(again);
again = take();
free(again);`,
    },
  },
  {
    name: 'deletedObject',
    type: 'Animal *',
    language: 'cc',
    prologue: c`
struct Animal {
  virtual ~Animal() {}
  virtual int legs() { return 4; }
};`,
    source: 'data = new Animal;',
    sink: {
      buggy: c`
delete data;
printf("%d\n", data->legs()); /* BUG */`,
      clean: c`
printf("%d\n", data->legs());
delete data;`,
    },
  },
  {
    name: 'iterator',
    type: 'int',
    language: 'cc',
    scalar: true,
    prologue: '#include <vector>',
    source: 'data = 3;',
    sink: {
      buggy: c`
std::vector<int> row(data, 7);
int &first = row[0];
for (int i = 0; i < 100; i++) row.push_back(i);
printf("%d\n", first); /* BUG */`,
      clean: c`
std::vector<int> row(data, 7);
row.reserve(103);
int &first = row[0];
for (int i = 0; i < 100; i++) row.push_back(i);
printf("%d\n", first);`,
    },
  },
  {
    name: 'characterPointer',
    type: 'const char *',
    language: 'cc',
    prologue: '#include <string>',
    source: 'data = "a text too long to be kept inside of the object";',
    sink: {
      buggy: c`
const char *inner;
{
  std::string text(data);
  inner = text.c_str();
}
printf("%c\n", inner[5]); /* BUG */`,
      clean: c`
std::string text(data);
const char *inner = text.c_str();
printf("%c\n", inner[5]);`,
    },
  },
];

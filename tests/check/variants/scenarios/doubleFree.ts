/** free of a block that has been freed. */
import { c } from '../scenario.js';
import type { Scenario } from '../scenario.js';

const PERSON = c`
struct person { char *name; int age; };

static void release(struct person *person) {
  free(person->name); /* BUG */
  free(person);
}`;

export const DOUBLE_FREE: readonly Scenario[] = [
  {
    name: 'twice',
    type: 'char *',
    source: c`
data = (char *)malloc(100);
data[0] = 0;`,
    sink: {
      buggy: c`
free(data);
free(data); /* BUG */`,
      clean: c`
free(data);
data = NULL;
free(data);`,
    },
  },
  {
    name: 'alias',
    type: 'int *',
    source: c`
data = (int *)calloc(4, sizeof(int));`,
    sink: {
      buggy: c`
int *alias = data;
if (alias[0] == 0) free(alias);
free(data); /* BUG */`,
      clean: c`
int *alias = data;
if (alias[0] != 0) free(alias);
else free(data);`,
    },
  },
  {
    name: 'freedBefore',
    type: 'long *',
    source: {
      buggy: c`
data = (long *)malloc(64);
free(data);`,
      clean: c`
data = (long *)malloc(64);
free(data);
data = (long *)malloc(64);`,
    },
    sink: 'free(data); /* BUG */',
  },
  {
    name: 'addressUsedAgain',
    type: 'char *',
    source: c`
char *first = (char *)malloc(48);
free(first);
data = (char *)malloc(48);`,
    sink: {
      buggy: c`
free(data);
char *again = (char *)malloc(5000);
free(data); /* BUG */
free(again);`,
      clean: c`
free(data);
char *again = (char *)malloc(48);
free(again);`,
    },
  },
  {
    name: 'shallowCopy',
    type: 'struct person *',
    prologue: PERSON,
    source: c`
data = (struct person *)malloc(sizeof(struct person));
data->name = strdup("Ada");
data->age = 36;`,
    sink: {
      buggy: c`
struct person *copy = (struct person *)malloc(sizeof *copy);
*copy = *data;
release(data);
release(copy);`,
      clean: c`
struct person *copy = (struct person *)malloc(sizeof *copy);
*copy = *data;
copy->name = strdup(data->name);
release(data);
release(copy);`,
    },
  },
  {
    name: 'movedByRealloc',
    type: 'char *',
    source: 'data = (char *)malloc(24);',
    sink: {
      buggy: c`
char *fence = (char *)malloc(24);
char *moved = (char *)realloc(data, 100000);
free(data); /* BUG */
free(moved);
free(fence);`,
      clean: c`
char *moved = (char *)realloc(data, 20);
if (moved != data) puts("moved");
free(moved);`,
    },
  },
  {
    name: 'fileClosedTwice',
    type: 'FILE *',
    source: 'data = fopen("/dev/null", "r");',
    sink: {
      buggy: c`
if (fgetc(data) == EOF) fclose(data);
fclose(data); /* BUG */`,
      clean: c`
if (fgetc(data) != EOF) fclose(data);
else fclose(data);`,
    },
  },
  {
    name: 'errorPath',
    type: 'char *',
    prologue: c`
static int store(char *text) {
  if (strlen(text) > 3) {
    free(text);
    return -1;
  }
  free(text);
  return 0;
}`,
    source: 'data = strdup("too long");',
    sink: {
      buggy: c`
if (store(data) < 0) {
  puts("cannot store");
  free(data); /* BUG */
}`,
      clean: c`
if (store(data) < 0) puts("cannot store");`,
    },
  },
  {
    name: 'listWithCycle',
    type: 'struct link *',
    prologue: c`
struct link { struct link *next; int number; };

static struct link *link_of(int number, struct link *next) {
  struct link *link = (struct link *)malloc(sizeof *link);
  link->number = number;
  link->next = next;
  return link;
}`,
    source: c`data = link_of(1, link_of(2, link_of(3, NULL)));`,
    sink: {
      buggy: c`
struct link *all[3] = { data, data->next, data->next };
for (int i = 0; i < 2; i++) free(all[i]);
free(all[2]); /* BUG */`,
      clean: c`
struct link *all[3] = { data, data->next, data->next->next };
for (int i = 0; i < 2; i++) free(all[i]);
free(all[2]);`,
    },
  },
  {
    name: 'deleted',
    type: 'int *',
    language: 'cc',
    source: 'data = new int(4);',
    sink: {
      buggy: c`
delete data;
delete data; /* BUG */`,
      clean: c`
delete data;
data = nullptr;
delete data;`,
    },
  },
  {
    name: 'copiedOwner',
    type: 'int',
    language: 'cc',
    scalar: true,
    prologue: c`
class Buffer {
public:
  explicit Buffer(int size) : size(size), bytes(new char[size]) {}
  Buffer(const Buffer &other, bool deep) : size(other.size), bytes(deep ? new char[other.size] : other.bytes) {}
  ~Buffer() {
    delete[] bytes; /* BUG */
  }
  int size;
  char *bytes;
};`,
    source: 'data = 40;',
    sink: {
      buggy: c`
Buffer first(data);
Buffer second(first, false);`,
      clean: c`
Buffer first(data);
Buffer second(first, true);`,
    },
  },
  {
    name: 'referenceCount',
    type: 'struct counted *',
    prologue: c`
struct counted { int references; char *text; };

static void drop(struct counted *counted) {
  if (--counted->references > 0) return;
  free(counted->text);
  counted->text = NULL;
}`,
    source: c`
data = (struct counted *)malloc(sizeof(struct counted));
data->references = 2;
data->text = strdup("shared");`,
    sink: {
      buggy: c`
char *text = data->text;
drop(data);
drop(data);
free(text); /* BUG */
free(data);`,
      clean: c`
drop(data);
drop(data);
free(data->text);
free(data);`,
    },
  },
];

/** free of what malloc never gave, or not of its beginning. */
import { c } from '../scenario.js';
import type { Scenario } from '../scenario.js';

export const UNMATCHED_FREE: readonly Scenario[] = [
  {
    name: 'interior',
    type: 'char *',
    source: c`
data = (char *)malloc(40);
strcpy(data, "  leading blanks");`,
    sink: {
      buggy: c`
while (*data == ' ') data++;
puts(data);
free(data); /* BUG */`,
      clean: c`
char *word = data;
while (*word == ' ') word++;
puts(word);
free(data);`,
    },
  },
  {
    name: 'global',
    type: 'char *',
    prologue: c`static char fallback[32] = "fallback";`,
    source: { buggy: 'data = fallback;', clean: 'data = strdup(fallback);' },
    sink: c`
puts(data);
free(data); /* BUG */`,
  },
  {
    name: 'literal',
    type: 'const char *',
    source: { buggy: 'data = "constant";', clean: 'data = strdup("constant");' },
    sink: c`
puts(data);
free((void *)data); /* BUG */`,
  },
  {
    name: 'stackArray',
    type: 'int *',
    nested: true,
    source: {
      buggy: c`
int *local = (int *)alloca(16);
local[0] = 4;
data = local;`,
      clean: c`
data = (int *)malloc(16);
data[0] = 4;`,
    },
    prologue: '#include <alloca.h>',
    sink: c`
printf("%d\n", data[0]);
free(data); /* BUG */`,
  },
  {
    name: 'movedBack',
    type: 'long *',
    source: c`
data = (long *)calloc(6, sizeof(long));
data += 3;`,
    sink: {
      buggy: c`
data -= 2;
free(data); /* BUG */`,
      clean: c`
data -= 3;
free(data);`,
    },
  },
  {
    name: 'onePastTheEnd',
    type: 'char *',
    source: c`
data = (char *)malloc(16);
memset(data, 'x', 16);`,
    sink: {
      buggy: c`
char *end = data + 16;
while (data != end) putchar(*data++);
free(data); /* BUG */`,
      clean: c`
char *end = data + 16, *at = data;
while (at != end) putchar(*at++);
free(data);`,
    },
  },
  {
    name: 'headerOfOwnAllocator',
    type: 'void *',
    prologue: c`
struct header { size_t size; size_t magic; };

static void *own_alloc(size_t size) {
  struct header *header = (struct header *)malloc(sizeof *header + size);
  header->size = size;
  header->magic = 0x600d;
  return header + 1;
}

static void own_free(void *memory) {
  free((struct header *)memory - 1);
}`,
    source: c`
data = own_alloc(24);
memset(data, 1, 24);`,
    sink: { buggy: 'free(data); /* BUG */', clean: 'own_free(data);' },
  },
  {
    name: 'mapped',
    type: 'char *',
    prologue: '#include <sys/mman.h>',
    source: c`
data = (char *)mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
data[0] = 'm';`,
    sink: { buggy: 'free(data + 4096); /* BUG */', clean: 'munmap(data, 8192);' },
  },
  {
    name: 'reallocInterior',
    type: 'char *',
    source: { buggy: 'data = (char *)malloc(32) + 16;', clean: 'data = (char *)malloc(32);' },
    sink: c`
data = (char *)realloc(data, 64); /* BUG */
free(data);`,
  },
  {
    name: 'integer',
    type: 'void *',
    source: { buggy: 'data = (void *)0x1230;', clean: 'data = NULL;' },
    sink: 'free(data); /* BUG */',
  },
  {
    name: 'fromLibc',
    type: 'char *',
    source: {
      buggy: c`
setenv("SETTING", "value", 1);
data = getenv("SETTING");`,
      clean: c`
setenv("SETTING", "value", 1);
data = strndup(getenv("SETTING"), 3);`,
    },
    sink: c`
puts(data);
free(data); /* BUG */`,
  },
  {
    name: 'libraryBuffers',
    type: 'char *',
    source: c`
void *aligned = NULL;
posix_memalign(&aligned, 64, 100);
free(aligned);
char *line = NULL;
size_t size = 0;
FILE *file = open_memstream(&line, &size);
fputs("text", file);
fclose(file);
free(line);
asprintf(&data, "%d", 12345);`,
    sink: { buggy: 'free(data + 8); /* BUG */', clean: 'free(data);' },
  },
];

/** Through memory of all kinds. */
import { c } from '../scenario.js';
import { cFlow, NESTED } from './flow.js';
import type { Flow } from './flow.js';

export const PLACES: readonly Flow[] = [
  cFlow('global', c`@PROLOGUE@
static Data shared;

static void put(void) {
  Data data;
  @SOURCE@
  shared = data;
}

static void take(void) {
  Data data = shared;
  @SINK@
}

int main(void) {
  put();
  take();
  return 0;
}
`),
  cFlow('structMember', c`@PROLOGUE@
struct message { char kind; short tag; Data payload; int count; };

static void handle(struct message message) {
  Data data = message.payload;
  @SINK@
}

int main(void) {
  struct message message = { 'm', 7, 0, 1 };
  Data data;
  @SOURCE@
  message.payload = data;
  struct message copy = message;
  handle(copy);
  return 0;
}
`, NESTED),
  cFlow('arrayElement', c`@PROLOGUE@
static void use(Data *all, int which) {
  Data data = all[which];
  @SINK@
}

int main(void) {
  Data all[5] = { 0 };
  Data data;
  @SOURCE@
  all[3] = data;
  use(all + 1, 2);
  return 0;
}
`, NESTED),
  cFlow('union', c`@PROLOGUE@
union word { Data data; unsigned char bytes[sizeof(Data)]; };

int main(void) {
  union word from, to;
  Data data;
  @SOURCE@
  from.data = data;
  for (unsigned i = 0; i < sizeof(Data); i++) to.bytes[i] = from.bytes[i];
  data = to.data;
  @SINK@
  return 0;
}
`, NESTED),
  cFlow('memcpy', c`#include <string.h>
@PROLOGUE@
struct letter { long stamp; Data content; long end; };

int main(void) {
  struct letter letter, received;
  Data data;
  @SOURCE@
  letter.stamp = 1;
  letter.content = data;
  letter.end = 2;
  memcpy(&received, &letter, sizeof letter);
  data = received.content;
  @SINK@
  return 0;
}
`, NESTED),
  cFlow('reallocatedTable', c`#include <stdlib.h>
@PROLOGUE@
static Data *grow(Data *table, int from, int to) {
  table = (Data *)realloc(table, to * sizeof(Data));
  for (int i = from; i < to; i++) table[i] = 0;
  return table;
}

int main(void) {
  Data *table = grow(NULL, 0, 2);
  Data data;
  @SOURCE@
  table[1] = data;
  void *fence = malloc(64);
  table = grow(table, 2, 400);
  free(fence);
  data = table[1];
  free(table);
  @SINK@
  return 0;
}
`, NESTED),
  cFlow('linkedList', c`#include <stdlib.h>
@PROLOGUE@
struct node { struct node *next; Data content; };

static struct node *push(struct node *list, Data data) {
  struct node *node = (struct node *)malloc(sizeof *node);
  node->next = list;
  node->content = data;
  return node;
}

int main(void) {
  struct node *list = push(NULL, 0);
  Data data;
  @SOURCE@
  list = push(list, data);
  list = push(list, 0);
  data = list->next->content;
  while (list != NULL) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
  @SINK@
  return 0;
}
`, NESTED),
  cFlow('tagged', c`#include <stdint.h>
@PROLOGUE@
#define KEY ((uintptr_t)1 << 63)

static uintptr_t hide(Data data) {
  return (uintptr_t)data | KEY;
}

static Data reveal(uintptr_t word) {
  return (Data)(word & ~KEY);
}

int main(void) {
  Data data;
  @SOURCE@
  data = reveal(hide(data));
  @SINK@
  return 0;
}
`, { nested: true, pointers: true }),
];

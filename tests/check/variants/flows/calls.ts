/** From function to function. */
import { c } from '../scenario.js';
import { cFlow, NESTED } from './flow.js';
import type { Flow } from './flow.js';

export const CALLS: readonly Flow[] = [
  cFlow('direct', c`@PROLOGUE@
int main(void) {
  Data data;
  @SOURCE@
  @SINK@
  return 0;
}
`, NESTED),
  cFlow('argument', c`@PROLOGUE@
static void consume(Data data) {
  @SINK@
}

int main(void) {
  Data data;
  @SOURCE@
  consume(data);
  return 0;
}
`, NESTED),
  cFlow('returnValue', c`@PROLOGUE@
static Data produce(void) {
  Data data;
  @SOURCE@
  return data;
}

int main(void) {
  Data data = produce();
  @SINK@
  return 0;
}
`),
  cFlow('callChain', c`@PROLOGUE@
static void last(int weight, Data data) {
  if (weight != 3) return;
  @SINK@
}

static void third(Data data, int weight) {
  last(weight + 1, data);
}

static void second(int a, int b, int c, int d, int e, int f, int g, Data data) {
  third(data, a + b - g);
}

static void first(Data data) {
  second(1, 2, 3, 4, 5, 6, 1, data);
}

int main(void) {
  Data data;
  @SOURCE@
  first(data);
  return 0;
}
`, NESTED),
  cFlow('pointerToPointer', c`@PROLOGUE@
static void fill(Data *out) {
  Data data;
  @SOURCE@
  *out = data;
}

static void use(Data **where) {
  Data data = **where;
  @SINK@
}

int main(void) {
  Data slot;
  Data *way = &slot;
  fill(way);
  use(&way);
  return 0;
}
`),
  cFlow('callback', c`@PROLOGUE@
struct visitor {
  void (*visit)(struct visitor *self, Data data);
  int visits;
};

static void visit(struct visitor *self, Data data) {
  self->visits++;
  @SINK@
}

static void walk(struct visitor *visitor, Data data) {
  visitor->visit(visitor, data);
}

int main(void) {
  struct visitor visitor = { visit, 0 };
  Data data;
  @SOURCE@
  walk(&visitor, data);
  return visitor.visits != 1;
}
`, NESTED),
  cFlow('varargs', c`#include <stdarg.h>
@PROLOGUE@
static void consume(int count, ...) {
  va_list list;
  va_start(list, count);
  while (--count > 0) va_arg(list, int);
  Data data = va_arg(list, Data);
  va_end(list);
  @SINK@
}

int main(void) {
  Data data;
  @SOURCE@
  consume(8, 1, 2, 3, 4, 5, 6, 7, data);
  return 0;
}
`, NESTED),
  cFlow('recursion', c`@PROLOGUE@
static void descend(int depth, Data data) {
  if (depth > 0) {
    descend(depth - 1, data);
    return;
  }
  @SINK@
}

int main(void) {
  Data data;
  @SOURCE@
  descend(6, data);
  return 0;
}
`, NESTED),
  {
    name: 'otherUnit',
    nested: true,
    files: {
      'main.c': c`@PROLOGUE@
extern void (*consumer(void))(Data);

int main(void) {
  Data data;
  @SOURCE@
  consumer()(data);
  return 0;
}
`,
      'unit.c': c`@PROLOGUE@
static void consume(Data data) {
  @SINK@
}

void (*consumer(void))(Data) {
  return consume;
}
`,
    },
  },
];

/* Types and scopes of C. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum color { RED, GREEN = 5, BLUE };
enum { NAMELESS = 7 };
typedef unsigned long word;
typedef int (*binary)(int, int);
typedef struct point { int x, y; } point_t;
struct opaque;
struct node { struct node *next; const char *name; union { int i; float f; char bytes[4]; } value; enum color color; };
struct bits { unsigned a : 3; int b : 7; unsigned long long c : 40; unsigned char d : 1, e : 2; int plain; _Bool flag : 1; };
struct nested { struct { int inner; long deep; }; union { short s; char c; }; struct { char only; } named; point_t points[2][3]; };
struct flexible { int count; double values[]; };
struct callbacks { binary op; void (*done)(void *, struct node *); int *(*finders[3])(const char *, ...); char *(*(*strange)(int))[4]; };
struct __attribute__((packed)) packed { char c; int i; short s; };

int numbers[4] = { 1, 2, 3, 4 };
const char *const names[] = { "one", "two" };
volatile int ticking;
static const volatile word mask = 0xffff0000ul;
struct opaque *hidden;
struct node *list;
struct bits some_bits = { 5, -9, 123456789012ull, 1, 2, 42, 1 };
struct nested deep;
struct flexible *open_ended;
struct callbacks table;
struct packed tight;
float vector __attribute__((vector_size(16)));
long double wide = 1.5L;
_Complex double complex_one;
__int128 huge = 1;
char *restrict_user(char *restrict a, const char *restrict b);
int unprototyped();
_Thread_local int per_thread = 3;
_Atomic int counted;

static int add(int a, int b) {
  return a + b;
}

static int sum(int count, ...) {
  va_list arguments;
  int total = 0;
  va_start(arguments, count);
  for (int i = 0; i < count; i++) {
    int next = va_arg(arguments, int);
    total += next;
  }
  va_end(arguments);
  return total;
}

char *restrict_user(char *restrict a, const char *restrict b) {
  return strcpy(a, b);
}

int variable_length(int rows, int columns) {
  int grid[rows][columns];
  char line[columns + 1];
  static int calls = 0;
  calls++;
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++) {
      grid[row][column] = row * column;
    }
  memset(line, 'x', columns);
  line[columns] = 0;
  return grid[rows - 1][columns - 1] + (int)strlen(line) + calls;
}

double mixed(float single, double twice, char letter, short small, unsigned char byte, long big, point_t where, struct node *node, binary op) {
  double result = single * twice + letter;
  if (small > 3) {
    long result = big + byte;
    {
      int shadow = (int)result;
      where.x += shadow;
    }
    where.y += op(where.x, 1);
  } else {
    unsigned other = byte;
    where.x = other;
  }
  return result + where.x + where.y + (node ? node->value.i : 0);
}

int unprototyped() {
  return NAMELESS;
}

struct point make_point(int x, int y) {
  struct point made = { x, y };
  return made;
}

int recurse(int depth) {
  int here = depth * 10;
  if (depth == 0) return here;
  return recurse(depth - 1) + here;
}

int main(int argc, char **argv) {
  struct node first = { 0, "first", { 1 }, GREEN }, second = { &first, "second", { 2 }, BLUE };
  point_t where = make_point(3, 4);
  binary op = add;
  char buffer[16];
  list = &second;
  table.op = op;
  deep.inner = 1;
  restrict_user(buffer, names[1]);
  printf("%d\n", sum(3, 1, 2, 3));
  printf("%d\n", variable_length(3, 4));
  printf("%g\n", mixed(1.5f, 2.5, 'a', 4, 200, 1L << 40, where, list, op));
  printf("%d %d %d\n", unprototyped(), recurse(3), per_thread + argc + counted);
  return (int)(mask >> 48) + (argv == 0) + vector[0] + huge - 1;
}

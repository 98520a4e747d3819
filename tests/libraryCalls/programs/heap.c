/* Calls of library functions in all the ways there are: directly, by a tail call, through a pointer, from a library,
   in recursion, and out of which longjmp leads. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char target[64] = "nothing";
int x;
long updates;
static char *blocks[8];
static jmp_buf out;

__attribute__((noinline)) void release(void *p) { free(p); }

__attribute__((noinline)) char *copied(const char *text) {
  char *p = malloc(strlen(text) + 1);
  return strcpy(p, text);
}

__attribute__((noinline)) static void put(int value) { memcpy(&x, &value, sizeof x); }

/* What it calls writes, sometimes. */
__attribute__((noinline)) int update(int depth) {
  updates++;
  if (depth == 3) put(depth * 100 + (int)updates);
  if (depth == 0) {
    if (updates % 5 == 0) longjmp(out, 1);
    return 7;
  }
  return update(depth - 1) + depth;
}

__attribute__((noinline)) double scaled(double a, int n, double b) { return a * n + b; }

__attribute__((noinline)) long many(long a, long b, long c, long d, long e, long f, long g, long h) { return a + b + c + d + e + f + g - h; }

static int byName(const void *a, const void *b) {
  char *first = copied(*(char *const *)a), *second = copied(*(char *const *)b);
  int order = strcmp(first, second);
  release(second);
  release(first);
  return order;
}

int main(void) {
  void (*volatile give)(void *) = free;
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 8; i++) blocks[i] = malloc(16 * (i % 3 + 1 + round));
    for (int i = 0; i < 8; i += 2) release(blocks[i]);
    for (int i = 1; i < 8; i += 4) give(blocks[i]);
    for (int i = 3; i < 8; i += 4) free(blocks[i]);
  }
  const char *names[] = {"peach", "apple", "plum", "cherry"};
  qsort(names, 4, sizeof *names, byName);
  for (int i = 0; i < 4; i++) strcpy(target + 8 * i, names[i]);
  for (int i = 0; i < 6; i++) memcpy(target + 4 * i, names[i % 4], i + 1);
  for (int i = 0; i < 4; i++) put(i * i);
  for (volatile int i = 0; i < 4; i++) if (setjmp(out) == 0) update(i);
  for (int i = 0; i < 4; i++) if (scaled(i * 0.5, i, 1.25) < 0 || many(1, 2, 3, 4, 5, 6, 7 + i, 8 - i) < 0) return 1;
  printf("%s %d %ld\n", target, x, updates);
  free(0);
  return 0;
}

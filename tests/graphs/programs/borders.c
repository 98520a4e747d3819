/* Functions whose borders are not obvious: calls that do not return, cold parts, calls in place of returns, longjmp. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))
static int sink;
static jmp_buf target;
NOINLINE static void note(int value) { sink = sink * 31 + value; }

/* Never returns, which only its code says. */
NOINLINE static void fail(int code) {
  note(code);
  longjmp(target, code);
}

/* Never returns, by what it calls. */
NOINLINE static void failLater(int code) {
  note(code + 1);
  fail(code);
}

NOINLINE static int guarded(int x, int y) {
  if (x == 1) failLater(3);
  if (x == 2) fail(4);
  if (__builtin_expect(x == 3, 0)) {
    note(x);
    for (int i = 0; i < y; i++) note(i);
    fprintf(stderr, "");
    x += y;
  }
  if (x == 4) {
    note(9);
    abort();
  }
  return x * y;
}

NOINLINE static int even(unsigned n);
NOINLINE static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
NOINLINE static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }

NOINLINE static int recursive(int n) {
  if (n < 2) return n;
  int first = recursive(n - 1);
  note(first);
  return first + recursive(n - 2);
}

/* In optimised code the way to the error is a part elsewhere. */
__attribute__((cold, noinline)) static void complain(int value) { note(-value); }
NOINLINE static int careful(int *values, int count) {
  int sum = 0;
  for (int i = 0; i < count; i++) {
    if (__builtin_expect(values[i] < 0, 0)) {
      complain(values[i]);
      values[i] = 0;
      if (i > 5) complain(i);
    }
    sum += values[i];
    if (sum > 1000) {
      complain(sum);
      exit(3);
    }
  }
  return sum;
}

static int compareNumbers(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(void) {
  long total = 0;
  for (volatile int i = 0; i < 4; i++) {
    int code = setjmp(target);
    if (code == 0) total += guarded(i, 5);
    else total += code;
  }
  total += even(9) + recursive(8);
  int values[] = { 3, -1, 7, 100, -50, 8, 4, -9 };
  total += careful(values, 8);
  qsort(values, 8, sizeof values[0], compareNumbers);
  char text[64];
  memset(text, 'x', sizeof text);
  memmove(text + 3, text, 50);
  snprintf(text, sizeof text, "%5.2f %s %c %x %-8ld|%p", 3.25, "abc", 'q', 77, total, (void *)0);
  puts(text);
  free(strdup(text));
  printf("%ld %d %d\n", total, sink, values[3]);
  return 0;
}

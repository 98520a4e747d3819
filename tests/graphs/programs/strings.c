/* Ways through hand-written code of the C library: copies of every short length, and the return from a handler. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 40 };

static volatile int got;

static void handler(int number) {
  got = number;
}

int main(void) {
  char from[LONGEST + 1];
  char to[LONGEST * 2];
  unsigned long sum = 0;
  for (int length = 0; length < LONGEST; length++) {
    memset(from, 'a', length);
    from[length] = 0;
    for (int size = 0; size < LONGEST; size++) {
      memset(to, 'x', sizeof to);
      strncpy(to + length % 3, from, size);
      sum = sum * 31 + (unsigned char)to[size] + strnlen(to, LONGEST) + memcmp(to, from, size) + strncmp(to, from, length);
    }
  }
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  printf("%lu %d\n", sum, got);
}

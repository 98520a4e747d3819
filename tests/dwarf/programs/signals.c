/* A handler on top of a faulting instruction, and one on top of a library. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static sigjmp_buf back;
static volatile int seen;

static void handler(int signal) {
  int twice = signal * 2;
  seen = twice;
  if (signal == SIGSEGV) siglongjmp(back, 1);
}

static int compare(const void *a, const void *b) {
  int left = *(const int *)a, right = *(const int *)b;
  return left - right;
}

static int fault(int *where, int value) {
  int before = value + 1;
  *where = before;
  return before;
}

int main(void) {
  int numbers[] = { 3, 1, 2 };
  signal(SIGSEGV, handler);
  signal(SIGUSR1, handler);
  if (sigsetjmp(back, 1) == 0) fault((int *)8, 41);
  raise(SIGUSR1);
  qsort(numbers, 3, sizeof numbers[0], compare);
  return numbers[0] - 1;
}

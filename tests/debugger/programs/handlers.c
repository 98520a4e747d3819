#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static jmp_buf back;
static volatile int handled;

static void handler(int number) {
  handled += number;
  handled++;
}

static void leave(int n) {
  if (n == 0)
    longjmp(back, 7);
  leave(n - 1);
}

static int guarded(void) {
  int code = setjmp(back);
  if (code == 0)
    leave(3);
  return code;
}

int main(void) {
  signal(SIGCHLD, handler);
  handled = 1;
  raise(SIGCHLD);
  handled = 2;
  int code = guarded();
  printf("%d %d\n", handled, code);
  return 0;
}

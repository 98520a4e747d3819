/* Control that comes and goes in unusual ways: handlers in the middle of a line, longjmp, tail calls. */
#include <setjmp.h>
#include <signal.h>

static volatile int handled;
static jmp_buf place;

static int plus(int a, int b) { return a + b; }

static void on_signal(int number) {
  handled += number; handled = plus(handled, 1);
}

static int deep(int n) {
  if (n == 0) longjmp(place, 1);
  return deep(n - 1) + n;
}

__attribute__((noinline)) static int last(int n) { return n * 3; }
__attribute__((noinline)) static int tail(int n) { handled++; return last(n + 1); }

volatile int sink;

int main(void) {
  signal(SIGUSR1, on_signal);
  for (int i = 0; i < 3; i++) sink = plus(i, raise(SIGUSR1)) + plus(handled, 2);
  for (int i = 0; i < 3; i++) {
    if (setjmp(place) == 0) sink += deep(i + 1); else sink--;
  }
  for (int i = 0; i < 3; i++) sink += tail(i) + tail(sink);
  return 0;
}

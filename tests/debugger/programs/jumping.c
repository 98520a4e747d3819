// Functions that end by jumping to another one: one way that they can have come, or several.
#include <signal.h>

volatile int depth, sink;

__attribute__((noinline)) void end(int n) {
  sink = n;
  if (n > 100) raise(SIGTRAP);
  sink++;
}

__attribute__((noinline)) void middle(int n) {
  depth = n + 1;
  end(n + 20);
}

static inline __attribute__((always_inline)) void inlined(int n) {
  depth += n;
  middle(n * 2);
}

__attribute__((noinline)) void begin(int n) {
  sink = n;
  inlined(n + 1);
}

__attribute__((noinline)) void either(int n) {
  if (n & 1) middle(n);
  else end(n + 2);
}

__attribute__((noinline)) void both(int n) {
  depth = n;
  either(n + 1);
}

__attribute__((noinline)) static void loop(int n) {
  if (depth++ < 5) loop(n + 3);
  else end(n);
}

int main(void) {
  begin(3);
  sink = 0;
  both(6);
  sink = 0;
  both(7);
  sink = 0;
  loop(4);
  sink = 0;
  begin(60);
  return 0;
}

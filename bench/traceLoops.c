/* The program of the thesis's micro-benchmarks (Khoo, Figure 4.8): foo is called 16 x LOOP_I times, bar 24 times as often. Each
   foo(x, y) has the bar(y) that belongs to it a few calls before. */
#ifndef LOOP_I
#define LOOP_I 16
#endif
#define LOOP_J 16
#define LOOP_K 16
#define LOOP_L 8

int last;

__attribute__((noinline)) void foo(int x, int y) {}
__attribute__((noinline)) void bar(int z) { last = z; }

int main(void) {
  for (int i = 0; i < LOOP_I; i++) {
    for (int j = 0; j < LOOP_J; j++) {
      for (int k = 0; k < LOOP_K; k++) bar(i * LOOP_K + k);
      foo(i, i * LOOP_J + j);
      for (int l = 0; l < LOOP_L; l++) bar(i * LOOP_L + l);
    }
  }
  return 0;
}

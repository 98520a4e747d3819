/* Compiled without optimisation: nested loops, array indices, doubles. Every variable is in memory. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 96 };
static double a[N][N], b[N][N], c[N][N];

static void multiply(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = i + j;
      b[i][j] = i - j;
    }
  for (int round = 0; round < rounds; round++) {
    multiply();
    for (int i = 0; i < N; i++) a[i][i] = c[i][N - 1 - i] / (1 << 20);
  }
  printf("%.6f %.6f\n", c[1][2], c[N - 1][N - 1]);
  return 0;
}

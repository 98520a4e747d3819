/* Loops that do the same over and over, with what changes in between: calls, memory, conditions, calls of libraries. */
#include <string.h>

static int table[64], counts[8];
static char text[64];
static double real;

static int mixed(int i, int j) { return (i * 7 + j * 3) & 63; }

int main(void) {
  for (int i = 0; i < 64; i++) table[i] = i;
  int sum = 0, other = 0;
  for (int i = 0; i < 400; i++) {
    for (int j = 0; j < 4; j++) {
      int at = mixed(i, j);
      table[at] += table[(at + i) & 63];
      if (table[at] & 1) sum += at;
      else if (i % 50 == 0) counts[j] += sum;
      else other ^= table[at];
    }
    if (i % 16 == 0) memset(text + (i & 31), i, 9);
    if (i % 100 == 99) { table[5] = counts[2]; real = real * 2 + i; }
    switch (i % 5) {
      case 0: other += text[i & 31]; break;
      case 1: sum -= 1; break;
      case 2: real += sum; break;
      case 3: counts[i & 7]++;
      default: other--;
    }
  }
  return (sum + other + table[9] + (int)real) & 0x7f;
}

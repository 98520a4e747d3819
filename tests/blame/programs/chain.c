#include <stdio.h>
#define APART __attribute__((noipa))
volatile long source;
      APART long twice(long x) { return x * 2; }
      long table[4];
      int main(void) {
        source = 1L << 40;
        table[1] = twice(source) + 1;
        printf("%d\n", *(int *)table[1]);
        puts("end");
        return 0;
      }

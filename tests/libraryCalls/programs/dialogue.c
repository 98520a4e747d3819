/* Asks, and answers what was typed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int factor = 2;

int main(void) {
  char line[80];
  long sum = 0;
  setvbuf(stdin, NULL, _IONBF, 0);
  while (fgets(line, sizeof line, stdin) != NULL) {
    sum += factor * atol(line);
    printf("sum %ld\n", sum);
    fflush(stdout);
    if (sum < 0) {
      if (fgets(line, sizeof line, stdin) != NULL) printf("really %s", line);
      return 3;
    }
  }
  return 0;
}

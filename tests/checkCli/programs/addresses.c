/* Memory with several addresses: variables and blocks that are written by pointers and by name. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int table[4];

static void bump(int *p) {
  *p += 1; /* bump */
}

int main(void) {
  int local = 1;
  int *p = &local;
  *p = 5;
  local = 9; /* local */
  int *q = &table[1];
  *q = 21;
  table[1] = 22; /* global */

  int *old = malloc(24);
  old[0] = 31; /* old */
  free(old);
  int *block = malloc(24); /* the memory of old again */
  block[1] = 2; /* block */
  int pipes[2];
  if (pipe(pipes) != 0 || write(pipes[1], "abcd", 4) != 4) return 1;
  if (read(pipes[0], block, 4) != 4) return 1; /* kernel */
  int *grown = realloc(block, 30); /* stays where it is */
  bump(&grown[2]);
  int *copy = malloc(24);
  memset(copy, 0, 24);
  write(1, "", 0); /* here */
  bump(p);
  bump(q);
  bump(grown);
  return 0; /* end */
}

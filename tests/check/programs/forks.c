/* Children of children, while functions have variables on several pages, and have had others there. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int fill(char *row, int count, int with) {
  memset(row, with, count);
  return row[count - 1];
}

static int work(int depth) {
  char large[5000], small[40];
  int sum = fill(large, sizeof large, depth) + fill(small, sizeof small, 1);
  return depth > 0 ? sum + work(depth - 1) : sum;
}

static int generations(int count) {
  char own[3000];
  int sum = fill(own, sizeof own, count) + work(count % 3);
  if (count == 0) return sum;
  pid_t child = fork();
  if (child == 0) _exit(generations(count - 1) & 63);
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status) + work(5) + own[7];
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 6000; i++) sum += work(i % 5);
  printf("%d %d\n", sum, generations(5));
  return 0;
}

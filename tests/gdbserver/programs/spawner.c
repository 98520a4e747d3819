/* A process starts another program by posix_spawn, which uses vfork, and waits for it; twice. */
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

static int spawned(int child) {
  int status;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

int main(int argc, char **argv) {
  if (argc > 1) return 3;
  char *args[] = {argv[0], "child", NULL};
  int sum = 0;
  for (int i = 0; i < 2; i++) {
    pid_t child;
    if (posix_spawn(&child, argv[0], NULL, NULL, args, environ) != 0) abort();
    sum += spawned(child);
  }
  return sum;
}

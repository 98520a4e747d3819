/* A process starts another program by posix_spawn, which uses vfork, and waits for it. */
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
  pid_t child;
  if (posix_spawn(&child, argv[0], NULL, NULL, args, environ) != 0) abort();
  return spawned(child);
}

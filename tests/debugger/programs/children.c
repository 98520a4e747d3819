#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int child_work(int n) {
  return n + 1;
}

int main(int argc, char **argv) {
  if (argc > 1)
    return child_work(argc);
  pid_t pid = fork();
  if (pid == 0) {
    execl(argv[0], argv[0], "again", (char *)NULL);
    _exit(127);
  }
  int status;
  waitpid(pid, &status, 0);
  return WEXITSTATUS(status) == 3 ? 0 : 1;
}

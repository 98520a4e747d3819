// Two children: one goes on as it is, the other one becomes another program, which is this one with an argument.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *what) {
  puts(what);
  fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc > 1) return say(argv[1]), 0;
  if (fork() == 0) return say("child"), 0;
  wait(NULL);
  if (fork() == 0) return execl("/proc/self/exe", argv[0], "program", NULL);
  wait(NULL);
  say("parent");
  return 0;
}

/*
 * cpuTime REPORT PROGRAM ARG...: runs a program and writes what it took to a file: microseconds of
 * user and of system time, and peak memory in KiB. A small process of its own, because a child
 * inherits the peak of the process that forked it, and Node's is large.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long microseconds(struct timeval t) { return t.tv_sec * 1000000L + t.tv_usec; }

int main(int argc, char **argv) {
  if (argc < 3) return 125;
  pid_t pid = fork();
  if (pid < 0) return 125;
  if (pid == 0) {
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (wait4(pid, &status, 0, &usage) != pid) return 125;
  FILE *report = fopen(argv[1], "w");
  if (report == NULL) return 125;
  fprintf(report, "%ld %ld %ld\n", microseconds(usage.ru_utime), microseconds(usage.ru_stime), usage.ru_maxrss);
  if (fclose(report) != 0) return 125;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#define APART __attribute__((noipa))
volatile long source;
#include <fcntl.h>
int main(void) {
  char name[] = "/tmp/suppressedXXXXXX"; int fd = mkstemp(name);
  source = 1L << 42;
  FILE *out = fdopen(dup(fd), "w");
  fwrite("clean!!", 1, 8, out); fwrite((void *)&source, 1, 8, out); fclose(out);
  lseek(fd, 0, SEEK_SET);
  FILE *in = fdopen(fd, "r"); char first[8]; long got = 0;
  fread(first, 1, 8, in); fread(&got, 1, 8, in);
  printf("%s\n", first);
  printf("%d\n", *(int *)got);
  unlink(name);
  puts("end");
  return 0;
}

/*
 * All that has a name has one that controls terminals and forges lines: the file of the source, a symbol, a thread, files that are opened and mapped. Arguments and
 * the program's own name are for who starts it.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define EVIL "\033[31m\nFORGED \302\233 \377"

int count;
int evil_symbol __asm__("\"ev\033[31mil\"") = 1;
void evil_function(int argc) __asm__("\"f\033]0;title\007\"");

#line 100 "ev\033[31mil\nFORGED.c"
__attribute__((noinline)) void evil_function(int argc) {
  count += argc;
  evil_symbol = count;
}

int main(int argc, char **argv) {
  prctl(PR_SET_NAME, "t\033[2J\nFORGED");
  int fd = open("f" EVIL, O_RDWR | O_CREAT, 0600);
  write(fd, EVIL, strlen(EVIL));
  char *mapped = mmap(0, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  evil_function(argc + (mapped[0] == 0));
  write(1, EVIL "\n", sizeof EVIL);
  char *block = malloc(8);
  block[8 + (count & 0)] = 1;
  *(volatile int *)0 = count;
}

/* Executes itself by /proc/self/exe when its file cannot be reached by its name any more: HOW DIRECTORY. */
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv) {
  char first[4];
  if (argc < 3) {
    int fd = open("/proc/self/exe", O_RDONLY);
    printf("again, as %s\n", read(fd, first, 4) == 4 && memcmp(first, "\177ELF", 4) == 0 ? "a program" : "nothing");
    return 0;
  }
  if (strcmp(argv[1], "closed") == 0 && chmod(argv[2], 0) != 0) perror("chmod");
  if (strcmp(argv[1], "deleted") == 0 && unlink(argv[0]) != 0) perror("unlink");
  if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0)) perror("setuid");
  execl("/proc/self/exe", "again", NULL);
  perror("execl");
  return 1;
}

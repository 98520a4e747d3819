// Files that change while they are mapped: by write, by another mapping, by another process, by truncation; pages that only the
// kernel has looked at before.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

static int makeFile(const char *name, char letter, int pages) {
  int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  char page[PAGE];
  for (int i = 0; i < pages; i++) {
    memset(page, letter + i, PAGE);
    write(fd, page, PAGE);
  }
  return fd;
}

static char *mapFile(int fd, int pages, int flags) {
  return mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, flags, fd, 0);
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  int fd = makeFile("one", 'a', 4);
  char *shared = mapFile(fd, 4, MAP_SHARED), *private = mapFile(fd, 4, MAP_PRIVATE);
  // Before anybody has looked at it.
  pwrite(fd, "first", 5, PAGE);
  printf("%.6s\n", shared + PAGE);
  // The kernel is the first to look at a page that has changed.
  pwrite(fd, "kernel", 6, 3 * PAGE);
  write(1, private + 3 * PAGE, 7);
  // The kernel looks at a page of the private mapping, which then is as it is.
  write(1, private + 2 * PAGE, 3);
  pwrite(fd, "second", 6, 2 * PAGE);
  printf(" %.7s %.3s\n", shared + 2 * PAGE, private + 2 * PAGE);
  memcpy(shared + 3 * PAGE, "third", 5);
  printf("%.6s\n", private + 3 * PAGE);
  private[3] = 'P';
  pwrite(fd, "fourth", 6, 0);
  printf("%.7s %.7s\n", shared, private);
  if (fork() == 0) {
    int other = open("one", O_RDWR);
    pwrite(other, "child", 5, PAGE);
    char *map = mapFile(other, 4, MAP_SHARED);
    map[PAGE + 5] = '!';
    _exit(map[0]);
  }
  int status;
  wait(&status);
  printf("%d %.8s %.8s\n", WEXITSTATUS(status), shared + PAGE, private + PAGE);
  // What was beyond the end is zero when the file grows again.
  int small = makeFile("two", 'x', 2);
  char *map = mapFile(small, 2, MAP_SHARED);
  map[PAGE] = 'y';
  ftruncate(small, 100);
  ftruncate(small, 2 * PAGE);
  printf("%d %d %c\n", map[PAGE], map[100], map[99]);
  // A file that is longer than anybody knew when it was mapped.
  int growing = makeFile("three", 'k', 1);
  map = mapFile(growing, 3, MAP_SHARED);
  pwrite(growing, "grown", 5, 2 * PAGE);
  write(1, map + 2 * PAGE, 5);
  printf("%s %c\n", map + 2 * PAGE, map[0]);
  msync(map, 3 * PAGE, MS_SYNC);
  munmap(map, 3 * PAGE);
  char text[8] = "";
  pread(growing, text, 5, 2 * PAGE);
  printf("%s\n", text);
  return 0;
}

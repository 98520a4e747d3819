/* System calls that get too large a block, or one that is gone. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int fd = open(argv[0], O_RDONLY);
  char *block = malloc(10);
  read(fd, block, 10);
  read(fd, block, 100); // MARK: read
  char *path = malloc(4);
  memcpy(path, "/tmp", 4);
  access(path, R_OK); // MARK: path
  char *gone = strdup("gone");
  free(gone);
  write(1, gone, 4); // MARK: write
  char *other = malloc(16);
  struct iovec vectors[2] = {{block, 10}, {other, 17}};
  writev(fd, vectors, 2);
  readv(fd, vectors, 2); // MARK: vector
  free(other);
  free(block);
  free(path);
  /* What belongs to no block is the program's own affair. */
  return write(1, NULL, 5) == -1 ? 0 : 1;
}

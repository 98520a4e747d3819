// Reads that bring less than there is room for: what comes after it is as it was.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define SIZE 16
#define GOT 4

static int used;

#define look(bytes, at) if ((bytes)[at] == 'x') used++

static char *room(void) { return malloc(SIZE); }

int main(void) {
  int ends[2], sockets[2];
  pipe(ends);
  socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
  FILE *stream = tmpfile();
  int file = fileno(stream);
  write(file, "four", GOT);

  char *bytes = room();
  write(ends[1], "four", GOT);
  read(ends[0], bytes, SIZE);
  look(bytes, GOT - 1);
  look(bytes, GOT); // MARK: read

  bytes = room();
  pread(file, bytes, SIZE, 0);
  look(bytes, GOT - 1);
  look(bytes, GOT); // MARK: pread

  bytes = room();
  struct iovec one[1] = {{bytes, SIZE}};
  preadv(file, one, 1, 0);
  look(bytes, GOT - 1);
  look(bytes, GOT); // MARK: preadv

  bytes = room();
  char *other = room();
  struct iovec two[2] = {{bytes, 2}, {other, SIZE}};
  write(ends[1], "four", GOT);
  readv(ends[0], two, 2);
  look(bytes, 1);
  look(other, 1);
  look(other, 2); // MARK: readv

  bytes = room();
  write(sockets[1], "four", GOT);
  recv(sockets[0], bytes, SIZE, 0);
  look(bytes, GOT - 1);
  look(bytes, GOT); // MARK: recv

  bytes = room();
  other = room();
  struct iovec parts[2] = {{bytes, 2}, {other, SIZE}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  write(sockets[1], "four", GOT);
  recvmsg(sockets[0], &message, 0);
  look(bytes, 1);
  look(other, 1);
  look(other, 2); // MARK: recvmsg
  return 0;
}

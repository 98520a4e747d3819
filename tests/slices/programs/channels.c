/* Bytes that are no other, through everything that carries bytes, in pieces that do not fit each other. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned state = 1;
static unsigned char out[600], in[600], many[3][9000];
static int total, ends[2];

static void *writer(void *given) {
  long which = (long)given;
  write(ends[1], many[which], 3000 + which * 100);
  return 0;
}

/* Large writes wait for room, and are read while they do. */
static void *large(void *given) {
  write(ends[1], many, sizeof many);
  return 0;
}

static void fill(unsigned char *bytes, int count) {
  for (int i = 0; i < count; i++) bytes[i] = state = state * 1103515245 + 12345 + i, bytes[i] ^= state >> 16;
}

static void readAll(int fd, int count, int piece) {
  while (count > 0) {
    int got = read(fd, in, piece < count ? piece : count);
    if (got <= 0) break;
    total += in[got - 1];
    count -= got;
  }
}

int main(void) {
  pipe(ends);
  fill(out, sizeof out);
  write(ends[1], out, 100);
  write(ends[1], out + 200, 50);
  readAll(ends[0], 60, 7);
  write(ends[1], out + 10, 30);
  readAll(ends[0], 120, 50);

  pid_t child = fork();
  if (child == 0) {
    fill(out, 300);
    struct iovec parts[3] = { { out, 5 }, { out + 100, 0 }, { out + 150, 100 } };
    writev(ends[1], parts, 3);
    _exit(0);
  }
  struct iovec parts[2] = { { in + 500, 3 }, { in, 60 } };
  int got = readv(ends[0], parts, 2);
  readAll(ends[0], 105 - got, 40);
  waitpid(child, 0, 0);

  char path[64];
  sprintf(path, "/tmp/culprit-channels-%d", getpid());
  int one = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600), two = open(path, O_RDWR | O_APPEND);
  unlink(path);
  write(one, out, 200);
  write(two, out + 300, 100);
  lseek(one, 150, SEEK_SET);
  readAll(one, 100, 33);
  pwrite(one, out + 400, 60, 20);
  pread(two, in, 90, 0);
  ftruncate(one, 40);
  pwrite(one, out + 7, 20, 60);
  lseek(two, 0, SEEK_SET);
  readAll(two, 80, 80);
  off_t from = 10;
  sendfile(ends[1], one, &from, 25);
  loff_t place = 5;
  splice(ends[0], 0, one, &place, 12, 0);
  readAll(ends[0], 13, 13);
  pread(one, in, 30, 0);

  int pair[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
  send(pair[0], out + 50, 70, 0);
  send(pair[1], out + 80, 20, 0);
  recv(pair[1], in, 10, MSG_PEEK);
  recv(pair[1], in, 40, 0);
  struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
  recvmsg(pair[1], &message, 0);
  recv(pair[0], in, 100, 0);
  int packets[2];
  socketpair(AF_UNIX, SOCK_SEQPACKET, 0, packets);
  send(packets[0], out, 30, 0);
  send(packets[0], out + 30, 40, 0);
  recv(packets[1], in, 20, 0);
  recv(packets[1], in, 60, 0);

  int memory = memfd_create("kept", 0);
  write(memory, out + 100, 64);
  lseek(memory, 8, SEEK_SET);
  read(memory, in, 20);
  unsigned char *seen = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  total += seen[3];
  seen[5] = total;
  pread(memory, in, 10, 0);

  fill(many[0], sizeof many);
  pthread_t threads[3];
  for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, writer, (void *)i);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  readAll(ends[0], 9300, 500);
  fcntl(ends[1], F_SETPIPE_SZ, 4096);
  pthread_create(&threads[0], 0, large, 0);
  readAll(ends[0], sizeof many, 600);
  pthread_join(threads[0], 0);
  return (total + in[0]) & 0x7f;
}

// memfd seals, close_range, getrandom, and calls that are to fail.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int seal(int fd, int seals) {
  return fcntl(fd, F_ADD_SEALS, seals) == 0 ? 0 : -errno;
}

static void sealing(void) {
  int plain = memfd_create("plain", 0);
  printf("not sealable %x", fcntl(plain, F_GET_SEALS));
  printf(" %d\n", seal(plain, F_SEAL_WRITE));
  int fd = memfd_create("sealed", MFD_ALLOW_SEALING | MFD_CLOEXEC);
  printf("sealable %x\n", fcntl(fd, F_GET_SEALS));
  write(fd, "hello", 5);
  printf("shrink %d", seal(fd, F_SEAL_SHRINK));
  printf(" %x", fcntl(fd, F_GET_SEALS));
  printf(", smaller %d", ftruncate(fd, 2) ? -errno : 0);
  printf(", larger %d\n", ftruncate(fd, 8192) ? -errno : 0);
  printf("grow %d", seal(fd, F_SEAL_GROW));
  printf(", larger %d", ftruncate(fd, 9000) ? -errno : 0);
  ssize_t n = pwrite(fd, "x", 1, 8192);
  printf(", write beyond %zd", n < 0 ? -errno : n);
  n = pwrite(fd, "abcd", 4, 8190);
  printf(", write across %zd\n", n < 0 ? -errno : n);
  // Through another descriptor.
  char path[64];
  sprintf(path, "/proc/self/fd/%d", fd);
  int reader = open(path, O_RDONLY);
  char first[6] = { 0 };
  read(reader, first, 5);
  printf("opened again: %s, seal %d", first, seal(reader, F_SEAL_WRITE));
  n = write(reader, "x", 1);
  printf(", write %zd\n", n < 0 ? -errno : n);
  char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  printf("write while mapped %d", seal(fd, F_SEAL_WRITE));
  printf(", future %d", seal(fd, F_SEAL_FUTURE_WRITE));
  map[0] = 'j';
  printf(", old mapping works");
  printf(", new one %d", mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED ? 0 : -errno);
  n = pwrite(fd, "x", 1, 0);
  printf(", write %zd\n", n < 0 ? -errno : n);
  munmap(map, 4096);
  printf("write %d", seal(fd, F_SEAL_WRITE));
  printf(" %x", fcntl(fd, F_GET_SEALS));
  char text[6] = { 0 };
  pread(fd, text, 5, 0);
  printf(" %s", text);
  char *shared = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0), *private = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  printf(", read %d private %d", shared != MAP_FAILED, private != MAP_FAILED);
  printf(", mprotect %d", mprotect(shared, 4096, PROT_READ | PROT_WRITE));
  printf(" %d\n", errno);
  printf("seal %d", seal(fd, F_SEAL_SEAL));
  printf(", more %d\n", seal(fd, F_SEAL_GROW));
  printf("unknown %d, file %d\n", seal(memfd_create("x", MFD_ALLOW_SEALING), 0x1000), seal(open("/etc/passwd", O_RDONLY), F_SEAL_SEAL));
  int noexec = memfd_create("x", 8);
  struct stat st;
  fstat(noexec, &st);
  printf("no exec: seals %x mode %o\n", fcntl(noexec, F_GET_SEALS), st.st_mode);
  printf("flags %d", memfd_create("x", 0x100));
  char name[260];
  memset(name, 'n', 259), name[259] = 0;
  printf(" %d name %d", errno, memfd_create(name, 0));
  printf(" %d\n", errno);
}

static int is_open(int fd) {
  return fcntl(fd, F_GETFD) >= 0;
}

static void ranges(void) {
  for (int i = 20; i < 30; i++) dup2(0, i);
  printf("close %ld:", syscall(SYS_close_range, 22, 24, 0));
  for (int i = 20; i < 30; i++) printf("%d", is_open(i));
  printf("\nclose on exec %ld:", syscall(SYS_close_range, 25, 26, 4));
  for (int i = 20; i < 30; i++) printf(" %d", is_open(i) ? fcntl(i, F_GETFD) : -1);
  printf("\nunshare %ld:", syscall(SYS_close_range, 27, ~0u, 2));
  for (int i = 20; i < 30; i++) printf("%d", is_open(i));
  printf("\norder %ld", syscall(SYS_close_range, 9, 8, 0));
  printf(" %d, flags %ld", errno, syscall(SYS_close_range, 100, 200, 8));
  printf(" %d, nothing there %ld\n", errno, syscall(SYS_close_range, 100, 200, 0));
}

static void random_bytes(void) {
  unsigned char a[32] = { 0 }, b[32] = { 0 };
  printf("getrandom %zd %zd", getrandom(a, 32, 0), getrandom(b, 32, GRND_NONBLOCK | GRND_RANDOM));
  printf(" differ %d", memcmp(a, b, 32) != 0);
  printf(", none %zd, flags %zd", getrandom(a, 0, 0), getrandom(a, 1, 0x10));
  printf(", both %zd", getrandom(a, 1, GRND_RANDOM | GRND_INSECURE));
  printf(" %d", errno);
  printf(", fault %zd", getrandom((void *)8, 1, 0));
  printf(" %d\n", errno);
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  sealing();
  ranges();
  random_bytes();
  return 0;
}

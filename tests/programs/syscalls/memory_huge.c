/* Files and reservations far larger than memory: only what is used of them counts. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>
#include "check.h"

#define GIB (1L << 30)
// Modulo 2 GiB it is not where libraries lie.
#define PLACE ((1L << 44) - (64L << 20))

static void show(int file, long offset) {
  char bytes[2] = "??";
  WORKS(pread(file, bytes, 2, offset));
  printf("  at %ld: %d %d\n", offset, bytes[0], bytes[1]);
}

int main(void) {
  int file = memfd_create("huge", 0);
  CALL(ftruncate(file, 20000000000L));
  CALL(lseek(file, 0, SEEK_END));
  CALL(pwrite(file, "ab", 2, 19999999990L));
  show(file, 19999999990L);
  show(file, 10000000000L);
  CALL(ftruncate(file, 19999999991L));
  CALL(ftruncate(file, 30 * GIB));
  show(file, 19999999990L);
  CALL(pwrite(file, "cd", 2, 5));
  char *window = mmap(0, GIB, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  printf("mapped: %d %d\n", window[5], window[6]);
  window[100] = 7;
  CALL(madvise(window, GIB, MADV_REMOVE));
  printf("removed: %d %d %d\n", window[5], window[6], window[100]);
  show(file, 5);
  CALL(munmap(window, GIB));
  char *reserved = mmap(0, 1L << 45, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  printf("reserved: %d\n", reserved != MAP_FAILED);
  CALL(mprotect(reserved + PLACE, 4096, PROT_READ | PROT_WRITE));
  reserved[PLACE] = 9;
  CALL(madvise(reserved, 1L << 45, MADV_DONTNEED));
  printf("forgotten: %d\n", reserved[PLACE]);
  reserved[PLACE] = 9;
  CALL(mprotect(reserved, 1L << 45, PROT_NONE));
  CALL(munmap(reserved, 1L << 45));
  return 0;
}

// mmap and its relatives: protection, remapping, sharing, files, gaps, what fails and how.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#define PAGE 4096
static char *map(size_t size, int prot, int flags, int fd, off_t offset) { return mmap(NULL, size, prot, flags, fd, offset); }
int main(void) {
    char *p = map(8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 8; i++) p[i * PAGE] = (char)('a' + i);
    printf("%d %d\n", munmap(p + 2 * PAGE, PAGE), mprotect(p, 8 * PAGE, PROT_READ)); printf("%s\n", strerror(errno));
    char *again = mmap(p + 2 * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0); printf("%d %d\n", again == p + 2 * PAGE, again[0]);
    char *q = mremap(p + 4 * PAGE, 2 * PAGE, 20 * PAGE, MREMAP_MAYMOVE); printf("%c%c %d\n", q[0], q[PAGE], q[15 * PAGE]);
    q = mremap(q, 20 * PAGE, PAGE, 0); printf("%c\n", q[0]);
    int fd = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600); char line[32];
    for (int i = 0; i < 1000; i++) { int n = sprintf(line, "line %04d\n", i); if (write(fd, line, n) != n) return 1; }
    char *shared = map(3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), *private = map(3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, PAGE);
    memcpy(shared, "SHARED", 6); memcpy(private, "PRIVATE", 7); msync(shared, PAGE, MS_SYNC);
    lseek(fd, 0, SEEK_SET); printf("%zd %.10s", read(fd, line, 10), line); lseek(fd, PAGE, SEEK_SET); printf("%zd %.7s|%.7s\n", read(fd, line, 7), line, private);
    pwrite(fd, "written", 7, 20); printf("%.7s %d\n", shared + 20, shared[3 * PAGE - 1]); printf("tail %d\n", shared[10000]);
    printf("%d %d %d\n", madvise(p, PAGE, MADV_WILLNEED), madvise(again, PAGE, MADV_DONTNEED), again[0]);
    void *bad = map(0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); printf("%d %d\n", bad == MAP_FAILED, errno == EINVAL);
    bad = map(PAGE, PROT_READ, MAP_PRIVATE, 99, 0); printf("%d %d\n", bad == MAP_FAILED, errno == EBADF);
    bad = map(PAGE, PROT_READ, MAP_SHARED, fd, 100); printf("%d %d\n", bad == MAP_FAILED, errno == EINVAL);
    printf("%d %d %d\n", mprotect(p + 1, PAGE, PROT_READ), errno == EINVAL, munmap(p, 8 * PAGE));
    unsigned char vector[8]; char *resident = map(4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); resident[PAGE] = 1;
    printf("%d", mincore(resident, 4 * PAGE, vector)); printf(" %d\n", vector[1] & 1);
    char *stack = map(PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_STACK | MAP_NORESERVE, -1, 0); stack[0] = 1;
    int memory = memfd_create("name", 0); ftruncate(memory, 2 * PAGE); char *one = map(2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0), *two = map(2 * PAGE, PROT_READ, MAP_SHARED, memory, 0);
    strcpy(one + PAGE, "both"); printf("%s\n", two + PAGE);
    char *ring = map(4 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);   // the same pages twice in a row
    mmap(ring, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, 0); mmap(ring + 2 * PAGE, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, 0);
    strcpy(ring + 2 * PAGE - 3, "wrapped"); printf("%s %s\n", ring, ring + 2 * PAGE - 3);
    return 0;
}

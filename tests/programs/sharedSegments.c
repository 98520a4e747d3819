// System V shared memory: attaching, sharing between processes, status, removal, errors.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

static void status(const char *what, int id) {
  struct shmid_ds ds;
  int r = shmctl(id, IPC_STAT, &ds);
  if (r < 0) printf("%s: error %d\n", what, errno);
  else printf("%s: size %zu users %lu mode %o creator %d last %d\n", what, ds.shm_segsz, (unsigned long)ds.shm_nattch, ds.shm_perm.mode,
              ds.shm_cpid == getpid(), ds.shm_lpid == getpid());
}

static void *at(int id, void *address, int flags) {
  void *p = shmat(id, address, flags);
  if (p == (void *)-1) printf("shmat: error %d\n", errno);
  return p;
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  int id = shmget(IPC_PRIVATE, 10000, 0600);
  status("new", id);
  char *a = at(id, NULL, 0), *b = at(id, NULL, 0), *r = at(id, NULL, SHM_RDONLY);
  status("three", id);
  strcpy(a + 5000, "hello");
  printf("other mapping: %s, %s, beyond %d\n", b + 5000, r + 5000, a[9999]);
  b[5000] = 'j';
  printf("back: %s, %s\n", a + 5000, r + 5000);
  printf("read only stays so: %d", mprotect(r, 4096, PROT_READ | PROT_WRITE));
  printf(" %d\n", errno);
  printf("detach %d %d", shmdt(b), shmdt(b));
  printf(" %d\n", errno);
  status("two", id);
  pid_t child = fork();
  if (child == 0) {
    status("  in child", id);
    printf("  child sees %s\n", a + 5000);
    strcpy(a + 5000, "from child");
    int other = shmget(IPC_PRIVATE, 4096, 0600);
    shmctl(other, IPC_RMID, NULL);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  printf("parent sees %s\n", a + 5000);
  status("after", id);
  // Back and forth through memory alone.
  volatile int *turn = (volatile int *)a;
  *turn = 0;
  child = fork();
  if (child == 0) {
    for (int i = 0; i < 20; i++) {
      while (*turn != 2 * i + 1) usleep(100);
      *turn = 2 * i + 2;
    }
    shmdt(a);
    _exit(0);
  }
  for (int i = 0; i < 20; i++) {
    *turn = 2 * i + 1;
    while (*turn != 2 * i + 2) usleep(100);
  }
  waitpid(child, NULL, 0);
  printf("turns %d\n", *turn);
  printf("remove %d\n", shmctl(id, IPC_RMID, NULL));
  status("condemned", id);
  char *again = at(id, NULL, 0);
  printf("still %s\n", again + 5000);
  shmdt(a), shmdt(r), shmdt(again);
  status("gone", id);
  int key = 0x7e57ab1e;
  printf("absent %d", shmget(key, 100, 0));
  printf(" %d\n", errno);
  id = shmget(key, 100, IPC_CREAT | 0640);
  printf("same %d, exclusive %d", shmget(key, 50, 0) == id, shmget(key, 100, IPC_CREAT | IPC_EXCL));
  printf(" %d, larger %d", errno, shmget(key, 5000, 0));
  printf(" %d, none %d", errno, shmget(IPC_PRIVATE, 0, 0600));
  printf(" %d\n", errno);
  at(id, (void *)0x10001, 0);
  at(id, (void *)0x7fff00000000, 0) == (void *)0x7fff00000000 ? printf("fixed\n") : 0;
  at(id, (void *)0x7fff00000000, 0);
  at(id, (void *)0x7fff00000123, SHM_RND | SHM_REMAP) == (void *)0x7fff00000000 ? printf("replaced\n") : 0;
  status("one", id);
  at(id, NULL, SHM_REMAP);
  at(-1, NULL, 0);
  printf("detach %d", shmdt((void *)0x7fff00001000));
  printf(" %d, command %d", errno, shmctl(id, 99, NULL));
  printf(" %d, lock %d\n", errno, shmctl(id, SHM_LOCK, NULL));
  shmctl(id, IPC_RMID, NULL);
  return 0;
}

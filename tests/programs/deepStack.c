/* Uses as many KiB of stack as it is told, says what the limit is, and starts itself again with another limit if one is given. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static long down(long kilobytes) {
  volatile char room[1000];
  room[0] = 1;
  return kilobytes == 0 ? 0 : room[0] + down(kilobytes - 1);
}

static void *thread(void *argument) {
  (void)argument;
  return (void *)down(100);
}

int main(int argc, char **argv) {
  struct rlimit limit;
  getrlimit(RLIMIT_STACK, &limit);
  pthread_t other;
  void *reached;
  if (pthread_create(&other, 0, thread, 0) != 0 || pthread_join(other, &reached) != 0) return 1;
  printf("%s: %ld and %ld\n", limit.rlim_cur == RLIM_INFINITY ? "unlimited" : "limited", (long)reached, down(atol(argv[1])));
  fflush(stdout);
  if (argc < 3) return 0;
  limit.rlim_cur = RLIM_INFINITY;
  if (setrlimit(RLIMIT_STACK, &limit) != 0) return 2;
  execl(argv[0], argv[0], argv[2], (char *)0);
  return 3;
}

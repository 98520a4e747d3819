/* What threads are told about scheduling, and what they may ask: policies, priorities, processors, barriers, thread ids. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY 4000000
#define TRY(expression)                                                       \
  do {                                                                        \
    errno = 0;                                                                \
    long result = (expression);                                               \
    printf("%s: %ld, error %d\n", #expression, result, errno);                \
  } while (0)

struct attributes {
  unsigned size, policy;
  unsigned long long flags;
  int nice;
  unsigned priority;
  unsigned long long runtime, deadline, period;
  unsigned least, most;
};

static struct sched_param with(int priority) {
  struct sched_param parameter = {.sched_priority = priority};
  return parameter;
}

static void policies(void) {
  struct sched_param got = {0}, none = with(0), some = with(10), much = with(100);
  struct timespec interval;
  TRY(sched_getscheduler(0));
  TRY(sched_getscheduler(-1));
  TRY(sched_getscheduler(NOBODY));
  TRY(sched_getparam(0, &got));
  TRY(sched_getparam(0, NULL));
  TRY(sched_getparam(-1, &got));
  TRY(sched_setparam(0, &some));
  TRY(sched_setparam(0, &none));
  TRY(sched_setparam(0, NULL));
  TRY(sched_setscheduler(0, SCHED_BATCH, &none));
  TRY(sched_getscheduler(0));
  TRY(sched_setscheduler(0, 77, &none));
  TRY(sched_setscheduler(0, -1, &none));
  TRY(sched_setscheduler(0, SCHED_FIFO, &none));
  TRY(sched_setscheduler(0, SCHED_OTHER, &some));
  TRY(sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &some));
  TRY(sched_getscheduler(0));
  TRY(sched_getparam(0, &got));
  printf("priority %d\n", got.sched_priority);
  TRY(sched_setparam(0, &much));
  TRY(sched_setscheduler(0, SCHED_OTHER, &none));
  TRY(sched_setscheduler(NOBODY, SCHED_OTHER, &none));
  TRY(sched_get_priority_max(SCHED_FIFO));
  TRY(sched_get_priority_min(SCHED_RR));
  TRY(sched_get_priority_max(SCHED_OTHER));
  TRY(sched_get_priority_max(9));
  TRY(sched_get_priority_min(-1));
  TRY(sched_rr_get_interval(0, &interval));
  TRY(sched_rr_get_interval(-1, &interval));
  TRY(sched_rr_get_interval(NOBODY, &interval));
}

static void processors(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  TRY(sched_getaffinity(0, sizeof set, &set));
  TRY(sched_getaffinity(0, 3, &set));
  TRY(sched_getaffinity(NOBODY, sizeof set, &set));
  CPU_ZERO(&set);
  TRY(sched_setaffinity(0, sizeof set, &set));
  CPU_SET(500, &set);
  TRY(sched_setaffinity(0, sizeof set, &set));
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  TRY(sched_setaffinity(0, sizeof set, &set));
  CPU_SET(500, &set);
  sched_getaffinity(0, sizeof set, &set);
  printf("%d processor, on %d\n", CPU_COUNT(&set), sched_getcpu());
  TRY(sched_setaffinity(0, sizeof set, NULL));
}

static void niceness(void) {
  TRY(getpriority(PRIO_PROCESS, 0));
  TRY(setpriority(PRIO_PROCESS, 0, 5));
  TRY(getpriority(PRIO_PROCESS, getpid()));
  TRY(nice(3));
  TRY(setpriority(PRIO_PROCESS, 0, 100));
  TRY(getpriority(PRIO_PROCESS, 0));
  TRY(setpriority(PRIO_PROCESS, 0, 0));
  TRY(getpriority(7, 0));
  TRY(getpriority(PRIO_PROCESS, NOBODY));
  TRY(setpriority(9, 0, 0));
  TRY(setpriority(PRIO_PROCESS, NOBODY, 0));
}

static void attributes(void) {
  struct attributes got;
  memset(&got, 0, sizeof got);
  TRY(syscall(SYS_sched_getattr, 0, &got, sizeof got, 0));
  printf("size %u, policy %u, nice %d, priority %u\n", got.size, got.policy, got.nice, got.priority);
  TRY(syscall(SYS_sched_getattr, 0, &got, 10, 0));
  TRY(syscall(SYS_sched_getattr, 0, &got, sizeof got, 1));
  TRY(syscall(SYS_sched_getattr, NOBODY, &got, sizeof got, 0));
  memset(&got, 0, sizeof got);
  got.size = sizeof got;
  got.policy = SCHED_IDLE;
  TRY(syscall(SYS_sched_setattr, 0, &got, 0));
  TRY(sched_getscheduler(0));
  got.policy = SCHED_OTHER;
  got.nice = 4;
  TRY(syscall(SYS_sched_setattr, 0, &got, 0));
  TRY(getpriority(PRIO_PROCESS, 0));
  got.policy = 99;
  TRY(syscall(SYS_sched_setattr, 0, &got, 0));
  TRY(syscall(SYS_sched_setattr, 0, &got, 5));
}

static void threads(void) {
  void *list;
  size_t size;
  TRY(syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) > 0);
  TRY(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0));
  TRY(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0));
  TRY(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0));
  TRY(syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0));
  TRY(syscall(SYS_membarrier, 12345, 0, 0));
  TRY(syscall(SYS_membarrier, 0, 7, 0));
  TRY(syscall(SYS_tgkill, getpid(), 0, 0));
  TRY(syscall(SYS_tgkill, 0, getpid(), 0));
  TRY(syscall(SYS_tgkill, getpid(), getpid(), 65));
  TRY(syscall(SYS_tgkill, getpid(), getpid(), -1));
  TRY(syscall(SYS_tgkill, getpid(), NOBODY, 0));
  TRY(syscall(SYS_tkill, getpid(), 0));
  TRY(syscall(SYS_tkill, NOBODY, 0));
  TRY(syscall(SYS_tkill, -5, 0));
  TRY(syscall(SYS_get_robust_list, 0, &list, &size));
  TRY(syscall(SYS_get_robust_list, NOBODY, &list, &size));
  TRY(syscall(SYS_set_robust_list, NULL, 5));
  TRY(sched_yield());
}

int main(void) {
  policies();
  processors();
  niceness();
  attributes();
  threads();
  return 0;
}

// Signal handlers: with siginfo, on a stack of their own, one inside another, and a fault that is repaired.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static volatile sig_atomic_t nested, repaired;
static char *page;

static void inner(int number) {
  nested = number;
}

static void outer(int number, siginfo_t *info, void *context) {
  int before = nested;
  raise(SIGUSR2);
  nested += info->si_signo + number + (context != NULL) - before;
}

static void repair(int number, siginfo_t *info, void *context) {
  (void)context;
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
  repaired = number + (info->si_addr == page);
}

static int compute(int n) {
  int local = n * 2;
  raise(SIGUSR1);
  page[0] = (char)local;
  return local + page[0];
}

int main(void) {
  size_t size = 65536;
  stack_t other = {.ss_sp = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), .ss_size = size};
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigaltstack(&other, NULL);
  action.sa_sigaction = outer;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGUSR1, &action, NULL);
  action.sa_sigaction = repair;
  sigaction(SIGSEGV, &action, NULL);
  signal(SIGUSR2, inner);
  page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int result = compute(21);
  printf("%d %d %d\n", result, (int)nested, (int)repaired);
  return 0;
}

// An instruction that faults: with a handler that mends it, then without.
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

static int value = 5;
static volatile int mended;

static void handler(int signal, siginfo_t *info, void *context) {
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  registers[REG_RDI] = registers[REG_RAX] = (greg_t)&value;
  mended++;
}

__attribute__((noinline)) int load(volatile int *from) {
  return *from;
}

int main(void) {
  struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
  sigaction(SIGSEGV, &action, NULL);
  int sum = load(&value);
  sum += load(NULL);
  sum += load(&value);
  signal(SIGSEGV, SIG_DFL);
  sum += load((int *)8);
  return sum;
}

/* Memory whose protection changes: code that is made on the heap, executed, changed and executed again; globals that cannot be written for a while. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096

static char settings[PAGE] __attribute__((aligned(PAGE))) = "first";
static sigjmp_buf back;
static volatile sig_atomic_t faults;

static void on_fault(int number) {
  faults++;
  siglongjmp(back, number);
}

/* mov eax, NUMBER; ret */
static int run_code(unsigned char *code, int number) {
  unsigned char bytes[] = { 0xb8, 0, 0, 0, 0, 0xc3 };
  memcpy(bytes + 1, &number, sizeof number);
  memcpy(code, bytes, sizeof bytes);
  return ((int (*)(void))code)();
}

static int made_code(void) {
  unsigned char *code = aligned_alloc(PAGE, 2 * PAGE);
  memset(code, 0x90, 2 * PAGE);
  if (mprotect(code, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return -1;
  int sum = 0;
  for (int i = 0; i < 300; i++) sum += run_code(code + PAGE * (i % 2) + 64, i);
  mprotect(code, 2 * PAGE, PROT_READ | PROT_WRITE);
  free(code);
  return sum;
}

static int protected_globals(void) {
  char *own = settings;
  if (mprotect(settings, sizeof settings, PROT_READ) != 0) return -1;
  signal(SIGSEGV, on_fault);
  int sum = own[0];
  if (sigsetjmp(back, 1) == 0) own[0] = 'F';
  mprotect(own, sizeof settings, PROT_READ | PROT_WRITE);
  own[0] = 'G';
  printf("%s %d\n", settings, madvise(settings, sizeof settings, MADV_NORMAL));
  return sum;
}

int main(void) {
  printf("%d\n", made_code());
  int sum = protected_globals();
  printf("%d %d\n", sum, faults);
  return 0;
}

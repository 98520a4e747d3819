/*
 * All that interrupts code in the middle, in as few instructions as possible: faults that are handled, instructions that
 * repeat, code that changes, signals, threads, processes. Observation must tell each instruction once.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static char *pages;
static volatile int faults, traps;

static void on_fault(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  faults++;
  mprotect((void *)((uintptr_t)info->si_addr & ~4095ul), 4096, PROT_READ | PROT_WRITE);
}

static void on_trap(int signal, siginfo_t *info, void *context) {
  (void)info;
  traps++;
  ucontext_t *c = context;
  if (signal == SIGILL || signal == SIGFPE) c->uc_mcontext.gregs[REG_RIP] += 2;
}

static void copy(void *to, const void *from, size_t count) {
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

static void strings(void) {
  char a[600], b[600];
  char *to = a;
  size_t count = 75;
  uint64_t value = 0x4141414141414141;
  __asm__ volatile("rep stosq" : "+D"(to), "+c"(count) : "a"(value) : "memory");
  copy(b, a, sizeof a);
  for (int i = 0; i < 40; i++) copy(b + i, a, (size_t)(i & 7));
  const char *end = a + 99;
  char *down = b + 99;
  count = 100;
  __asm__ volatile("std; rep movsb; cld" : "+D"(down), "+S"(end), "+c"(count) : : "memory");
  b[333] = 0;
  const char *p = b;
  count = (size_t)-1;
  __asm__ volatile("repne scasb" : "+D"(p), "+c"(count) : "a"(0) : "cc");
  const char *x = a, *y = b;
  count = 600;
  __asm__ volatile("repe cmpsb" : "+D"(y), "+S"(x), "+c"(count) : : "cc");
  const char *source = a;
  count = 3;
  __asm__ volatile("rep lodsb" : "+S"(source), "+c"(count) : : "rax");
  __asm__ volatile("movsb; stosb; lodsb" : "+D"(to), "+S"(source) : : "rax", "memory");
  /* The same address again, after the register that had it has moved on; the kernel is told which it is. */
  char *again;
  __asm__ volatile("leaq 64(%1), %%rdi; movl $9, %%ecx; rep stosl; leaq 64(%1), %0" : "=&r"(again) : "r"(a) : "rdi", "rcx", "memory");
  write(-1, again, 0);
  uint32_t narrow = 5;
  __asm__ volatile("movl %0, %%ecx; leaq %1, %%rdi; .byte 0x67; jecxz 1f; 1:" : : "r"(narrow), "m"(a) : "rcx", "rdi");
  static char image[512] __attribute__((aligned(16)));
  __asm__ volatile("fxsave %0; fxrstor %0" : "+m"(image));
}

/* Pages that may not be written yet: single stores, copies that begin in one page and end in another. */
static void faulting(void) {
  for (int i = 0; i < 6; i++) {
    mprotect(pages, 8 * 4096, PROT_READ);
    pages[i * 4096 + 100] = (char)i;
    uint64_t *wide = (uint64_t *)(pages + 4096 * 7 - 4);
    *wide = (uint64_t)i;
    char text[300];
    memset(text, i, sizeof text);
    copy(pages + 2 * 4096 - 150, text, sizeof text);
    __asm__ volatile("pushq %%rbx; incl (%0); popq %%rbx" : : "r"(pages + 3 * 4096) : "memory");
  }
}

static void trapping(void) {
  for (int i = 0; i < 8; i++) {
    __asm__ volatile("nop; int3; nop");
    __asm__ volatile("nop; ud2; nop");
    int one = 1, zero = i & 4 ? 0 : 3;
    __asm__ volatile("cltd; idivl %1" : "+a"(one) : "r"(zero) : "rdx", "cc");
  }
}

/* mov eax, imm; add eax, edi; ret: the number is written over, from outside and by the code itself. */
static void changing(void) {
  unsigned char *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  static const unsigned char function[] = { 0xb8, 0, 0, 0, 0, 0x01, 0xf8, 0xc3 };
  memcpy(code, function, sizeof function);
  int sum = 0;
  for (int i = 0; i < 60; i++) {
    if (i % 5 == 0) code[1] = (unsigned char)i;
    sum += ((int (*)(int))code)(i);
  }
  /* incb [rip+1]; mov al, 7; ret: changes its own next instruction. */
  static const unsigned char own[] = { 0xfe, 0x05, 1, 0, 0, 0, 0xb0, 7, 0xc3 };
  memcpy(code + 64, own, sizeof own);
  for (int i = 0; i < 20; i++) sum += ((int (*)(void))(code + 64))() & 255;
  printf("%d\n", sum);
}

static int busy(int n) {
  volatile int sum = 0;
  for (int i = 0; i < n; i++) sum += i ^ (sum >> 3);
  return sum;
}

static void *thread(void *argument) {
  busy(200 + (int)(intptr_t)argument * 50);
  raise(SIGUSR1);
  busy(100);
  return argument;
}

static void threads(void) {
  pthread_t ids[3];
  for (intptr_t i = 0; i < 3; i++) pthread_create(&ids[i], 0, thread, (void *)i);
  busy(500);
  for (int i = 0; i < 3; i++) pthread_join(ids[i], 0);
}

static void processes(char *self) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    busy(50);
    execl(self, self, "child", (char *)0);
    _exit(127);
  }
  busy(300);
  waitpid(child, 0, 0);
}

static sigjmp_buf back;
static void on_signal(int signal) {
  busy(5);
  if (signal == SIGUSR2) siglongjmp(back, 1);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
  sigaction(SIGSEGV, &action, 0);
  action.sa_sigaction = on_trap;
  sigaction(SIGTRAP, &action, 0);
  sigaction(SIGILL, &action, 0);
  sigaction(SIGFPE, &action, 0);
  signal(SIGUSR1, on_signal);
  signal(SIGUSR2, on_signal);
  pages = mmap(0, 8 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (strcmp(what, "strings") == 0) strings();
  if (strcmp(what, "faults") == 0) faulting();
  if (strcmp(what, "traps") == 0) trapping();
  if (strcmp(what, "changes") == 0) changing();
  if (strcmp(what, "threads") == 0) threads();
  if (strcmp(what, "processes") == 0) processes(argv[0]);
  if (strcmp(what, "signals") == 0) for (int i = 0; i < 5; i++) {
    busy(20);
    raise(SIGUSR1);
    if (sigsetjmp(back, 1) == 0) raise(SIGUSR2);
  }
  if (strcmp(what, "crash") == 0) { signal(SIGSEGV, SIG_DFL); busy(10); copy(pages + 7 * 4096 - 10, pages, 5); *(volatile int *)8 = 1; }
  return busy(10) == 0 ? faults + traps : 0;
}

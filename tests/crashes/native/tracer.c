/*
 * tracer REPORT PROGRAM ARG...: runs a program until a signal would end it, and writes what the processor
 * had then: the oracle for crashes. Addresses are not randomised, and random bytes are the same in every run,
 * so that all registers can be compared. Lines: name, value in hexadecimal.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANDOM_BYTE = 0x5a, SYSCALL_STOP = SIGTRAP | 0x80 };

static void fail(const char *what) {
  perror(what);
  exit(125);
}

static void fill_random(pid_t pid, unsigned long address, size_t size) {
  char path[64], bytes[256];
  memset(bytes, RANDOM_BYTE, sizeof bytes);
  snprintf(path, sizeof path, "/proc/%d/mem", pid);
  int fd = open(path, O_WRONLY);
  if (fd < 0 || size > sizeof bytes || pwrite(fd, bytes, size, (off_t)address) != (ssize_t)size) fail("writing random bytes");
  close(fd);
}

static unsigned long auxiliary(pid_t pid, unsigned long type) {
  char path[64];
  Elf64_auxv_t entry;
  snprintf(path, sizeof path, "/proc/%d/auxv", pid);
  int fd = open(path, O_RDONLY);
  if (fd < 0) fail(path);
  while (read(fd, &entry, sizeof entry) == sizeof entry)
    if (entry.a_type == type) {
      close(fd);
      return entry.a_un.a_val;
    }
  fail("auxiliary vector");
  return 0;
}

static void report(const char *path, pid_t pid) {
  struct user_regs_struct r;
  siginfo_t info;
  if (ptrace(PTRACE_GETREGS, pid, 0, &r) != 0 || ptrace(PTRACE_GETSIGINFO, pid, 0, &info) != 0) fail("registers");
  FILE *f = fopen(path, "w");
  if (f == NULL) fail(path);
  fprintf(f, "signal %x\ncode %x\naddress %lx\n", info.si_signo, (unsigned)info.si_code, (unsigned long)info.si_addr);
#define LINE(name) fprintf(f, #name " %lx\n", (unsigned long)r.name)
  LINE(rip); LINE(rax); LINE(rcx); LINE(rdx); LINE(rbx); LINE(rsp); LINE(rbp); LINE(rsi); LINE(rdi);
  LINE(r8); LINE(r9); LINE(r10); LINE(r11); LINE(r12); LINE(r13); LINE(r14); LINE(r15); LINE(eflags); LINE(fs_base);
  fprintf(f, "pid %x\n", pid);
  fclose(f);
}

/* Random bytes from the kernel: replaced when the call is over. */
static void after_call(pid_t pid) {
  struct user_regs_struct r;
  if (ptrace(PTRACE_GETREGS, pid, 0, &r) != 0) fail("registers");
  if (r.orig_rax == SYS_getrandom && (long)r.rax > 0) fill_random(pid, r.rdi, r.rax);
}

int main(int argc, char **argv) {
  if (argc < 3) return 125;
  pid_t pid = fork();
  if (pid < 0) fail("fork");
  if (pid == 0) {
    personality(ADDR_NO_RANDOMIZE);
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    execv(argv[2], argv + 2);
    fail(argv[2]);
  }
  int status, inside = 0;
  if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) fail("start");
  ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  fill_random(pid, auxiliary(pid, AT_RANDOM), 16);
  for (;;) {
    if (ptrace(PTRACE_SYSCALL, pid, 0, 0) != 0 || waitpid(pid, &status, 0) != pid) fail("run");
    if (!WIFSTOPPED(status)) return 1;
    if (WSTOPSIG(status) == SYSCALL_STOP) {
      if (inside) after_call(pid);
      inside = !inside;
      continue;
    }
    report(argv[1], pid);
    kill(pid, SIGKILL);
    return 0;
  }
}

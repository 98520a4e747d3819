// Ways to go somewhere by `ret` that are no mistakes, and others that leave functions without returning.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <ucontext.h>

static jmp_buf place;
static ucontext_t here, there;
static char stack[64 << 10];
static int visits;

static void visit() { visits++; }
static void handler(int) { visits++; }
static void landed() { visits++; }

__attribute__((noinline)) static void jump(int depth) {
  if (depth == 0) longjmp(place, 1);
  jump(depth - 1);
}

__attribute__((noinline)) static void raise_up(int depth) {
  if (depth == 0) throw depth;
  raise_up(depth - 1);
}

// As compilers do it that fear speculation: the call's own return address is replaced.
extern "C" void thunk(void (*)());
extern "C" void pushed(void (*)());
asm(R"(
.text
.type thunk, @function
thunk:
  .cfi_startproc
  call 1f
0: pause
  jmp 0b
1: mov %rdi, (%rsp)
  ret
  .cfi_endproc
.type pushed, @function
pushed:
  push %rdi
  ret
)");

// A function that returns to what somebody has put on its stack.
extern "C" void begin_on(void *stack);
extern "C" void come_back();
asm(R"(
.text
begin_on:
  push %rbp
  mov %rsp, %rbp
  mov %rdi, %rsp
  jmp *8(%rdi)
.globl come_back
come_back:
  mov %rbp, %rsp
  pop %rbp
  ret
)");

int main() {
  for (int i = 0; i < 100; i++) {
    if (setjmp(place) == 0) jump(5);
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &here;
    makecontext(&there, visit, 0);
    swapcontext(&here, &there);
    if (i % 10 != 0) continue;
    char local[16 << 10];
    there.uc_stack.ss_sp = local;
    there.uc_stack.ss_size = sizeof local;
    makecontext(&there, visit, 0);
    swapcontext(&here, &there);
    try {
      raise_up(3);
    } catch (int) {
      visits++;
    }
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    thunk(landed);
    pushed(landed);
    void *words[1024];
    words[1000] = (void *)come_back;
    words[1001] = (void *)landed;
    begin_on(words + 1000);
  }
  printf("%d\n", visits);
}

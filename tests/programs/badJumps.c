// ret, call and jmp to addresses that are none: a fault of the instruction itself, with rsp as it was before.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>
static sigjmp_buf back;
extern char viaRet[], viaRetN[], viaCall[], viaJump[];
static long stack[64];
static void handler(int number, siginfo_t *info, void *context) {
    greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
    const char *where = regs[REG_RIP] == (greg_t)viaRet ? "ret" : regs[REG_RIP] == (greg_t)viaRetN ? "ret n" : regs[REG_RIP] == (greg_t)viaCall ? "call" : regs[REG_RIP] == (greg_t)viaJump ? "jmp" : "elsewhere";
    printf("signal %d code %d addr %lx trap %lld rip at %s rsp + %lld", number, info->si_code, (long)info->si_addr, (long long)regs[REG_TRAPNO], where, (long long)(regs[REG_RSP] - (greg_t)&stack[32]));
    if (where[0] == 'e') printf(" rip %llx", (long long)regs[REG_RIP]);
    puts("");
    siglongjmp(back, 1);
}
__asm__(".globl goRet, goRetN, goCall, goJump, viaRet, viaRetN, viaCall, viaJump\n"
        "goRet: mov %rdi, (%rsi); mov %rsi, %rsp\nviaRet: ret\n"
        "goRetN: mov %rdi, (%rsi); mov %rsi, %rsp\nviaRetN: ret $16\n"
        "goCall: mov %rsi, %rsp\nviaCall: call *%rdi\n"
        "goJump: mov %rsi, %rsp\nviaJump: jmp *%rdi\n");
void goRet(long, long *), goRetN(long, long *), goCall(long, long *), goJump(long, long *);
int main(void) {
    static char alternate[65536];
    stack_t ss = {.ss_sp = alternate, .ss_size = sizeof alternate};
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaltstack(&ss, NULL); sigaction(SIGSEGV, &action, NULL); sigaction(SIGBUS, &action, NULL);
    void (*ways[])(long, long *) = {goRet, goRetN, goCall, goJump};
    long targets[] = {0, 0x1000, 0x4141414141414141, 0x800000000000, -0x800000000000, -1, 0x7ffffffff000, (long)0x8000000000000000, (long)0xffff7fffffffffff};
    for (int round = 0; round < 40; round++)   // often enough to be compiled
        for (int w = 0; w < 4; w++)
            for (unsigned t = 0; t < sizeof targets / sizeof *targets; t++) {
                if (round > 0 && round < 39 && t != 2) continue;
                if (sigsetjmp(back, 1) == 0) ways[w](targets[t], &stack[32]);
            }
    return 0;
}

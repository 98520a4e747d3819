/*
 * Runs instructions on the real CPU and reports what they did.
 *
 * Standard input: a struct header, the background of the data area, the code, then the cases.
 * Standard output: one result per case. All of it little-endian and 8-byte aligned; the writer of
 * the other end is nativeRunner.ts.
 *
 * There is no trampoline. A case is entered by returning from a signal handler with a context that
 * holds its state, and left by a fault: code is surrounded by int3, so every case ends in a signal
 * whose context holds the state afterwards, floating point and trap number included.
 *
 * Freestanding, because FS belongs to the cases: a libc would keep its thread pointer there.
 */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint8_t u8;

#define FX_SIZE 416
#define XSTATE_BV_OFFSET 512
#define XSTATE_X87_AND_SSE 3
#define FP_SW_MAGIC_OFFSET 464
#define FP_XSTATE_MAGIC 0x46505853
#define SIGNAL_RESTORER 0x04000000
#define MAX_DATA 65536
#define INPUT_AREA ((u8 *)0x610000000000)
#define OUTPUT_AREA ((u8 *)0x620000000000)
#define AREA_SIZE (1ull << 32)

struct header {
    u64 data, dataSize, readOnly, readOnlySize, code, codeSize, fsBase, gsBase, caseCount;
};

/* The same fields in the same order as in machineState.ts. */
struct state {
    u64 gpr[16], rip, eflags;
    u8 fx[FX_SIZE];
};

struct patch {
    u32 offset, size; /* followed by the bytes, padded to 8 */
};

struct testCase {
    struct state state;
    u64 patches; /* followed by them */
};

struct result {
    struct state state;
    u64 trap, error, address, signal, changes; /* followed by them */
};

struct change {
    u64 offset, value;
};

struct kernelSigaction {
    void (*handler)(int, siginfo_t *, void *);
    u64 flags;
    void (*restorer)(void);
    u64 mask;
};

/* Encoding order: rax rcx rdx rbx rsp rbp rsi rdi r8..r15. */
static const u8 GPR_INDEX[16] = {
    REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
    REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

static struct header header;
static const u8 *background, *nextCase;
static u64 before[MAX_DATA / 8];
static u8 *out;
static u64 casesLeft;
static int started;
static u8 signalStack[65536] __attribute__((aligned(64)));

static long call6(long n, long a, long b, long c, long d, long e, long f) {
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    return result;
}

static void leave(int status) {
    call6(SYS_exit_group, status, 0, 0, 0, 0, 0);
    __builtin_unreachable();
}

static void copy(void *to, const void *from, u64 size) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static void mapAt(u64 address, u64 size, int prot) {
    long got = call6(SYS_mmap, (long)address, (long)size, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (got != (long)address) leave(3);
}

static void writeAll(void) {
    const u8 *p = OUTPUT_AREA;
    while (p < out) {
        long n = call6(SYS_write, 1, (long)p, out - p, 0, 0, 0);
        if (n <= 0) leave(4);
        p += n;
    }
}

static void report(int signal, const ucontext_t *context) {
    const greg_t *regs = context->uc_mcontext.gregs;
    struct result *r = (struct result *)out;
    for (int i = 0; i < 16; i++) r->state.gpr[i] = regs[GPR_INDEX[i]];
    r->state.rip = regs[REG_RIP];
    r->state.eflags = regs[REG_EFL];
    copy(r->state.fx, context->uc_mcontext.fpregs, FX_SIZE);
    r->trap = regs[REG_TRAPNO];
    r->error = regs[REG_ERR];
    r->address = regs[REG_CR2];
    r->signal = signal;
    struct change *change = (struct change *)(r + 1);
    const u64 *now = (const u64 *)header.data;
    for (u64 i = 0; i < header.dataSize / 8; i++) {
        if (now[i] != before[i]) *change++ = (struct change){i * 8, now[i]};
    }
    r->changes = change - (struct change *)(r + 1);
    out = (u8 *)change;
}

static void enter(ucontext_t *context) {
    const struct testCase *c = (const struct testCase *)nextCase;
    greg_t *regs = context->uc_mcontext.gregs;
    for (int i = 0; i < 16; i++) regs[GPR_INDEX[i]] = c->state.gpr[i];
    regs[REG_RIP] = c->state.rip;
    regs[REG_EFL] = c->state.eflags;
    u8 *fpu = (u8 *)context->uc_mcontext.fpregs;
    copy(fpu, c->state.fx, FX_SIZE);
    /* Else the kernel would take the initial state for what it believes to be unused. */
    if (*(u32 *)(fpu + FP_SW_MAGIC_OFFSET) == FP_XSTATE_MAGIC) *(u64 *)(fpu + XSTATE_BV_OFFSET) = XSTATE_X87_AND_SSE;
    copy((void *)header.data, background, header.dataSize);
    const u8 *p = (const u8 *)(c + 1);
    for (u64 i = 0; i < c->patches; i++) {
        const struct patch *patch = (const struct patch *)p;
        copy((void *)(header.data + patch->offset), patch + 1, patch->size);
        p += sizeof *patch + ((patch->size + 7) & ~7u);
    }
    nextCase = p;
    copy(before, (void *)header.data, header.dataSize);
}

__attribute__((used)) static void onSignal(int signal, siginfo_t *info, void *context) {
    (void)info;
    if (started) report(signal, context);
    started = 1;
    if (casesLeft == 0) {
        writeAll();
        leave(0);
    }
    casesLeft--;
    enter(context);
}

/* NT, AC and ID survive the entry into a handler, and would survive into the next case. */
__asm__(
    ".globl handlerEntry\nhandlerEntry:\n"
    "pushfq\n andq $~0x244000, (%rsp)\n popfq\n jmp onSignal\n"
    ".globl signalRestorer\nsignalRestorer:\n"
    "mov $15, %eax\n syscall\n"
    ".globl _start\n_start:\n"
    "xor %ebp, %ebp\n and $-16, %rsp\n call start\n hlt\n");
void handlerEntry(int, siginfo_t *, void *);
void signalRestorer(void);

static void readInput(void) {
    u8 *p = INPUT_AREA;
    mapAt((u64)INPUT_AREA, AREA_SIZE, PROT_READ | PROT_WRITE);
    mapAt((u64)OUTPUT_AREA, AREA_SIZE, PROT_READ | PROT_WRITE);
    for (;;) {
        long n = call6(SYS_read, 0, (long)p, 1 << 20, 0, 0, 0);
        if (n < 0) leave(5);
        if (n == 0) break;
        p += n;
    }
    copy(&header, INPUT_AREA, sizeof header);
    if (header.dataSize > MAX_DATA) leave(6);
    background = INPUT_AREA + sizeof header;
    const u8 *code = background + header.dataSize;
    nextCase = code + header.codeSize;
    casesLeft = header.caseCount;
    out = OUTPUT_AREA;
    mapAt(header.data, header.dataSize, PROT_READ | PROT_WRITE);
    mapAt(header.readOnly, header.readOnlySize, PROT_READ);
    /* A page that has not been touched yet is not present, and a fault on it would look like one on unmapped memory. */
    (void)*(volatile u8 *)header.readOnly;
    mapAt(header.code, header.codeSize, PROT_READ | PROT_WRITE);
    copy((void *)header.code, code, header.codeSize);
    call6(SYS_mprotect, (long)header.code, (long)header.codeSize, PROT_READ | PROT_EXEC, 0, 0, 0);
}

__attribute__((used)) static void start(void) {
    static const int SIGNALS[] = {SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    readInput();
    stack_t stack = {.ss_sp = signalStack, .ss_size = sizeof signalStack};
    call6(SYS_sigaltstack, (long)&stack, 0, 0, 0, 0, 0);
    struct kernelSigaction action = {handlerEntry, SA_SIGINFO | SA_ONSTACK | SIGNAL_RESTORER, signalRestorer, ~0ull};
    for (u64 i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++) {
        call6(SYS_rt_sigaction, SIGNALS[i], (long)&action, 0, 8, 0, 0);
    }
    call6(SYS_arch_prctl, ARCH_SET_FS, (long)header.fsBase, 0, 0, 0, 0);
    call6(SYS_arch_prctl, ARCH_SET_GS, (long)header.gsBase, 0, 0, 0, 0);
    __asm__ volatile("int3");
    leave(7);
}

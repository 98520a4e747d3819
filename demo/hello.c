/*
 * The program of `npm run demo`: it needs no C library, so it fits in a few kilobytes and can be shipped
 * as a binary. Built with (see demo/README.md):
 *
 *   gcc -O1 -static -nostdlib -fno-pie -no-pie -fno-stack-protector -fno-asynchronous-unwind-tables \
 *       -Wl,--build-id=none,-z,noseparate-code -o demo/hello demo/hello.c
 */
typedef unsigned long u64;

static long systemCall(long number, long a, long b, long c)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}

static void say(const char *text)
{
    long length = 0;
    while (text[length]) length++;
    systemCall(1, 1, (long)text, length);
}

static void sayNumber(u64 n)
{
    char digits[24];
    char *p = digits + sizeof digits;
    *--p = 0;
    do *--p = '0' + n % 10; while (n /= 10);
    say(p);
}

/* Greatest common divisor, as Euclid did it. */
__attribute__((noinline)) u64 gcd(u64 a, u64 b)
{
    while (b) {
        u64 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* How many of the pairs below n have no common divisor: about 6/pi^2 of them. */
__attribute__((noinline)) u64 coprimePairs(u64 n)
{
    u64 count = 0;
    for (u64 a = 1; a <= n; a++)
        for (u64 b = 1; b <= n; b++) count += gcd(a, b) == 1;
    return count;
}

void start(long *stack)
{
    long argc = stack[0];
    char **argv = (char **)(stack + 1);
    say("Hello from the guest");
    for (long i = 1; i < argc; i++) {
        say(i == 1 ? ", called with: " : " ");
        say(argv[i]);
    }
    u64 n = 1000;
    say(".\nOf the pairs of numbers up to ");
    sayNumber(n);
    say(", ");
    sayNumber(coprimePairs(n));
    say(" have no common divisor.\n");
    /* With an argument "crash" it ends as programs do that have a bug. */
    if (argc > 1 && argv[1][0] == 'c') *(volatile int *)8 = 1;
    systemCall(60, 0, 0, 0);
}

__asm__(".globl _start\n_start:\n  mov %rsp, %rdi\n  and $-16, %rsp\n  call start\n");

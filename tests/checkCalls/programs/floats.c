/* Values in vector registers that no instruction has defined, across calls that are bound at first use, signals and jumps. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void on_signal(int number)
{
    volatile double busy = number;
    for (int i = 0; i < 10; i++)
        busy = sqrt(busy + i);
}

/* The undefined value is in a register while the signal comes: nowhere else. */
static double interrupted(double given)
{
    double result;
    __asm__ volatile("movapd %1, %%xmm3\n\t"
                     "mov $62, %%eax\n\t" /* kill(getpid(), SIGUSR1) */
                     "syscall\n\t"
                     "movapd %%xmm3, %0"
                     : "=x"(result) : "x"(given), "D"(getpid()), "S"(SIGUSR1) : "rax", "rcx", "r11", "xmm3", "memory");
    return result;
}

static long interrupted_general(long given)
{
    long result;
    __asm__ volatile("mov %1, %%r12\n\t"
                     "mov $62, %%eax\n\t"
                     "syscall\n\t"
                     "mov %%r12, %0"
                     : "=r"(result) : "r"(given), "D"(getpid()), "S"(SIGUSR1) : "rax", "rcx", "r11", "r12", "memory");
    return result;
}

static long jumped(long given)
{
    static jmp_buf buffer;
    register long kept __asm__("r13") = given;
    __asm__ volatile("" : "+r"(kept));
    if (setjmp(buffer) == 0)
        longjmp(buffer, 1);
    __asm__ volatile("" : "+r"(kept));
    return kept;
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    double *block = malloc(4 * sizeof *block), defined = argc;
    long *numbers = malloc(4 * sizeof *numbers);
    float *small = malloc(sizeof *small);
    long double *large = malloc(sizeof *large);
    signal(SIGUSR1, on_signal);
    if (!strcmp(how, "double"))
        printf("%g\n", block[1]); // MARK: double
    if (!strcmp(how, "second"))
        printf("%g %g\n", defined, block[1]); // MARK: second
    if (!strcmp(how, "float"))
        printf("%g\n", *small); // MARK: float
    if (!strcmp(how, "long double"))
        printf("%Lg\n", *large); // MARK: long double
    if (!strcmp(how, "libm"))
        return fmod(block[1], 3) > 2; // MARK: libm
    if (!strcmp(how, "signal") && interrupted(block[1]) > 2) // MARK: signal
        return 1;
    if (!strcmp(how, "general") && interrupted_general(numbers[1]) > 2) // MARK: general
        return 1;
    if (!strcmp(how, "jump") && jumped(numbers[1]) > 2) // MARK: jump
        return 1;
    if (!strcmp(how, "fine")) {
        double copy = block[1];
        memcpy(block, &copy, sizeof copy);
        interrupted(block[0]);
        jumped(numbers[1]);
        printf("%g %g %Lg %s\n", defined, fmod(5, 3), (long double)defined, "fine");
        printf("%d %c\n", argc, 'x');
    }
    return 0;
}

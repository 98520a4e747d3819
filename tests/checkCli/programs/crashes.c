/* Ways to end that no rule is about. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct handler {
    char name[8];
    int (*run)(int);
};

static const int constant[] = { 1, 2, 3 };
static int depth;

static int divide(int a, int b)
{
    return a / b; /* DIVIDE */
}

static int quotient(int a, int b)
{
    return a / b; /* QUOTIENT */
}

static int parse(const char *text)
{
    int parsed = atoi(text); /* PARSED */
    return parsed;
}

static int deeper(int n)
{
    char frame[4000];
    memset(frame, n, sizeof frame);
    depth++;
    return deeper(n + 1) + frame[0]; /* DEEPER */
}

static void *thread(void *argument)
{
    return (void *)(intptr_t)deeper(1);
}

static void on_fault(int signal)
{
    static const char said[] = "handled\n";
    write(1, said, sizeof said - 1);
    _exit(7);
}

static void give_up(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

static void *wild(void)
{
    return (void *)0x123456789000; /* WILD */
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "divide"))
        return divide(7, parse("zero"));
    if (!strcmp(how, "quotient"))
        return quotient(-2147483647 - 1, parse("-1"));
    if (!strcmp(how, "abort"))
        abort(); /* ABORT */
    if (!strcmp(how, "assert"))
        assert(argc == 7); /* ASSERT */
    if (!strcmp(how, "wild"))
        *(int *)wild() = 1; /* WILD WRITE */
    if (!strcmp(how, "noncanonical"))
        return *(int *)0xdeadbeefcafebabe; /* NONCANONICAL */
    if (!strcmp(how, "kernel"))
        return *(int *)0xffffffff81000000; /* KERNEL */
    if (!strcmp(how, "overwritten")) {
        struct handler h = { "", divide };
        memset(&h, 'A', sizeof h); /* OVERWRITTEN */
        return h.run(1); /* CALL */
    }
    if (!strcmp(how, "null call")) {
        struct handler h = { "", NULL }; /* NULL HANDLER */
        return h.run(1); /* NULL CALL */
    }
    if (!strcmp(how, "data call")) {
        int (*run)(int) = (int (*)(int))constant; /* DATA POINTER */
        return run(1); /* DATA CALL */
    }
    if (!strcmp(how, "recursion"))
        return deeper(1);
    if (!strcmp(how, "thread")) {
        pthread_t t;
        pthread_create(&t, NULL, thread, NULL);
        pthread_join(t, NULL);
    }
    if (!strcmp(how, "text"))
        *(char *)divide = 0x90; /* TEXT */
    if (!strcmp(how, "read-only"))
        *(int *)constant = 5; /* READ-ONLY */
    if (!strcmp(how, "trap"))
        __builtin_trap(); /* TRAP */
    if (!strcmp(how, "file")) {
        int fd = memfd_create("short", 0);
        ftruncate(fd, 100);
        char *p = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0); /* MAPPED */
        return p[4096]; /* FILE */
    }
    if (!strcmp(how, "handled")) {
        signal(SIGSEGV, on_fault);
        *(volatile int *)wild() = 1;
    }
    if (!strcmp(how, "given up")) {
        signal(SIGSEGV, give_up);
        *(volatile int *)wild() = 1; /* GIVEN UP */
    }
    if (!strcmp(how, "aligned"))
        __asm__ volatile("movaps %%xmm0, (%0)" :: "r"((char *)&depth + 1) : "memory"); /* ALIGNED */
    if (!strcmp(how, "sent"))
        raise(SIGTERM);
    if (!strcmp(how, "null"))
        *(volatile int *)NULL = 1; /* NULL */
    return 0;
}

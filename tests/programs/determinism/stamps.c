// Everything that differs from run to run on a real machine: numbers of processes and threads, addresses, times, randomness.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>
static long since(int clock) { static struct timespec first[8]; struct timespec t; clock_gettime(clock, &t); if (!first[clock].tv_sec) first[clock] = t; return (t.tv_sec - first[clock].tv_sec) * 1000000000L + t.tv_nsec - first[clock].tv_nsec; }
static void say(const char *who) { unsigned char b[8]; getrandom(b, 8, 0); struct rusage u; getrusage(RUSAGE_SELF, &u); printf("%s: %d %d %ld at %p, %02x%02x%02x%02x, %ld %ld cpu %ld, rand %d\n", who, getpid(), getppid(), syscall(SYS_gettid), (void *)b, b[0], b[1], b[2], b[3], since(CLOCK_MONOTONIC), since(CLOCK_REALTIME), since(CLOCK_PROCESS_CPUTIME_ID), rand()); fflush(stdout); }
static void *thread(void *p) { say("thread"); usleep(1500); say("thread again"); return NULL; }
int main(void) { unsigned long t = __rdtsc(); unsigned char *a = (void *)getauxval(AT_RANDOM); printf("%p %p %02x%02x, %lu\n", (void *)main, malloc(10), a[0], a[1], (unsigned long)(__rdtsc() - t)); say("first"); pthread_t th; pthread_create(&th, NULL, thread, NULL); if (fork() == 0) { say("child"); if (fork() == 0) { say("grandchild"); _exit(0); } wait(NULL); _exit(0); } usleep(1000); wait(NULL); pthread_join(th, NULL); FILE *f = tmpfile(); char name[] = "/tmp/det-XXXXXX"; int fd = mkstemp(name); printf("%s\n", name); unlink(name); printf("%d %d %lu\n", fileno(f), fd, (unsigned long)(__rdtsc() - t)); return 0; }

// getopt, environment, argv and the auxiliary vector, as the kernel hands them over.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv) {
    static const struct option options[] = {{"verbose", no_argument, NULL, 'v'}, {"output", required_argument, NULL, 'o'}, {"level", optional_argument, NULL, 'l'}, {0}};
    printf("%d %s\n", argc, strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0]);
    for (int c; (c = getopt_long(argc, argv, "abo:vl::", options, NULL)) != -1;) printf("option %c %s\n", c, optarg ? optarg : "-");
    for (int i = optind; i < argc; i++) printf("rest %s\n", argv[i]);
    printf("%s %d\n", getenv("HOME"), getenv("NOTHING") == NULL); setenv("NEW", "value", 1); putenv("PUT=1"); unsetenv("HOME"); int n = 0; for (char **e = environ; *e; e++) n++;
    printf("%s %s %d %d\n", getenv("NEW"), getenv("PUT"), getenv("HOME") == NULL, n);
    printf("%d %lu %lu %d %d\n", (int)getauxval(AT_PAGESZ), getauxval(AT_CLKTCK), getauxval(AT_SECURE), getauxval(AT_PHDR) != 0, getauxval(AT_RANDOM) != 0);
    printf("%d %lu %lu %s\n", (int)getauxval(AT_PHENT), getauxval(AT_UID), getauxval(AT_EGID), (char *)getauxval(AT_PLATFORM)); printf("%d %d\n", strstr((char *)getauxval(AT_EXECFN), "arguments") != NULL, getauxval(AT_SYSINFO_EHDR) != 0);
    printf("%d %d %d\n", ((uintptr_t)argv & 7) == 0, argv[argc] == NULL, environ == argv + argc + 1 || 1); printf("%ld %ld %ld\n", sysconf(_SC_PAGESIZE), sysconf(_SC_OPEN_MAX), sysconf(_SC_CLK_TCK));
    return argc;
}

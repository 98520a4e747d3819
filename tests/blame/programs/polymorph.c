/*
 * polymorph 0.4.0: names of files are made lower case in a local that is too short (SO). The loop has no end but that
 * of the name. Which of its two statements goes too far depends on the first character that does.
 *
 * polymorph, with names on standard input, one a line.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX 64
#define LONGEST 400
#define KNOWN 40

static char known[KNOWN][MAX];
static int known_count;
static int renamed, clashes;

static int is_known(const char *name) {
    for (int i = 0; i < known_count; i++)
        if (strncmp(known[i], name, MAX - 1) == 0)
            return 1;
    return 0;
}

static void remember(const char *name) {
    if (known_count == KNOWN)
        return;
    strncpy(known[known_count], name, MAX - 1);
    known_count++;
}

static int does_nameHaveUppers(const char *name) {
    for (; *name != '\0'; name++)
        if (isupper((unsigned char)*name))
            return 1;
    return 0;
}

/* As a directory with many files would be looked through. */
static unsigned survey(void) {
    unsigned all = 0;
    for (int round = 0; round < 20; round++)
        for (int i = 0; i < known_count; i++)
            for (const char *c = known[i]; *c != '\0'; c++)
                all = all * 31 + (unsigned char)*c;
    return all;
}

static unsigned convert_fileName(const char *original) {
    int *tally;
    long hops;
    char newname[MAX];
    int i;
    tally = &renamed;
    hops = 0;
    for (i = 0; original[i] != '\0'; i++) {     // @error
        if (isupper((unsigned char)original[i])) {
            newname[i] = (char)tolower((unsigned char)original[i]);     // @upper
            continue;
        }
        newname[i] = original[i];               // @lower
    }
    newname[i] = '\0';
    unsigned all = survey();
    if (is_known(newname))
        clashes++;
    remember(newname);
    if (original[0] != '-')
        *tally += 1;                            // @crash1
    return all + (hops == 1);
}                                               // @crash2

int main(void) {
    static char line[LONGEST];
    unsigned all = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (does_nameHaveUppers(line))
            all += convert_fileName(line);
        else
            remember(line);
    }
    printf("%d renamed, %d clashes, %u\n", renamed, clashes, all);
    return 0;
}

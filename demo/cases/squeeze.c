/*
 * squeeze: packs files by the lengths of their runs. FILE becomes FILE.rl; without files it packs its input to its
 * output. -f packs again what was packed, -n says what it would do and writes nothing.
 *
 *   gcc -g -O0 -fno-stack-protector -o squeeze squeeze.c
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_ROOM 64
#define LONGEST_RUN 255

struct totals {
    long files;
    long read;
    long written;
};

static struct totals totals;
static int force = 0;
static int only_say = 0;
static int status = 0;

static void complain(const char *name, const char *what)
{
    fprintf(stderr, "squeeze: %s: %s\n", name, what);
    status = 1;
}

static int ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

/* Pairs of a length and a byte. */
static void pack(FILE *from, FILE *to)
{
    int byte = getc(from), run = 0;
    while (byte != EOF) {
        int next = getc(from);
        run++;
        totals.read++;
        if (next != byte || run == LONGEST_RUN) {
            putc(run, to);
            putc(byte, to);
            totals.written += 2;
            run = 0;
        }
        byte = next;
    }
}

static void pack_regular(const char *name, char *packed)
{
    FILE *from = fopen(name, "r");
    if (from == NULL) {
        complain(name, "cannot be read");
        return;
    }
    FILE *to = fopen(only_say ? "/dev/null" : packed, "w");
    if (to == NULL) {
        complain(packed, "cannot be written");
    } else {
        pack(from, to);
        fclose(to);
        totals.files++;
    }
    fclose(from);
}

static int pack_file(char **fileptr)
{
    char tempname[NAME_ROOM];
    char packed[NAME_ROOM + 8];
    struct stat about;

    strcpy(tempname, *fileptr);
    if (stat(tempname, &about) != 0) {
        complain(tempname, "there is no such file");
        return 1;
    }
    if (!S_ISREG(about.st_mode)) {
        complain(tempname, "no regular file: left as it is");
        return 1;
    }
    if (ends_with(tempname, ".rl") && !force) {
        complain(tempname, "is packed already");
        return 1;
    }
    snprintf(packed, sizeof packed, "%s.rl", tempname);
    pack_regular(tempname, packed);
    return 0;
}

int main(int argc, char **argv)
{
    char **filelist = calloc((size_t)argc + 1, sizeof *filelist);
    char **fileptr = filelist;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-f") == 0)
            force = 1;
        else if (strcmp(argv[i], "-n") == 0)
            only_say = 1;
        else
            *fileptr++ = argv[i];
    }
    if (*filelist != NULL) {
        for (fileptr = filelist; *fileptr != NULL; fileptr++)
            pack_file(fileptr);
    } else {
        pack(stdin, stdout);
    }
    fprintf(stderr, "%ld files, %ld bytes, packed %ld\n", totals.files, totals.read, totals.written);
    free(filelist);
    return status;
}

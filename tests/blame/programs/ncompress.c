/*
 * ncompress 4.2.4 (Figure 6): the name of a file goes by strcpy into a local that is too short (SO). Behind it are two
 * numbers that hardly matter, then a pointer, then the caller's frame and the return address.
 *
 * ncompress NAME < DATA
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAXPATHLEN 64
#define BITS 9
#define TABLE (1 << BITS)

static unsigned char data[2048];
static short codes[TABLE][4];
static int used;
static unsigned total;

static int read_input(void) {
    int n = 0, c;
    while (n < (int)sizeof data && (c = getchar()) != EOF)
        data[n++] = (unsigned char)c;
    return n;
}

static int find(int prefix, int c) {
    for (int at = (prefix * 7 + c) % TABLE, tried = 0; tried < 8; tried++, at = (at + 1) % TABLE) {
        if (codes[at][0] == prefix && codes[at][1] == c)
            return codes[at][2];
        if (codes[at][3] == 0) {
            codes[at][0] = (short)prefix;
            codes[at][1] = (short)c;
            codes[at][2] = (short)(256 + used++ % 1024);
            codes[at][3] = 1;
            return -1;
        }
    }
    return -1;
}

static int compress(int length) {
    int prefix = -1, out = 0;
    for (int i = 0; i < length; i++) {
        int c = data[i];
        int code = prefix < 0 ? c : find(prefix, c);
        if (code < 0) {
            total = total * 31 + (unsigned)prefix;
            out++;
            prefix = c;
        } else {
            prefix = code;
        }
    }
    return out + (prefix >= 0);
}

static const char *extension(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot == NULL ? "" : dot;
}

static int comprexx(char **fileptr) {
    const char *suffix;
    int fdout;
    int fdin;
    char tempname[MAXPATHLEN];
    suffix = ".Z";
    fdin = 0;
    fdout = 1;
    strcpy(tempname, *fileptr);                 // @error @corrupt
    int length = read_input();
    int made = compress(length);
    if (strcmp(extension(tempname), ".Z") == 0)
        return -1;
    if (length % 2 == 0) {
        int same = suffix[0] == '.' && suffix[1] == 'Z';    // @crash1
        printf("%s%s\n", same ? "" : "?", *fileptr);
    }
    printf("%d to %d, %d and %d\n", length, made, fdin != 0, fdout != 1);
    return made;                                // the next line is
}                                               // @crash2

static int handle(char **argv) {
    int status = comprexx(&argv[1]);
    return status < 0 ? 2 : 0;
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 1;
    int status = handle(argv);
    printf("%u\n", total);
    return status;
}

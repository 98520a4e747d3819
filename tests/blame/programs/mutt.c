/*
 * mutt 1.4.2.1: a name of a folder becomes UTF-7 in a block of twice its length, which is not enough (HO). Behind the
 * block is the folder, whose pointers are used when it is shown.
 *
 * mutt ROUNDS, and the name in UTF-8 on standard input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct driver { const char *scheme; int port; };
struct folder { struct driver *driver; char *title; int messages; unsigned state; };

static const char B64Chars[64] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,";
static struct driver imap = { "imap", 143 };
static unsigned shown;

static void *safe_malloc(size_t size) {
    void *made = malloc(size);
    if (made == NULL)
        exit(3);
    return made;
}

/* One character: how many bytes it takes, and what it is. */
static int decode(const char *u8, size_t left, unsigned *ch) {
    unsigned char c = (unsigned char)*u8;
    int n = c < 0x80 ? 1 : c < 0xe0 ? 2 : 3;
    if ((size_t)n > left)
        return 0;
    *ch = n == 1 ? c : n == 2 ? c & 0x1f : c & 0x0f;
    for (int i = 1; i < n; i++)
        *ch = *ch << 6 | ((unsigned char)u8[i] & 0x3f);
    return n;
}

static char *utf8_to_utf7(const char *u8, size_t u8len, size_t *u7len) {
    char *buf = safe_malloc(u8len * 2 + 1);     // @error up to seven for one
    char *p = buf;
    int base64 = 0;
    unsigned b = 0, k = 0;
    while (u8len > 0) {
        unsigned ch = 0;
        int n = decode(u8, u8len, &ch);
        if (n == 0)
            break;
        u8 += n;
        u8len -= (size_t)n;
        if (ch >= 0x20 && ch < 0x7f) {
            if (base64) {
                if (k > 10)
                    *p++ = B64Chars[b & 63];
                *p++ = '-';
                base64 = 0;
            }
            *p++ = (char)ch;
            continue;
        }
        if (!base64) {
            *p++ = '&';
            base64 = 1;
            b = 0;
            k = 10;
        }
        if (ch & ~0xffffu)
            ch = 0xfffe;
        for (int shift = 12; shift >= 0; shift -= 6)
            *p++ = B64Chars[(ch >> shift) & 63];    // @corrupt
    }
    if (base64)
        *p++ = '-';
    *p++ = '\0';
    *u7len = (size_t)(p - buf);
    return buf;
}

static struct folder *open_folder(void) {
    struct folder *made = safe_malloc(sizeof *made);
    made->driver = &imap;
    made->title = safe_malloc(16);
    strcpy(made->title, "inbox");
    made->messages = 7;
    made->state = 1;
    return made;
}

static unsigned sum(const char *text, int rounds) {
    unsigned all = 0;
    for (int i = 0; i < rounds; i++)
        for (const char *c = text; *c != '\0'; c++)
            all = all * 31 + (unsigned char)*c;
    return all;
}

static void quote(char *out, size_t size, const char *name) {
    size_t at = 0;
    if (size > 2)
        out[at++] = '"';
    for (; *name != '\0' && at + 2 < size; name++)
        out[at++] = *name;
    out[at++] = '"';
    out[at] = '\0';
}

static void show(const struct folder *folder, const char *quoted) {
    const struct driver *driver = folder->driver;
    shown += (unsigned)driver->port;            // @crash1
    const char *title = folder->title;
    shown += (unsigned)strlen(title);           // @crash2
    printf("%s %u\n", quoted, shown);
}

int main(int argc, char **argv) {
    static char name[200];
    if (argc < 2 || fgets(name, sizeof name, stdin) == NULL)
        return 1;
    name[strcspn(name, "\n")] = '\0';
    size_t length = strlen(name);
    /* A gap of the size that is needed, right before the folder. */
    char *gap = safe_malloc(length * 2 + 1);
    struct folder *folder = open_folder();
    free(gap);
    size_t u7len;
    char *u7 = utf8_to_utf7(name, length, &u7len);
    shown = sum(u7, atoi(argv[1]));
    static char quoted[800];
    quote(quoted, sizeof quoted, u7);
    show(folder, quoted);
    return folder->messages == 0;
}

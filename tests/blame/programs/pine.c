/*
 * pine 4.44: the size of a list of addresses is estimated without the characters that will be quoted (5 dependences
 * away), a block of that size is made, and written over (HO). free() aborts, if what is behind the block matters.
 *
 * Addresses on standard input, one a line: personal name, tab, mailbox, tab, host. Its argument: how often they are measured.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ADDRESSES 64

struct address { char *personal, *mailbox, *host; struct address *next; };

static int formatted;

static void *fs_get(size_t size) {
    void *made = malloc(size);
    if (made == NULL)
        exit(3);
    return made;
}

static void fs_give(void **block) {
    free(*block);                               // @crash1
    *block = NULL;
}

static char *cpystr(const char *s) {
    return strcpy(fs_get(strlen(s) + 1), s);
}

static size_t est_personal(const struct address *a) {
    size_t size = strlen(a->personal) + 2;      // @error quoted characters take two
    return size;
}

static size_t est_size(const struct address *list) {
    size_t all = 0;
    for (const struct address *a = list; a != NULL; a = a->next) {
        size_t one = est_personal(a) + strlen(a->mailbox) + strlen(a->host);
        all += one + 6;
    }
    return all;
}

static size_t rounded(size_t size) {
    size_t more = size < 1040 ? 1040 : size;
    return more;
}

/* Writes at the end of what is there, and says where the new end is. */
static char *rfc822_cat(char *dest, const char *source, const char *specials) {
    int quoted = strpbrk(source, specials) != NULL;
    if (quoted)
        *dest++ = '"';
    for (; *source != '\0'; source++) {
        if (strchr(specials, *source) != NULL && *source != ' ')
            *dest++ = '\\';                     // @write
        *dest++ = *source;                      // @write2
    }
    if (quoted)
        *dest++ = '"';
    return dest;
}

static char *rfc822_address(char *dest, const struct address *a) {
    dest = rfc822_cat(dest, a->personal, " \"()<>");
    *dest++ = ' ';
    *dest++ = '<';
    dest = rfc822_cat(dest, a->mailbox, "");
    *dest++ = '@';
    dest = rfc822_cat(dest, a->host, "");
    *dest++ = '>';
    return dest;
}

static void rfc822_write_address(char *dest, const struct address *list) {
    for (const struct address *a = list; a != NULL; a = a->next) {
        dest = rfc822_address(dest, a);
        if (a->next != NULL)
            *dest++ = ',';
    }
    *dest = '\0';
}

static char *addr_list_string(const struct address *addresses) {
    size_t size = rounded(est_size(addresses));
    char *list = fs_get(size);                  // @corrupt
    rfc822_write_address(list, addresses);
    formatted++;
    return list;
}

static unsigned width_of(const char *text) {
    unsigned width = 0;
    for (; *text != '\0'; text++)
        width = width * 33 + (unsigned char)*text;
    return width;
}

static unsigned format_index_line(const struct address *addresses, int times) {
    unsigned width = 0;
    char *title = cpystr("index");
    char *string = addr_list_string(addresses);
    for (int i = 0; i < times; i++)
        width += width_of(string);
    void *given = string;
    fs_give(&given);
    fs_give((void **)&title);
    return width;
}

static struct address *parse(char *line) {
    struct address *made = fs_get(sizeof *made);
    char *mailbox = strchr(line, '\t'), *host = mailbox == NULL ? NULL : strchr(mailbox + 1, '\t');
    if (host == NULL)
        exit(1);
    *mailbox++ = *host++ = '\0';
    host[strcspn(host, "\n")] = '\0';
    made->personal = cpystr(line);
    made->mailbox = cpystr(mailbox);
    made->host = cpystr(host);
    made->next = NULL;
    return made;
}

int main(int argc, char **argv) {
    char line[2048];
    struct address *first = NULL, **last = &first;
    for (int n = 0; n < MAX_ADDRESSES && fgets(line, sizeof line, stdin) != NULL; n++) {
        *last = parse(line);
        last = &(*last)->next;
    }
    unsigned width = format_index_line(first, argc > 1 ? atoi(argv[1]) : 1);
    printf("%d: %u\n", formatted, width);
    return 0;
}

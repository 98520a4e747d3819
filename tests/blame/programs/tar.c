/*
 * tar 1.13.25: a directory that cannot be read has no contents, and is remembered so (ND). Much later its contents are
 * written.
 *
 * tar < LIST: names of files, one a line; a name that ends with a slash begins a directory, with a ! before it one that
 * cannot be read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 32
#define BLOCK 512

struct directory { char *name; char *contents; struct directory *next; };

static struct directory *table[BUCKETS];
static struct directory *order[64];
static int directories;
static unsigned checksum;

static unsigned hash(const char *name) {
    unsigned value = 5381;
    while (*name != '\0')
        value = value * 33 + (unsigned char)*name++;
    return value % BUCKETS;
}

static struct directory *note_directory(const char *name, int readable) {
    struct directory *made = malloc(sizeof *made);
    made->name = strdup(name);
    if (readable)
        made->contents = calloc(1, BLOCK);
    else
        made->contents = NULL;                  // @error @corrupt
    unsigned bucket = hash(name);
    made->next = table[bucket];
    table[bucket] = made;
    if (directories < 64)
        order[directories++] = made;
    return made;
}

static void add_file(struct directory *directory, const char *name) {
    if (directory == NULL || directory->contents == NULL)
        return;
    char *end = directory->contents;
    while (*end != '\0')
        end += strlen(end) + 1;
    if (end + strlen(name) + 2 < directory->contents + BLOCK)
        strcpy(end, name);
}

static void write_header(const struct directory *directory) {
    char block[BLOCK];
    memset(block, 0, sizeof block);
    snprintf(block, 100, "%s", directory->name);
    for (int round = 0; round < 8; round++)
        for (int i = 0; i < BLOCK; i++)
            checksum = checksum * 31 + (unsigned char)block[i];
}

static int write_contents(const struct directory *directory) {
    int files = 0;
    const char *entry = directory->contents;
    while (*entry != '\0') {                    // @crash1
        files++;
        checksum += (unsigned)strlen(entry);
        entry += strlen(entry) + 1;
    }
    return files;
}

int main(void) {
    char line[100];
    struct directory *current = NULL;
    int files = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        size_t length = strlen(line);
        if (length > 0 && line[length - 1] == '/')
            current = note_directory(line, line[0] != '!');
        else
            add_file(current, line);
    }
    for (int i = 0; i < directories; i++)
        write_header(order[i]);
    for (int i = 0; i < directories; i++)
        files += write_contents(order[i]);
    printf("%d directories, %d files: %u\n", directories, files, checksum);
    return 0;
}

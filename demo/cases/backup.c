/*
 * backup: what an incremental backup has to keep. Reads names of directories from its input, and lists the files in
 * each that are new or have another size than the snapshot says.
 *
 *   gcc -g -O0 -o backup backup.c
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NAME_ROOM 512

struct known {
    char *name;
    long size;
    struct known *next;
};

static struct known *snapshot = NULL;
static int status = 0;

static void *get(size_t size)
{
    void *room = malloc(size);
    if (room == NULL) {
        fprintf(stderr, "backup: out of memory\n");
        exit(2);
    }
    return room;
}

static void complain(const char *name, int error)
{
    fprintf(stderr, "backup: %s: %s\n", name, strerror(error));
    status = 1;
}

/* Lines of a size and a name. */
static void read_snapshot(const char *path)
{
    char name[NAME_ROOM];
    long size;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return;
    while (fscanf(file, "%ld %511s", &size, name) == 2) {
        struct known *known = get(sizeof *known);
        known->name = strcpy(get(strlen(name) + 1), name);
        known->size = size;
        known->next = snapshot;
        snapshot = known;
    }
    fclose(file);
}

static const struct known *find(const char *name)
{
    for (const struct known *known = snapshot; known != NULL; known = known->next)
        if (strcmp(known->name, name) == 0)
            return known;
    return NULL;
}

/* The names in a directory, each with its zero, and an empty one at the end; NULL if it cannot be read. */
static char *save_directory(const char *path)
{
    size_t used = 0, room = 256;
    struct dirent *entry;
    DIR *stream = opendir(path);
    if (stream == NULL)
        return NULL;
    char *names = get(room);
    while ((entry = readdir(stream)) != NULL) {
        size_t length = strlen(entry->d_name) + 1;
        if (entry->d_name[0] == '.')
            continue;
        while (used + length + 1 > room) {
            char *more = realloc(names, room *= 2);
            names = more;
        }
        memcpy(names + used, entry->d_name, length);
        used += length;
    }
    names[used] = '\0';
    closedir(stream);
    return names;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The same names, sorted. */
static char **sorted(char *names, int *count)
{
    size_t length;
    *count = 0;
    for (char *entry = names; (length = strlen(entry)) != 0; entry += length + 1)
        (*count)++;
    char **list = get(((size_t)*count + 1) * sizeof *list);
    int at = 0;
    for (char *entry = names; at < *count; entry += strlen(entry) + 1)
        list[at++] = entry;
    qsort(list, (size_t)*count, sizeof *list, by_name);
    return list;
}

static int list_directory(const char *path)
{
    int count, kept = 0;
    char *names = save_directory(path);
    if (names == NULL && errno != ENOENT) {
        complain(path, errno);
        return 0;
    }
    char **list = sorted(names, &count);
    for (int i = 0; i < count; i++) {
        char name[2 * NAME_ROOM];
        struct stat about;
        snprintf(name, sizeof name, "%s/%s", path, list[i]);
        if (stat(name, &about) != 0 || !S_ISREG(about.st_mode))
            continue;
        const struct known *known = find(name);
        if (known != NULL && known->size == about.st_size)
            continue;
        printf("%s %s\n", known == NULL ? "new    " : "changed", name);
        kept++;
    }
    free(list);
    free(names);
    return kept;
}

int main(int argc, char **argv)
{
    char path[NAME_ROOM];
    int directories = 0, kept = 0;

    if (argc > 1)
        read_snapshot(argv[1]);
    while (fgets(path, sizeof path, stdin) != NULL) {
        path[strcspn(path, "\n")] = '\0';
        if (path[0] == '\0' || path[0] == '#')
            continue;
        kept += list_directory(path);
        directories++;
    }
    printf("%d files of %d directories to keep\n", kept, directories);
    return status;
}

/*
 * cvs 1.11.4: a request for a directory that is malformed leaves early, after the name of the last one was freed; the
 * next request frees it again (DF).
 *
 * cvs < REQUESTS: Directory NAME, Entry NAME, one a line. A name that begins with / is malformed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry { char *name; struct entry *next; };

static char *dir_name;
static struct entry *entries;
static int requests, errors;
static unsigned sum;

static char *xstrdup(const char *s) {
    char *copy = malloc(strlen(s) + 1);
    if (copy == NULL)
        exit(3);
    return strcpy(copy, s);
}

static int outside_dir(const char *name) {
    return name[0] == '/' || strstr(name, "..") != NULL;
}

static void dirswitch(const char *dir) {
    if (dir_name != NULL)
        free(dir_name);                         // @corrupt @crash1
    if (outside_dir(dir)) {
        errors++;
        return;                                 // @error dir_name still points there
    }
    dir_name = xstrdup(dir);
}

static void serve_entry(const char *name) {
    struct entry *made = malloc(sizeof *made);
    made->name = malloc(200);
    snprintf(made->name, 200, "%s/%s", errors == 0 ? dir_name : "?", name);
    made->next = entries;
    entries = made;
}

static void check_entries(void) {
    for (const struct entry *e = entries; e != NULL; e = e->next)
        for (const char *c = e->name; *c != '\0'; c++)
            sum = sum * 31 + (unsigned char)*c;
}

static void serve(char *line) {
    char *argument = strchr(line, ' ');
    if (argument == NULL)
        return;
    *argument++ = '\0';
    requests++;
    if (strcmp(line, "Directory") == 0)
        dirswitch(argument);
    else if (strcmp(line, "Entry") == 0)
        serve_entry(argument);
    else
        errors++;
    check_entries();
}

static void free_entries(void) {
    while (entries != NULL) {
        struct entry *next = entries->next;
        free(entries->name);
        free(entries);
        entries = next;
    }
}

int main(void) {
    char line[120];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        serve(line);
    }
    free_entries();
    if (errors == 0)
        free(dir_name);
    printf("%d requests, %d errors: %u\n", requests, errors, sum);
    return 0;
}

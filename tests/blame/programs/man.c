/*
 * man 1.5h1: a list of sections is taken apart into a global table without a look at its size (GO). Behind the table is
 * an index that some ten million instructions later leads to a page far outside; it always crashes. What the index was
 * made of is one statement before what is left out first.
 *
 * man SECTION:SECTION:... NAME
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SECTIONS 8
#define PAGES 64
#define ROUNDS 2000

char *tmp_section_list[MAX_SECTIONS];
long first_page[2];
static char names[PAGES][24];
static unsigned marks[PAGES];

struct request {
    const char *name;
    long page;
};

static char *my_strdup(const char *s) {
    char *copy = malloc(strlen(s) + 1);
    if (copy == NULL)
        exit(3);
    return strcpy(copy, s);
}

static int get_section_list(char *list) {
    int i = 0;
    for (char *p = strtok(list, ":"); p != NULL; p = strtok(NULL, ":")) {  // @error
        tmp_section_list[i] = my_strdup(p);     // @corrupt
        i++;
    }
    return i;
}

static void make_names(void) {
    for (int i = 0; i < PAGES; i++)
        snprintf(names[i], sizeof names[i], "page-%d", i);
}

/* Looks at all names again and again, as a search in directories would. */
static unsigned glob_for_file(const char *name) {
    unsigned found = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < PAGES; i++) {
            const char *a = name, *b = names[i];
            while (*a != '\0' && *a == *b) {
                a++;
                b++;
            }
            if (*a == *b)
                found += (unsigned)i;
            marks[i] += found ^ (unsigned)round;
        }
    }
    return found;
}

static long manpage_offset(int section) {
    long page = first_page[0] * 2 + section;    // @found
    return page;
}

static struct request make_request(const char *name, int section) {
    struct request made;
    made.name = name;
    made.page = manpage_offset(section);
    return made;
}

static unsigned man_to_cat(const struct request *request) {
    long from = request->page;
    unsigned mark = marks[from];                // @crash1
    return mark + (unsigned)strlen(request->name);
}

static unsigned format_and_display(const struct request *request) {
    struct request copy = *request;
    unsigned searched = glob_for_file(copy.name);
    unsigned shown = man_to_cat(&copy);
    return searched + shown;
}

static unsigned man(const char *name, int sections) {
    unsigned shown = 0;
    for (int section = 0; section < sections && section < 1; section++) {
        struct request request = make_request(name, section);
        shown += format_and_display(&request);
    }
    return shown;
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 1;
    first_page[0] = 3;
    make_names();
    int sections = get_section_list(argv[1]);
    unsigned shown = man(argv[2], sections);
    printf("%s: %u\n", argv[2], shown);
    return 0;
}

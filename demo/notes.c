/*
 * A note-keeper with a bug, for `culprit check`. The bug is the one of a well-known HTML cleaner: a copy of a
 * structure shares a string with the original, and both free it.
 *
 * Built in the folder above with:  gcc -g -O0 -ffile-prefix-map=$PWD=. -Wl,--build-id=none -o demo/notes demo/notes.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct note {
    char *title;
    char *text;
    struct note *next;
};

static struct note *notes;

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    strcpy(copy, text);
    return copy;
}

static void add_note(const char *title, const char *text)
{
    struct note *note = malloc(sizeof *note);
    note->title = copy_text(title);
    note->text = copy_text(text);
    note->next = notes;
    notes = note;
}

static void duplicate_note(const struct note *original, const char *title)
{
    struct note *copy = malloc(sizeof *copy);
    *copy = *original;
    copy->title = copy_text(title);
    copy->next = notes;
    notes = copy;
}

static void free_note(struct note *note)
{
    free(note->title);
    free(note->text);
    free(note);
}

int main(void)
{
    add_note("shopping", "milk, bread, a debugger");
    add_note("reading", "Knuth, volume 4");
    duplicate_note(notes->next, "shopping again");
    for (const struct note *note = notes; note != NULL; note = note->next)
        printf("%s: %s\n", note->title, note->text);
    fflush(stdout);
    while (notes != NULL) {
        struct note *next = notes->next;
        free_note(notes);
        notes = next;
    }
    return 0;
}

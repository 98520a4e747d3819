/*
 * render: sets lines of text in fonts. Input: "font NAME SIZE" opens a font, "close NAME" closes it, "text NAME WORDS"
 * sets words in it. Objects come from a pool of their own with lists of free objects by size, as interpreters have it.
 *
 *   gcc -g -O0 -o render render.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POOL_SIZE 65536
#define UNIT 16
#define CLASSES 64
#define MOST_FONTS 8

/* Before each object. A free object has the next free one in its first bytes. */
typedef struct {
    unsigned units;
    unsigned in_use;
} Header;

typedef struct free_object {
    struct free_object *next;
} FreeObject;

/* What runs the instructions of a font: its stack is shared by fonts of a size. */
typedef struct {
    long *stack;
    int depth, room;
    int size;
} Context;

typedef struct {
    char name[24];
    int size;
    Context *context;
} Font;

/* A word as it is set. */
typedef struct glyphs {
    struct glyphs *next;
    int width;
    char word[20];
} Glyphs;

static char pool[POOL_SIZE] __attribute__((aligned(UNIT)));
static size_t pool_used = 0;
static FreeObject *free_lists[CLASSES];
static Font *fonts[MOST_FONTS];
static int font_count = 0;

static void *alloc_object(size_t size)
{
    unsigned units = (unsigned)((size + UNIT - 1) / UNIT);
    FreeObject *object = free_lists[units];
    if (object != NULL) {
        free_lists[units] = object->next;
        ((Header *)object)[-1].in_use = 1;
        return object;
    }
    Header *header = (Header *)(pool + pool_used + UNIT - sizeof(Header));
    pool_used += UNIT + units * UNIT;
    if (pool_used > POOL_SIZE) {
        fprintf(stderr, "render: the pool is full\n");
        exit(1);
    }
    header->units = units;
    header->in_use = 1;
    return header + 1;
}

static void free_object(void *object)
{
    Header *header = (Header *)object - 1;
    FreeObject *freed = object;
    header->in_use = 0;
    freed->next = free_lists[header->units];
    free_lists[header->units] = freed;
}

static Context *new_context(int size)
{
    Context *context = alloc_object(sizeof *context);
    context->size = size;
    context->depth = 0;
    context->room = 4;
    context->stack = alloc_object(context->room * sizeof *context->stack);
    return context;
}

static void destroy_context(Context *context)
{
    free_object(context->stack);
    free_object(context);
}

static void push(Context *context, long value)
{
    if (context->depth < context->room)
        context->stack[context->depth++] = value;
}

static long pop(Context *context)
{
    return context->depth == 0 ? 0 : context->stack[--context->depth];
}

/* How wide a letter is: what the font's program would compute. */
static int letter_width(Context *context, char letter)
{
    push(context, letter % 7 + 4);
    push(context, context->size);
    long size = pop(context);
    return (int)(pop(context) * size / 10);
}

static Font *find_font(const char *name)
{
    for (int i = 0; i < font_count; i++)
        if (strcmp(fonts[i]->name, name) == 0)
            return fonts[i];
    fprintf(stderr, "render: there is no font %s\n", name);
    exit(1);
}

static void open_font(const char *name, int size)
{
    if (font_count == MOST_FONTS)
        return;
    Font *font = alloc_object(sizeof *font);
    snprintf(font->name, sizeof font->name, "%s", name);
    font->size = size;
    font->context = NULL;
    for (int i = 0; i < font_count; i++)
        if (fonts[i]->size == size)
            font->context = fonts[i]->context;
    if (font->context == NULL)
        font->context = new_context(size);
    fonts[font_count++] = font;
}

static void close_font(const char *name)
{
    Font *font = find_font(name);
    destroy_context(font->context);
    for (int i = 0; i < font_count; i++)
        if (fonts[i] == font)
            fonts[i] = fonts[--font_count];
    free_object(font);
}

static Glyphs *set_word(Font *font, const char *word, Glyphs *before)
{
    Glyphs *glyphs = alloc_object(sizeof *glyphs);
    snprintf(glyphs->word, sizeof glyphs->word, "%s", word);
    glyphs->width = 0;
    glyphs->next = before;
    for (const char *letter = word; *letter != '\0'; letter++)
        glyphs->width += letter_width(font->context, *letter);
    return glyphs;
}

static void set_text(Font *font, char *words)
{
    Glyphs *last = NULL;
    int width = 0;
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
        last = set_word(font, word, last);
    while (last != NULL) {
        Glyphs *next = last->next;
        width += last->width;
        printf("%s/%d ", last->word, last->width);
        free_object(last);
        last = next;
    }
    printf("= %d in %s\n", width, font->name);
}

int main(void)
{
    char line[256], name[24];
    int size, words;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "font %23s %d", name, &size) == 2)
            open_font(name, size);
        else if (sscanf(line, "close %23s", name) == 1)
            close_font(name);
        else if (sscanf(line, "text %23s %n", name, &words) == 1)
            set_text(find_font(name), line + words);
    }
    return 0;
}

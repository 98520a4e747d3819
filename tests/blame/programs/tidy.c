/*
 * tidy: the parser takes an element apart that was never closed, forgets which one it was in, and goes on with its
 * children (ND). It crashes some fifty instructions later.
 *
 * tidy < TEXT: <name> begins an element, </> ends the last one, <!> drops all that are open.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 32

struct node { char name[12]; int children; struct node *parent, *content, *next; };

static struct node *root;
static int nodes, deepest;

static struct node *new_node(const char *name, size_t length) {
    struct node *made = calloc(1, sizeof *made);
    if (made == NULL)
        exit(3);
    memcpy(made->name, name, length < 11 ? length : 11);
    nodes++;
    return made;
}

static void insert(struct node *parent, struct node *child) {
    struct node **end = &parent->content;
    while (*end != NULL)
        end = &(*end)->next;
    *end = child;
    child->parent = parent;
    parent->children++;
}

static int depth_of(const struct node *node) {
    int depth = 0;
    for (; node->parent != NULL; node = node->parent)   // @crash1
        depth++;
    return depth;
}

static struct node *discard(struct node *open) {
    struct node *left = open;
    if (open->parent == NULL)
        return root;
    left = NULL;                                // @error @corrupt
    return left;
}

static void parse(const char *text) {
    struct node *open = root;
    while (*text != '\0') {
        if (*text != '<') {
            text++;
            continue;
        }
        text++;
        size_t length = strcspn(text, ">");
        if (text[0] == '/') {
            open = open->parent != NULL ? open->parent : root;
        } else if (text[0] == '!') {
            open = discard(open);
        } else {
            struct node *made = new_node(text, length);
            insert(open, made);
            open = made;
        }
        int depth = depth_of(open);
        if (depth > deepest)
            deepest = depth;
        if (depth >= DEEPEST)
            return;
        text += length;
    }
}

static void print(const struct node *node, int depth) {
    printf("%*s%s (%d)\n", depth * 2, "", node->name, node->children);
    for (const struct node *child = node->content; child != NULL; child = child->next)
        print(child, depth + 1);
}

int main(void) {
    static char text[4096];
    size_t length = fread(text, 1, sizeof text - 1, stdin);
    text[length] = '\0';
    root = new_node("document", 8);
    parse(text);
    print(root, 0);
    printf("%d nodes, %d deep\n", nodes, deepest);
    return 0;
}

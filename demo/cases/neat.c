/*
 * neat: reads a page of HTML and writes it again, well-formed: what is open is closed, inline elements (<b>, <i>,
 * <font>) that a block cuts off go on in the next one, and those that hold nothing are left out.
 *
 *   gcc -g -O0 -o neat neat.c
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A part of a tag that the server makes, <?...?>. */
typedef struct script {
    const char *from; /* in the page */
    size_t length;
    char *code;
} Script;

typedef struct attribute {
    char *name;
    char *value;
    Script *script;
    struct attribute *next;
} Attribute;

typedef struct node {
    char *element; /* NULL for text */
    char *text;
    Attribute *attributes;
    struct node *parent, *content, *last, *next;
} Node;

/* An inline element that is open: it goes on in the next block. */
typedef struct {
    char *element;
    Attribute *attributes;
} Inline;

#define MOST_OPEN 16

static Inline open_inlines[MOST_OPEN];
static int open_count = 0;
static const char *at;

static char *copy(const char *text)
{
    return text == NULL ? NULL : strdup(text);
}

static Attribute *dup_attributes(const Attribute *from)
{
    if (from == NULL)
        return NULL;
    Attribute *made = malloc(sizeof *made);
    *made = *from;
    made->name = copy(from->name);
    made->value = copy(from->value);
    made->next = dup_attributes(from->next);
    return made;
}

static void free_attributes(Attribute *attribute)
{
    while (attribute != NULL) {
        Attribute *next = attribute->next;
        if (attribute->script != NULL) {
            free(attribute->script->code);
            free(attribute->script);
        }
        free(attribute->name);
        free(attribute->value);
        free(attribute);
        attribute = next;
    }
}

static void free_node(Node *node)
{
    while (node->content != NULL) {
        Node *next = node->content->next;
        free_node(node->content);
        node->content = next;
    }
    free_attributes(node->attributes);
    free(node->element);
    free(node->text);
    free(node);
}

static Node *add_node(Node *parent, char *element, char *text)
{
    Node *node = calloc(1, sizeof *node);
    node->element = element;
    node->text = text;
    node->parent = parent;
    if (parent == NULL)
        return node;
    if (parent->last == NULL)
        parent->content = node;
    else
        parent->last->next = node;
    parent->last = node;
    return node;
}

static int is_inline(const char *element)
{
    return strcmp(element, "font") == 0 || strcmp(element, "b") == 0 || strcmp(element, "i") == 0;
}

static void push_inline(const Node *node)
{
    if (!is_inline(node->element) || open_count == MOST_OPEN)
        return;
    open_inlines[open_count].element = copy(node->element);
    open_inlines[open_count].attributes = dup_attributes(node->attributes);
    open_count++;
}

static void pop_inline(const Node *node)
{
    if (open_count == 0 || strcmp(open_inlines[open_count - 1].element, node->element) != 0)
        return;
    open_count--;
    free(open_inlines[open_count].element);
    free_attributes(open_inlines[open_count].attributes);
}

/* What a block before this one cut off. */
static Node *reopen_inlines(Node *block)
{
    for (int i = 0; i < open_count; i++) {
        block = add_node(block, copy(open_inlines[i].element), NULL);
        block->attributes = dup_attributes(open_inlines[i].attributes);
    }
    return block;
}

static Node *discard(Node *node)
{
    Node *parent = node->parent, *before = parent->content;
    if (before == node) {
        parent->content = node->next;
    } else {
        while (before->next != node)
            before = before->next;
        before->next = node->next;
    }
    if (parent->last == node)
        parent->last = parent->content == NULL ? NULL : before;
    free_node(node);
    return parent;
}

static int can_prune(const Node *node)
{
    return node->content == NULL && is_inline(node->element);
}

static Node *trim_empty(Node *node)
{
    Node *parent = node->parent;
    if (can_prune(node))
        return discard(node);
    return parent;
}

static char *word_until(const char *ends)
{
    size_t length = strcspn(at, ends);
    char *word = strndup(at, length);
    at += length;
    return word;
}

static Attribute *parse_attribute(void)
{
    Attribute *made = calloc(1, sizeof *made);
    if (at[0] == '<' && at[1] == '?') {
        at += 2;
        made->script = malloc(sizeof *made->script);
        made->script->from = at;
        made->script->code = word_until("?");
        made->script->length = strlen(made->script->code);
        at += strncmp(at, "?>", 2) == 0 ? 2 : 0;
        return made;
    }
    made->name = word_until("= >");
    if (*at == '=') {
        at++;
        at += *at == '"';
        made->value = word_until("\"> ");
        at += *at == '"';
    }
    return made;
}

static Node *parse_start(Node *parent)
{
    Node *node = add_node(parent, word_until(" <>"), NULL);
    Attribute **end = &node->attributes;
    for (at += strspn(at, " "); *at != '\0' && *at != '>'; at += strspn(at, " ")) {
        *end = parse_attribute();
        end = &(*end)->next;
    }
    at += *at == '>';
    if (is_inline(node->element)) {
        push_inline(node);
        return node;
    }
    return reopen_inlines(node);
}

static Node *parse_end(Node *node)
{
    char *element = word_until(">");
    at += *at == '>';
    while (node->parent != NULL) {
        int is_it = strcmp(node->element, element) == 0;
        if (is_it)
            pop_inline(node);
        node = trim_empty(node);
        if (is_it)
            break;
    }
    free(element);
    return node;
}

static Node *parse(const char *page)
{
    Node *root = add_node(NULL, strdup("html"), NULL), *node = root;
    at = page;
    while (*at != '\0') {
        if (at[0] == '<' && at[1] == '/') {
            at += 2;
            node = parse_end(node);
        } else if (*at == '<') {
            at++;
            node = parse_start(node);
        } else {
            add_node(node, NULL, word_until("<"));
        }
    }
    return root;
}

static void print(const Node *node)
{
    if (node->element == NULL) {
        fputs(node->text, stdout);
        return;
    }
    printf("<%s", node->element);
    for (const Attribute *a = node->attributes; a != NULL; a = a->next) {
        if (a->script != NULL)
            printf(" <?%s?>", a->script->code);
        else
            printf(a->value == NULL ? " %s" : " %s=\"%s\"", a->name, a->value);
    }
    printf(">");
    for (const Node *content = node->content; content != NULL; content = content->next)
        print(content);
    printf("</%s>", node->element);
}

int main(void)
{
    static char page[4096];
    size_t length = fread(page, 1, sizeof page - 1, stdin);
    while (length > 0 && isspace((unsigned char)page[length - 1]))
        length--;
    page[length] = '\0';
    Node *root = parse(page);
    print(root);
    printf("\n");
    return 0;
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct conn { void (*handler)(struct conn *); int id; char name[16]; };
static void hello(struct conn *c) { printf("conn %d %s\n", c->id, c->name); }
static struct conn *make(int id) { struct conn *c = malloc(sizeof *c); c->handler = hello; c->id = id; strcpy(c->name, "abc"); return c; }
int main(void) {
    struct conn *a = make(1), *b = make(2);
    a->handler(a); b->handler(b);
    free(a);
    char *text = malloc(sizeof(struct conn));
    memset(text, 'x', sizeof(struct conn));
    a->handler(a);
    free(text); free(b);
    return 0;
}

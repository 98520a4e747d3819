/** A null pointer that a wrong guard lets through. */
#include <stdio.h>
#include <stdlib.h>
struct node { int key; int value; struct node *next; };
static struct node *head;
static volatile int verbose = 1;
static void add(int key, int value) {
    struct node *n = malloc(sizeof *n);
    n->key = key;
    n->value = value;
    n->next = head;
    head = n;
}
APART struct node *find(int key) {
    for (struct node *n = head; COND(n != NULL); n = n->next) // @loop
        if COND(n->key == key) // @key
            return n;
    return NULL;
}
APART void show(struct node *n) {
    printf("value %d\n", n->value);
}
int main(void) {
    add(1, 10);
    add(2, 20);
    struct node *found = find(7);
    if COND(found != NULL || verbose) // @guard
        CALL(show(found)); // @show
    if COND(head == NULL) // @unrelated
        puts("empty");
    puts("done");
    return 0;
}

// qsort, bsearch, lsearch-like tables, tree and hash from search.h, random numbers of libc.
#define _GNU_SOURCE
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct record { int key; char name[12]; double weight; };
static int byKey(const void *a, const void *b) { return ((const struct record *)a)->key - ((const struct record *)b)->key; }
static int byName(const void *a, const void *b) { return strcmp(((const struct record *)a)->name, ((const struct record *)b)->name); }
static int integers(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
static long visited;
static void visit(const void *node, VISIT which, int depth) {
    if (which == postorder || which == leaf) visited = visited * 31 + **(int *const *)node + depth * 0;
}
int main(void) {
    static struct record records[500];
    uint32_t x = 1;
    for (int i = 0; i < 500; i++) {
        x = x * 1664525 + 1013904223;
        records[i] = (struct record){(int)(x >> 8) % 100000 * 500 + i, "", x / 4294967296.0};
        snprintf(records[i].name, sizeof records[i].name, "n%x", x);
    }
    qsort(records, 500, sizeof *records, byKey);
    for (int i = 0; i < 500; i += 50) printf("%d %s %.6f\n", records[i].key, records[i].name, records[i].weight);
    struct record *found = bsearch(&records[77], records, 500, sizeof *records, byKey), wanted = {-5, "", 0};
    printf("%ld %p\n", (long)(found - records), bsearch(&wanted, records, 500, sizeof *records, byKey));
    qsort(records, 500, sizeof *records, byName);
    printf("%s %s %s\n", records[0].name, records[250].name, records[499].name);
    int *many = malloc(50000 * sizeof *many);
    for (int i = 0; i < 50000; i++) many[i] = (int)((x = x * 1664525 + 1013904223) >> 4);
    qsort(many, 50000, sizeof *many, integers);
    for (int i = 1; i < 50000; i++) if (many[i - 1] > many[i]) return puts("unsorted"), 1;
    printf("%d %d %d\n", many[0], many[25000], many[49999]);
    void *root = NULL;
    for (int i = 0; i < 200; i++) tsearch(&many[i * 7919 % 50000], &root, integers);
    twalk(root, visit); printf("%ld %d\n", visited, tfind(&many[7919], &root, integers) != NULL);
    hcreate(100); ENTRY e = {"key", "value"}; hsearch(e, ENTER); ENTRY *r = hsearch((ENTRY){"key", NULL}, FIND); printf("%s\n", (char *)r->data);
    div_t d = div(-17, 5); ldiv_t l = ldiv(1L << 40, 1000); printf("%d %d %ld %ld %d\n", d.quot, d.rem, l.quot, l.rem, abs(-3));
    return 0;
}

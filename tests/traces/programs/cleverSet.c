/* A set of small numbers as a sorted array. Its remove forgets to move the last element, unless it is told to be right. */
#include <stdio.h>
#include <string.h>

#define MOST 32
struct set { int count; int members[MOST]; };
static int isRight;

int contains(struct set *s, int x) {
    int low = 0, high = s->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (s->members[middle] < x) low = middle + 1; else high = middle;
    }
    return low < s->count && s->members[low] == x;
}

void insert(struct set *s, int x) {
    int i = s->count;
    if (contains(s, x)) return;
    while (i > 0 && s->members[i - 1] > x) { s->members[i] = s->members[i - 1]; i--; }
    s->members[i] = x;
    s->count++;
}

void delete(struct set *s, int x) {
    int i = 0;
    while (i < s->count && s->members[i] != x) i++;
    if (i == s->count) return;
    s->count--;
    for (; i < s->count - (isRight ? 0 : 1); i++) s->members[i] = s->members[i + 1];   /* MARK: bug */
}

int main(int argc, char **argv) {
    struct set s = { 0 };
    isRight = argc > 1;
    for (int i = 0; i < 8; i++) insert(&s, (i * 5) % 8);
    delete(&s, 7);
    delete(&s, 2);
    insert(&s, 9);
    printf("%d %d\n", contains(&s, 6), contains(&s, 9));
    return 0;
}

/*
 * Two errors that have nothing to do with each other: a name that is too long for a global (GO), and a session that is
 * used after it was freed (UAF). Both crash, at different lines. -DFIXED_NAME and -DFIXED_SESSION repair one each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME 16
#ifdef FIXED_NAME
#define LIMIT(n) ((n) < NAME - 1 ? (n) : NAME - 1)
#else
#define LIMIT(n) (n)
#endif

struct session { char *user; long state; };

char name[NAME];
const char *greeting;
static struct session *current;
static long *scores;

static void take_name(const char *given) {
    size_t length = LIMIT(strlen(given));
    for (size_t i = 0; i < length; i++)
        name[i] = given[i];                     // @name
}

static void end_session(void) {
    free(current);
#ifdef FIXED_SESSION
    current = NULL;
#endif
}

static void take_scores(int count) {
    scores = malloc(sizeof(struct session));
    for (int i = 0; i < count && i < 2; i++)
        scores[i] = 0x4141 + i;
}

static void say_greeting(void) {
    int hash = 0;
    for (const char *c = greeting; *c != '\0'; c++)     // @crash1
        hash = hash * 31 + *c;
    printf("%d\n", hash);
}

static void show_session(void) {
    if (current == NULL)
        return;
    const char *user = current->user;           // @session
    printf("%c\n", user[0]);                    // @crash2
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 1;
    greeting = "hello";
    current = malloc(sizeof *current);
    current->user = "user";
    current->state = 1;
    take_name(argv[1]);
    end_session();
    take_scores(2);
    say_greeting();
    show_session();
    return 0;
}

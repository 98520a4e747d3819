/* Says a lot on both of its streams, in JSON's own words, and then makes a mistake. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("[{\"rule\": \"mine\"}]\nto stdout\n");
    fprintf(stderr, "]}\nto stderr\n");
    char *p = malloc(10);
    if (argc > 1)
        p[10] = 1; /* BUG */
    free(p);
    fprintf(stderr, "no newline at the end");
    return 3;
}

// Standard input as a pipe: partial reads, lines, end of file, pushback; echoes with statistics.
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    char first[10] = {0}, line[256]; long lines = 0, words = 0, bytes = 0; int in = 0;
    ssize_t n = read(0, first, 9); printf("%zd [%s]\n", n, first);
    while (fgets(line, sizeof line, stdin)) { lines++; bytes += (long)strlen(line); for (char *p = line; *p; p++) { int s = !!isspace((unsigned char)*p); words += s && in; in = !s; } }
    printf("%ld %ld %ld eof %d error %d\n", lines, words, bytes, feof(stdin) != 0, ferror(stdin)); clearerr(stdin); printf("%d\n", getchar());
    return 0;
}

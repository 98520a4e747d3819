// String and memory functions at every alignment and many lengths: libc picks tuned assembly.
#define _GNU_SOURCE
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
static unsigned char a[1024], b[1024];
static uint64_t sum = 14695981039346656037u;
static void mix(uint64_t x) { sum = (sum ^ x) * 1099511628211u; }
static int sign(int x) { return (x > 0) - (x < 0); }
int main(void) {
    for (int offset = 0; offset < 33; offset++)
        for (int length = 0; length < 200; length += length < 70 ? 1 : 13) {
            for (int i = 0; i < 1024; i++) a[i] = b[i] = (unsigned char)('a' + (i * 7 + offset) % 26);
            char *s = (char *)a + offset, *t = (char *)b + 64 + offset / 2;
            s[length] = 0;
            mix(strlen(s)); mix(strnlen(s, 40)); memcpy(t, s, length + 1); mix(strcmp(s, t) == 0); mix(memcmp(s, t, length) == 0);
            if (length > 2) { t[length - 2] ^= 1; mix(sign(strcmp(s, t)) + 2); mix(sign(memcmp(s, t, length)) + 2); mix(sign(strncmp(s, t, length - 2)) + 2); mix(sign(strcasecmp(s, t)) + 2); }
            char *p = memchr(s, 'q', length), *q = strchr(s, 'z'), *r = strrchr(s, 'c'), *u = memrchr(s, 'h', length);
            mix(p ? p - s : 999); mix(q ? q - s : 999); mix(r ? r - s : 999); mix(u ? u - s : 999);
            memmove(s + 3, s, length); memmove(t, t + 5, length); memset(s + length / 2, 'x', length / 3); mix(strspn(s, "abcx")); mix(strcspn(s, "kx"));
            char *v = strstr(s, "xx"), *w = memmem(s, length, "ho", 2); mix(v ? v - s : 999); mix(w ? w - s : 999);
            for (int i = 0; i < 300; i++) mix(a[i] + 256u * b[i + 64]);
        }
    printf("%016llx\n", (unsigned long long)sum);
    char text[] = "one,two;;three", *save, buffer[32];
    for (char *p = strtok_r(text, ",;", &save); p; p = strtok_r(NULL, ",;", &save)) printf("%s ", p);
    char *rest = strdup("a:b::c"), *cursor = rest, *field; while ((field = strsep(&cursor, ":"))) printf("[%s]", field); free(rest);
    printf("%s %s %s\n", strncpy(buffer, "copied", 32), strncat(buffer, "+more", 3), (char *)mempcpy(buffer + 9, "end", 4) - 4);
    printf("%ld %lu %lld %d %s\n", strtol("-0x7fz", &save, 0), strtoul("777", NULL, 8), strtoll("99999999999999999999", NULL, 10), atoi(" 12a"), save);
    for (int c = 0; c < 128; c++) putchar("0123456789abcdef"[!!isalpha(c) + 2 * !!isdigit(c) + 4 * !!isspace(c) + 8 * !!ispunct(c)]);
    printf("\n%s %s %s\n", strerror(2), strsignal(11), strpbrk("needle in", "il"));
    return 0;
}

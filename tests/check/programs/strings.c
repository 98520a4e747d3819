/* Strings and bytes that fill blocks of the heap to their last byte, and functions that look at them: nothing here is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

enum { LONGEST = 40 };

static size_t sum;

static char *text(size_t length, int fill) {
  char *s = malloc(length + 1);
  for (size_t i = 0; i < length; i++) s[i] = fill ? fill : 'a' + i % 20;
  s[length] = 0;
  return s;
}

static char *bytes(const char *from, size_t n) {
  char *p = malloc(n);
  for (size_t i = 0; i < n; i++) p[i] = from[i];
  return p;
}

static wchar_t *wide(size_t length) {
  wchar_t *s = malloc((length + 1) * sizeof *s);
  for (size_t i = 0; i < length; i++) s[i] = L'a' + i % 20;
  s[length] = 0;
  return s;
}

static void look(const char *a, const char *b, size_t n) {
  sum += strlen(a) + strnlen(a, n + 100) + (strchr(a, '!') != 0) + (strchr(a, 0) - a) + (strrchr(a, '!') != 0) + (strrchr(a, 'a') != 0) + (strchrnul(a, '!') - a);
  sum += (strcmp(a, b) == 0) + (strncmp(a, b, n) == 0) + (strncmp(a, b, n + 10) == 0) + (strcasecmp(a, b) == 0) + (strncasecmp(a, b, n + 10) == 0) + (strcoll(a, b) == 0);
  sum += (strstr(a, "zz") != 0) + (strcasestr(a, "zz") != 0) + strspn(a, "abcdefghij") + strcspn(a, "!?") + (strpbrk(a, "!?") != 0);
  char *set = text(n, '!');
  sum += strspn(a, set) + strcspn(a, set) + (strpbrk(a, set) != 0) + (strstr(a, set) != 0) + atoi(a) + strtol(a, NULL, 10);
  free(set);
  char out[200], word[10];
  sum += snprintf(out, sizeof out, "%s %.*s", a, (int)n, b) + sscanf(a, "%5s", word);
}

static void lookAtBytes(const char *a, const char *b, size_t n) {
  sum += strnlen(a, n) + (memchr(a, '!', n) != 0) + (memrchr(a, '!', n) != 0) + (memcmp(a, b, n) == 0) + (bcmp(a, b, n) == 0) + (memmem(a, n, "zz", 2) != 0);
  char *copy = malloc(n), *string = strndup(a, n);
  memcpy(copy, a, n), memmove(copy + 1, copy, n - 1), memmove(copy, copy + 1, n - 1), memset(copy, 1, n), sum += (char *)mempcpy(copy, a, n) - copy;
  free(copy), free(string);
}

static void copy(const char *a, size_t n) {
  char *to = malloc(n + 1), *twice = malloc(2 * n + 1), *same = strdup(a), *rest = NULL;
  strcpy(to, a), sum += stpcpy(to, a) - to, strncpy(to, a, n + 1), sum += stpncpy(to, a, n) - to, sum += stpncpy(to, a, n + 1) - to;
  strcpy(twice, a), strcat(twice, to), twice[n] = 0, strncat(twice, a, n);
  for (char *word = strtok_r(same, "c", &rest); word != NULL; word = strtok_r(NULL, "c", &rest)) sum += strlen(word);
  free(to), free(twice), free(same);
}

static void lookAtWide(size_t n) {
  wchar_t *a = wide(n), *b = malloc((n + 1) * sizeof *b);
  wcscpy(b, a), sum += wcpcpy(b, a) - b;
  sum += wcslen(a) + wcsnlen(a, n + 9) + (wcscmp(a, b) == 0) + (wcsncmp(a, b, n + 3) == 0) + (wcschr(a, L'!') != 0) + (wcsrchr(a, L'!') != 0) + (wmemchr(a, L'!', n) != 0);
  wmemcpy(b, a, n), wmemset(b, L'q', n);
  free(a), free(b);
}

int main(void) {
  for (size_t n = 1; n <= LONGEST; n++) {
    for (size_t skip = 0; skip < 2 && skip < n; skip++) {
      char *a = text(n, 0), *b = text(n, 0), *c = bytes(a, n), *d = bytes(a, n);
      look(a + skip, b + skip, n - skip), copy(a + skip, n - skip), lookAtBytes(c + skip, d + skip, n - skip);
      free(a), free(b), free(c), free(d);
    }
    lookAtWide(n);
  }
  printf("%zu\n", sum);
  return 0;
}

/* Four bugs corrupt a pointer; thirty places use it, chosen by the input: KIND, SITE, then what is copied. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct target { long value; };
static struct target good = { 1 };
static char title[16];
static struct target *after_title;

/* Each on a line of its own: a crash there is another one. */
#define SITE(n) static long site_##n(struct target *t) { return t->value + 1##n; }
SITE(00)
SITE(01)
SITE(02)
SITE(03)
SITE(04)
SITE(05)
SITE(06)
SITE(07)
SITE(08)
SITE(09)
SITE(10)
SITE(11)
SITE(12)
SITE(13)
SITE(14)
SITE(15)
SITE(16)
SITE(17)
SITE(18)
SITE(19)
SITE(20)
SITE(21)
SITE(22)
SITE(23)
SITE(24)
SITE(25)
SITE(26)
SITE(27)
SITE(28)
SITE(29)
static long (*const sites[30])(struct target *) = { site_00, site_01, site_02, site_03, site_04, site_05, site_06, site_07, site_08, site_09, site_10, site_11, site_12, site_13, site_14, site_15, site_16, site_17, site_18, site_19, site_20, site_21, site_22, site_23, site_24, site_25, site_26, site_27, site_28, site_29 };

static struct target *heap_bug(const char *text, size_t length) {
  char *name = malloc(24);
  struct target **owner = malloc(sizeof *owner);
  *owner = &good;
  for (size_t i = 0; i < length; i++) name[i] = text[i]; /* MARK: heap */
  return *owner;
}

static struct target *global_bug(const char *text, size_t length) {
  after_title = &good;
  for (size_t i = 0; i < length; i++) title[i] = text[i]; /* MARK: global */
  return after_title;
}

static struct target *dangling_bug(const char *text, size_t length) {
  char *old = malloc(sizeof(struct target *));
  free(old);
  struct target **owner = malloc(sizeof *owner);
  *owner = &good;
  for (size_t i = 0; i < length && i < 8; i++) old[i] = text[i]; /* MARK: dangling */
  return *owner;
}

static struct target *stack_bug(const char *text, size_t length) {
  struct target *volatile owner = &good;
  char line[16];
  for (volatile size_t i = 0; i < length; i++) line[i] = text[i]; /* MARK: stack */
  return line[0] == 0 ? &good : owner;
}

int main(int argc, char **argv) {
  char text[256];
  FILE *in = argc > 1 ? fopen(argv[1], "rb") : stdin;
  size_t length = in == NULL ? 0 : fread(text, 1, sizeof text, in);
  if (length < 2) return 0;
  struct target *target = &good;
  size_t rest = length - 2;
  switch (text[0]) {
  case 'h': target = heap_bug(text + 2, rest); break;
  case 'g': target = global_bug(text + 2, rest); break;
  case 'd': target = dangling_bug(text + 2, rest); break;
  case 's': target = stack_bug(text + 2, rest); break;
  case 'q': return (int)length / (text[1] - '0'); /* MARK: division */
  case 'a': assert(text[1] != '0'); break;        /* MARK: assertion */
  case 'n': *(char *)malloc((size_t)1 << 40) = 1; break; /* MARK: null */
  case 'l': for (;;) ; /* MARK: hang */
  }
  return (int)(sites[(unsigned char)text[1] % 30](target) & 1) * 0;
}

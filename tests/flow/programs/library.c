/* What libc copies, makes and hands out. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct item {
  long key;
  char *name;
  long rest[4];
};

static struct item *table;
static volatile size_t count = 2;

static int byKey(const void *a, const void *b) {
  return ((const struct item *)a)->key < ((const struct item *)b)->key ? -1 : 1;
}

static void fill(char *name) {
  table = malloc(count * sizeof *table);
  memset(table, 0, count * sizeof *table);
  table[0].key = 7;
  table[0].name = name;
  table[1].key = 3;
}

static void grow(void) {
  char *block = malloc(64);
  count = 4096;
  table = realloc(table, count * sizeof *table);
  block[0] = 'x';
}

int main(int argc, char **argv) {
  char *name = strdup("first");
  fill(name);
  grow();
  qsort(table, 2, sizeof *table, byKey);
  struct item *copies = malloc(count * sizeof *copies);
  memmove(copies, table, count * sizeof *copies);
  char *taken = copies[1].name;
  char *letter = strchr(taken, 'r');
  char buffer[32];
  strcpy(buffer, taken);
  char initial = buffer[0];
  char text[32];
  snprintf(text, sizeof text, "%d", argc + 41);
  char digit = text[0];
  int fd = open("/dev/zero", O_RDONLY);
  int given = fd;
  char input[8];
  read(given, input, sizeof input);
  char got = input[3];
  char **words = argv;
  char *program = words[0];
  long zero = copies[0].rest[2];
  return initial + digit + got + (int)zero + letter[0] + program[0] == 0; // MARK: end
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
  char name[16];
  const char *value;
};

static struct entry *named(struct entry *entry, const char *name)
{
  strcpy(entry->name, name);
  return entry;
}

int main(int argc, char **argv)
{
  struct entry *entry = named(memset(malloc(sizeof *entry), 1, sizeof *entry), argv[argc - 1]);
  return entry->value[0];
}

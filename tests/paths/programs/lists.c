/* A program with the bugs that the tools report on; tests/paths/fixtures has what they say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
  int value;
  struct node *next;
};

static struct node *make(int value)
{
  struct node *made = malloc(sizeof *made);
  if (made == NULL)
    abort();
  made->value = value;
  made->next = NULL;
  return made;
}

static void drop(struct node *list)
{
  if (list->value > 0) {
    free(list);
  }
}

static int first(struct node *list)
{
  return list->value;
}

static int use_freed(void)
{
  struct node *list = make(3);
  drop(list);
  return first(list);
}

static int use_null(int count)
{
  int *place = NULL;
  int there = 0;
  if (count > 2)
    place = &there;
  else if (count > 100)
    place = &count;
  return *place;
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "null") == 0)
    return use_null(argc);
  return use_freed();
}

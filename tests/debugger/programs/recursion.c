#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
  int value;
  struct node *left, *right;
};

static struct node *insert(struct node *root, int value) {
  if (root == NULL) {
    struct node *made = calloc(1, sizeof *made);
    made->value = value;
    return made;
  }
  if (value < root->value)
    root->left = insert(root->left, value);
  else
    root->right = insert(root->right, value);
  return root;
}

static int sum(const struct node *root) { return root == NULL ? 0 : root->value + sum(root->left) + sum(root->right); }

static int compare(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv) {
  int values[] = {5, 2, 8, 1};
  struct node *root = NULL;
  for (int i = 0; i < 4; i++) root = insert(root, values[i]);
  int total = sum(root);
  qsort(values, 4, sizeof *values, compare);
  char text[16];
  snprintf(text, sizeof text, "%d", total);
  switch (strlen(text)) {
  case 1:
    total = 1;
    break;
  case 2:
    total = 2;
    break;
  default:
    total = 3;
  }
  while (total > 0 && values[0] > 0) total--;
  do {
    total++;
  } while (total < 3);
  printf("%d %s\n", total, text);
  return total == 3 ? 0 : 1;
}

/* Variables that hide others of the same name. */
int level = 1;

struct pair {
  int left, right;
};

int inner(int level, struct pair *pair) {
  int sum = level + pair->left;
  for (int i = 0; i < 1; i++) {
    int level = 30;
    sum += level;
    {
      int sum = 400;
      level += sum;
      pair->right = level; /* here */
    }
  }
  return sum;
}

int main(void) {
  struct pair pair = { 2, 3 };
  return inner(10, &pair) == 42 ? 0 : 1;
}

/* A function that calls itself some thousand times: steps over it are steps over all of that. */
static int fib(int n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(void) {
  int before = 1;
  int number = fib(17);
  return number + before == 1598;
}

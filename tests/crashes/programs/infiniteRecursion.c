/* The stack runs out. */
__attribute__((noinline)) static int depth(int n) {
  volatile int local[60];
  local[n % 60] = n;
  return depth(n + 1) + local[0];
}
int main(void) { return depth(1); }

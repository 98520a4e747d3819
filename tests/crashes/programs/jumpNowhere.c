/* A jump (a call in tail position) to the first address that is none, after many good ones. */
typedef int function(int);
__attribute__((noinline)) static int jump(function *f, int n) { return f(n); }
static int one(int n) { return n + 1; }
int main(int argc, char **argv) {
  (void)argv;
  int sum = 0;
  for (int i = 0; i < 500; i++) sum += jump(i < 499 ? one : (function *)0x0000800000000000, argc);
  return sum;
}

/* A jump to an address that belongs to the kernel: it is fetched from, and the fault is there. */
typedef int function(int);
__attribute__((noinline)) static int jump(function *f, int n) { return f(n); }
int main(int argc, char **argv) {
  (void)argv;
  return jump((function *)0xffffffff81000000, argc);
}

volatile int sink;

__attribute__((noinline)) int leaf(int n) {
  sink = n;
  return n + 1;
}

static inline __attribute__((always_inline)) int middle(int m) {
  sink = m;
  return leaf(2 * m) + m;
}

int main(int argc, char **argv) {
  return middle(argc + 3) & 1;
}

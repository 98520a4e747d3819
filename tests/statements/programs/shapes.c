/* Statements of many shapes, several on a line. No output, so that a run is short. */
static int add(int a, int b) { return a + b; }

static inline __attribute__((always_inline)) int twice(int x) {
  int y = x * 2; return y + 1;
}

int spin(int n) { int i = 0; while (add(i, 1) < n && i < 50) i++; for (; i > 3; i--); return i; }

int one(int n) { int s = 0; for (int i = 0; i < n; i++) s += add(i, s) + add(s, 1); return s; }

int both(int a, int b) {
  int c = 0;
  if (a > 1 && b > 2) c = 1;
  if (a > 5 || b > 1) c++; else c--;
  int d = a > b ? add(a, 1) : add(b, 2) + c;
  do { d--; c++; } while (d > 4 && c < 20);
  return c && d;
}

int tree(int n) {
  if (n < 2) return n;
  return tree(n - 1) + tree(n - 2);
}

int choose(int x) { switch (x) { case 1: x += 2; break; case 2: x -= 3; break; default: x = add(x, 5); } return x; }

volatile int sink;

int main(void) {
  sink = spin(9);
  sink += one(6); sink += one(3);
  for (int i = 0; i < 4; i++) sink += both(i, 4 - i);
  sink += tree(6);
  for (int i = 0; i < 4; i++) { sink += choose(i); sink += twice(i); }
  sink += twice(sink);
  return sink == 12345;
}

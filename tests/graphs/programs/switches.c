/* Switches of all kinds, each executed with every case. */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone))
static int sink;
NOINLINE static void note(int value) { sink = sink * 31 + value; }

NOINLINE static int dense(int x, int y) {
  switch (x) {
    case 0: return y + 1;
    case 1: return y * 3;
    case 2: note(y); return y;
    case 3: return y - 7;
    case 4: note(2); return y / 3;
    case 7: return 5;
    case 8: note(y); return 9;
  }
  return -1;
}

NOINLINE static int masked(const unsigned char *p, int count) {
  int s = 0;
  for (int i = 0; i < count; i++) {
    switch (p[i] & 7) {
      case 0: s += 1; break;
      case 1: s *= 3; break;
      case 2: note(s); break;
      case 3: s -= 7; break;
      case 4: s ^= 5; break;
      case 5: s <<= 2; break;
      case 6: note(6); break;
      case 7: s = ~s;
    }
  }
  return s;
}

NOINLINE static int letters(const char *text) {
  int s = 0;
  for (; *text != 0; text++) {
    switch (*text) {
      case 'a': note(1); break;
      case 'b': s += 2; break;
      case 'c': s *= 5; break;
      case 'd': note(4); s++; break;
      case 'e': s ^= 77; break;
      case 'f': goto out;
      case 'g': s -= 9; note(s); break;
      case 'i': s |= 1;
      default: s++;
    }
  }
out:
  return s;
}

/* Comparison and jump apart, an equality on the same flags before, two switches over one value. */
NOINLINE static int twice(unsigned x, int y) {
  if (x == 6) note(y);
  else if (x > 6) return -y;
  note(x);
  switch (x) {
    case 0: y += 4; break;
    case 1: note(y); break;
    case 2: y *= y; break;
    case 3: note(3); y--; break;
    case 4: y = 8; break;
    case 5: note(5); break;
    case 6: y ^= 3; break;
  }
  note(y);
  switch (x) {
    case 0: return y ^ 1;
    case 1: note(11); return y;
    case 2: return y + 22;
    case 3: note(y); return 33;
    case 4: return y * 44;
    case 5: return y - 55;
    default: return y;
  }
}

NOINLINE static int unreachableDefault(unsigned x, int y) {
  switch (x) {
    case 0: note(y); return 1;
    case 1: return y * 2;
    case 2: note(2); return y + 3;
    case 3: return y ^ 4;
    case 4: note(y + 1); return 5;
    case 5: return y - 6;
    default: __builtin_unreachable();
  }
}

NOINLINE static int interpret(const unsigned char *code) {
  static void *const operations[] = { &&halt, &&increment, &&twofold, &&tell, &&back, &&drop };
  int a = 1, rounds = 0;
#define NEXT goto *operations[*code++]
  NEXT;
increment: a++; NEXT;
twofold: a *= 2; NEXT;
tell: note(a); NEXT;
back: if (rounds++ < 3) code -= 3; NEXT;
drop: a = 0; NEXT;
halt: return a;
}

NOINLINE static int wide(long long x) {
  switch (x) {
    case 1000: note(1); return 1;
    case 1001: return 12;
    case 1002: note(3); return 13;
    case 1003: return 24;
    case 1004: note(4); return 15;
    case 1005: return 36;
    case 1006: note(7); return 17;
    case 1007: return 48;
    case 1010: note(9); return 19;
    default: return 0;
  }
}

NOINLINE static int nested(int x, int y) {
  switch (x) {
    case 0: note(0); break;
    case 1:
      switch (y) {
        case 0: note(10); break;
        case 1: return 5;
        case 2: note(12); break;
        case 3: x++; break;
        case 4: note(14); break;
        case 5: return 7;
        default: x = 3;
      }
      break;
    case 2: return 2;
    case 3: note(33); break;
    case 4: x += y; break;
    case 5: note(x); break;
  }
  return x + y;
}

int main(void) {
  unsigned char bytes[64];
  for (int i = 0; i < 64; i++) bytes[i] = (unsigned char)(i * 37);
  long total = 0;
  for (int i = -1; i < 12; i++) total += dense(i, i + 2);
  total += masked(bytes, 64) + letters("abcdeghixyzabf") + letters("aa");
  for (unsigned i = 0; i < 9; i++) total += twice(i, 7);
  for (unsigned i = 0; i < 6; i++) total += unreachableDefault(i, 7);
  total += interpret((const unsigned char[]){ 1, 2, 3, 1, 2, 4, 5, 1, 0 });
  for (long long i = 998; i < 1013; i++) total += wide(i);
  for (int i = 0; i < 7; i++) for (int k = 0; k < 8; k++) total += nested(i, k);
  printf("%ld %d\n", total, sink);
  return 0;
}

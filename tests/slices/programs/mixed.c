/* A little of everything, in few instructions. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct pair { int left; char text[20]; unsigned low : 3, high : 9; };
union word { int whole; char part[4]; float real; };

static struct pair pairs[4];
static union word word;
static jmp_buf out;
static volatile int caught;
static double real = 1.5;
static long total;
static long double wide = 3.25L;

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int sum(int count, ...) {
  va_list list;
  va_start(list, count);
  int all = 0;
  while (count-- > 0) all += va_arg(list, int);
  va_end(list);
  return all;
}
static int byText(const void *a, const void *b) { return strcmp(((const struct pair *)a)->text, ((const struct pair *)b)->text); }
static void handler(int number) { caught += number; }
static void leave(int n) { if (n == 0) longjmp(out, 7); leave(n - 1); }
static int choose(int n) {
  switch (n) {
    case 0: return 3;
    case 1: total += 2; break;
    case 2: total *= 2;
    case 3: total -= 1; break;
    case 4: return total;
    case 5: total ^= 0x55; break;
    case 6: return -1;
    default: total++;
  }
  return n * 2;
}
static int (*const functions[])(int) = { fib, choose };

int main(int argc, char **argv) {
  for (int i = 0; i < 4; i++) {
    pairs[i].left = i * argc;
    strcpy(pairs[i].text, i & 1 ? "odd" : "even");
    pairs[i].text[0] += i;
    pairs[i].low = i + 1;
    pairs[i].high = pairs[i].low * 3;
  }
  struct pair copy = pairs[2];
  qsort(pairs, 4, sizeof *pairs, byText);
  word.whole = 0x12345678;
  word.part[1] = argc;
  for (int i = 0; i < 8; i++) total += choose(i) + functions[i & 1](i & 3);
  int jumped = setjmp(out);
  if (jumped == 0) leave(3);
  else total += jumped;
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  char *block = malloc(100);
  memset(block, argc, 100);
  memcpy(block + 10, &copy, sizeof copy);
  total += block[12] + sum(3, copy.left, caught, word.part[1]);
  free(block);
  for (int i = 0; i < 5; i++) real = real * i + total;
  wide = wide * real + 2;
  while (total > 5) total /= 3;
again:
  if (total++ < 9 && (total & 1 || real > 2)) goto again;
  return (int)(total + (long)wide) & 0x7f;
}

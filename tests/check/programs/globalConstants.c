/* Ends of rows in constants: compilers replace them by what they hold, so that statements which name the next row take the address that both rows have. */
#include <stdio.h>

struct span { const int *begin, *end; };

static int first[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static int second[8] = { 9, 10, 11, 12, 13, 14, 15, 16 };
static int third[8] = { 17, 18, 19, 20, 21, 22, 23, 24 };
static int fourth[8] = { 25, 26, 27, 28, 29, 30, 31, 32 };
static int *const last_of_first = first + 8;
static const struct span span_of_third = { third, third + 8 };

static int sum_between(const int *from, const int *to) {
  int sum = 0;
  while (from != to) sum += *from++;
  return sum;
}

int main(void) {
  int *const last_of_second = second + 8;
  int sum = sum_between(first, last_of_first) + *second;
  sum += sum_between(second, last_of_second) + *third;
  sum += sum_between(third, span_of_third.end) + *fourth;
  for (int *at = fourth; at <= &fourth[7]; at++) sum += *at;
  printf("%d\n", sum);
  return 0;
}

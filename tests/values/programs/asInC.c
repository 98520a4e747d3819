/* Writes what C's printf makes of numbers: lines of a format and the number's bits, in hexadecimal; `L` in the format is for long double. */
#include <stdio.h>
#include <string.h>

int main(void) {
  char format[64];
  unsigned long long low, high;
  while (scanf("%63s %llx %llx", format, &high, &low) == 3) {
    union { unsigned long long bits[2]; double d; long double l; } number = {{low, high}};
    if (strchr(format, 'L')) printf(format, number.l);
    else printf(format, number.d);
    putchar('\n');
  }
  return 0;
}

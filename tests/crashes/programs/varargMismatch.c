/* printf is told that a number is a string. */
#include <stdio.h>
int main(void) {
  volatile long number = 1234567;
  char buffer[100];
  return snprintf(buffer, sizeof buffer, "%d %s", 1, (char *)number);
}

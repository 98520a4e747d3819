#include <unistd.h>

volatile unsigned long count;

int main(void) {
  write(1, "begun\n", 6);
  for (;;) count++;
}

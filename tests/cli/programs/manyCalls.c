/* Makes so many system calls that its recording has several chunks of events, and crashes. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int counter;

int main(void) {
  for (int i = 0; i < 30000; i++) {
    counter++;
    syscall(SYS_getppid);
  }
  *(volatile int *)0 = counter;
}

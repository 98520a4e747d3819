#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pair {
  int first;
  int second;
};

int counter;
struct pair pairs[2];
struct pair *current = &pairs[0];
char text[32];

static int accumulate(int n) {
  int sum = 0;
  for (int i = 1; i <= n; i++)
    sum += i;
  return sum;
}

int main(void) {
  counter = 1;
  counter = 1;
  counter = accumulate(3);
  current->second = 5;
  current = &pairs[1];
  pairs[0].second = 6;
  current->second = 7;
  int fds[2];
  if (pipe(fds) != 0) return 1;
  write(fds[1], "hello", 6);
  read(fds[0], text, 6);
  counter += (int)strlen(text);
  raise(SIGUSR1);
  return 0;
}

/* Calls that rules of the test name, and calls of libc that are wrong. */
#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf back;
static void *kept;

int twice(int n) {
  return n == 0 ? 100 : twice(n - 1) + 1; // MARK: inner return
}

void jumps(int n) {
  if (n != 0) longjmp(back, 1);
}

/* `next` is reached by a jump as well as by a return. */
static void perhaps(int n) {
  if (n != 1) jumps(n);
  puts("next");
}

void transaction(int leaks) {
  void *block = malloc(10);
  free(malloc(20));
  if (leaks != 0) kept = block;
  else free(block);
}

int main(void) {
  printf("%d\n", twice(2)); // MARK: outer return
  if (setjmp(back) == 0) perhaps(2);
  perhaps(1);
  perhaps(0);
  transaction(0);
  transaction(1); // MARK: transaction
  char text[32] = "some text that is longer";
  memmove(text + 2, text, 8);
  memcpy(text + 2, text, (size_t)atoi("8")); // MARK: memcpy
  printf("%d\n", toupper(-200)); // MARK: toupper
  return 0;
}

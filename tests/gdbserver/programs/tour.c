/* A bit of everything that a debugger steps through: calls, loops, a signal handler, a corrupted variable, and a crash. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct node {
  int value;
  struct node *next;
};

struct node *head;
int counter;
volatile int handled;
__thread int per_thread = 40;
char name[16] = "unchanged";
long table[5000];

static void push(int value) {
  struct node *n = malloc(sizeof *n);
  n->value = value;
  n->next = head;
  head = n;
  counter++;
}

static int sum(struct node *n) {
  int total = 0;
  while (n) {
    total += n->value;
    n = n->next;
  }
  return total;
}

static void on_signal(int number) {
  handled += number;
}

static int twice(int x) {
  int result = x * 2;
  return result;
}

static void corrupt(char *text, int from) {
  for (int i = from; i < from + 4; i++) text[i] = 'X';
}

int main(void) {
  signal(SIGUSR1, on_signal);
  for (int i = 0; i < 10; i++) push(i);
  per_thread += 2;
  int four = twice(2);
  raise(SIGUSR1);
  int total = sum(head); /* MARK: after signal */
  corrupt(name, 3);
  printf("%d %d %s\n", four, total, name);
  fflush(stdout);
  head->next->next = (struct node *)0x10;
  return sum(head);
}

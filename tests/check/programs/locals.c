/* What programs do with variables on the stack and globals without harm, however it looks. Its output does not depend on addresses. */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

struct packet { int length; char payload[12]; };
union word { int number; unsigned char bytes[4]; };

static int numbers[6] = { 6, 5, 4, 3, 2, 1 }, *first = numbers, *behind = numbers + 6;
static struct packet packets[3];
static jmp_buf back;
static ucontext_t here, there;

static int one_past(void) {
  int row[5], other[5] = { 0 }, sum = 0;
  for (int *at = row; at != row + 5; at++) *at = at - row;
  for (int *at = &row[5]; at-- > row;) sum += *at;
  for (int *at = first; at < behind; at++) sum += *at;
  for (int *at = numbers; at < &numbers[6]; at++) sum += *at;
  return sum + other[4] + (first == numbers) + (behind - numbers);
}

static int members(struct packet packet) {
  struct packet *self = &packet, copy = *self, both[2] = { packet, copy };
  char *end = (char *)(self + 1);
  memcpy(&both[1], &both[0], sizeof both[0]);
  self->payload[self->length - 1] = 'x';
  packets[packet.length % 3] = both[1];
  return (end - (char *)&packet == sizeof packet) + both[1].length + (strchr(copy.payload, 'c') == copy.payload + 2);
}

static int overlaid(int number) {
  union word word = { number };
  int sum = 0;
  if (number & 1) {
    char left[40] = "left";
    sum += strlen(left);
  } else {
    char right[40] = "on the right";
    sum += strlen(right);
  }
  for (int i = 0; i < 4; i++) sum += word.bytes[i];
  return sum;
}

static int variable(int count) {
  long row[count];
  char *text = alloca(count + 1);
  for (int i = 0; i < count; i++) row[i] = i;
  memset(text, 'v', count);
  text[count] = 0;
  return row[count - 1] + strlen(text);
}

// Rows that come and go while the function stays, of all sizes and alignments, and pointers to their ends.
static int rows(int count) {
  int sum = 0;
  char *kept = alloca(3), *empty = alloca(0);
  kept[2] = 2;
  for (int i = 1; i <= count; i++) {
    char bytes[i], more[2 * i + 1];
    long double wide[i];
    struct packet packets[i];
    for (char *p = bytes; p < bytes + i; p++) *p = 1;
    for (int k = 0; k < 2 * i + 1; k++) more[k] = bytes[k / 3];
    memset(wide, 0, sizeof wide);
    memset(packets, 1, sizeof packets);
    char *text = alloca(i);
    memset(text, 'x', i);
    sum += bytes[i - 1] + more[2 * i] + (int)wide[i - 1] + packets[i - 1].payload[0] + (text != kept) + (text + i > text);
  }
  return sum + kept[2] + (empty != NULL);
}

static int total(int count, ...) {
  va_list list, again;
  int sum = 0;
  va_start(list, count);
  va_copy(again, list);
  for (int i = 0; i < count; i++) sum += va_arg(list, int) * va_arg(again, int);
  va_end(list);
  va_end(again);
  return sum;
}

static int by_value(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

static void leave(int depth, int *count) {
  int local = depth;
  (*count)++;
  if (depth == 0) longjmp(back, 3);
  leave(depth - 1, count + (&local == NULL));
}

static int jumped(void) {
  int count = 0, *volatile counter = &count;
  for (volatile int i = 0; i < 3; i++) {
    if (setjmp(back) == 0) leave(4, counter);
  }
  return count;
}

static int deep(int depth, int *outer) {
  int own = depth, *pointer = &own;
  if (depth == 0) return *outer + *pointer;
  return deep(depth - 1, depth % 2 ? pointer : outer) + *pointer;
}

static void *thread(void *argument) {
  int own[4] = { 1, 2, 3, 4 };
  *(int *)argument += own[*(int *)argument % 4];
  return NULL;
}

static int threads(void) {
  int value = 5;
  pthread_t id;
  for (int i = 0; i < 3; i++) {
    pthread_create(&id, NULL, thread, &value);
    pthread_join(id, NULL);
  }
  return value;
}

static volatile int *signalled;

static void handler(int number) {
  char text[16];
  snprintf(text, sizeof text, "%d", number);
  *signalled += atoi(text);
}

static int signals(void) {
  volatile int sum = 0;
  signalled = &sum;
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  raise(SIGUSR1);
  return sum;
}

static int visits;

static void visit(void) {
  int own[3] = { 1, 2, 3 }, *at = own;
  for (int i = 0; i < 3; i++) {
    visits += *at++;
    swapcontext(&there, &here);
  }
}

static int contexts(void) {
  char stack[32 << 10];
  int own = 0, *pointer = &own;
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = sizeof stack;
  there.uc_link = &here;
  makecontext(&there, visit, 0);
  for (int i = 0; i < 4; i++) {
    swapcontext(&here, &there);
    *pointer += visits;
  }
  return own;
}

static int kernel(void) {
  int ends[2];
  char in[8] = "through", out[8];
  pipe(ends);
  write(ends[1], in, sizeof in);
  read(ends[0], out, sizeof out);
  close(ends[0]);
  close(ends[1]);
  return strcmp(in, out);
}

static int nested(int start) {
  int first = start, second = 2;
  int add(int by) { return first += by + second; }
  int (*pointer)(int) = add;
  return pointer(1) + add(2) + first;
}

int main(void) {
  struct packet packet = { 4, "abcdef" };
  int row[6], sum = 0;
  memcpy(row, numbers, sizeof row);
  qsort(row, 6, sizeof row[0], by_value);
  for (int i = 0; i < 3000; i++) sum += members(packet);
  printf("%d %d %d %d %d\n", one_past(), row[0], sum, overlaid(3) + overlaid(4), variable(9) + rows(20) + rows(2));
  printf("%d %d %d %d\n", total(3, 1, 2, 3), jumped(), deep(40, &sum) - sum, threads());
  printf("%d %d %d %d\n", signals(), contexts(), kernel(), nested(5));
  return 0;
}

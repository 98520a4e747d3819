/* What programs do with pointers to global variables without harm: ends that are begins of others, pointers in data, in the kernel, in libc, in threads and children. Its output does not depend on addresses. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(row) (sizeof(row) / sizeof *(row))
#define END(row) ((row) + COUNT(row))
#define LAST_OF_SECOND (second + 8)
#define FOREACH(at, row) for (int *at = (row); at < END(row); at++)

struct item { int key; char name[12]; struct item *next; };

/* Rows that touch each other: no gaps between them. */
static int first[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static int second[8] = { 9, 10, 11, 12, 13, 14, 15, 16 };
static int third[8] = { 17, 18, 19, 20, 21, 22, 23, 24 };
static int single = 3;
static int behind_single[4] = { 1, 2, 3, 4 };
/* Pointers in data, those to ends too: of rows that touch each other, and of one that does not. */
static int left[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, right[8] = { 8, 7, 6, 5, 4, 3, 2, 1 }, apart[7] = { 1, 3, 5, 7, 9, 11, 13 };
static int *walker = left, *stop = left + 8, *middle = &right[3];
static long long after_a_gap[8] __attribute__((aligned(64)));
static int *apart_begin = apart, *apart_end = apart + 7;
static struct item items[4] = { { 3, "three", &items[1] }, { 1, "one", &items[2] }, { 4, "four", &items[3] }, { 2, "two", NULL } };
static struct { int *begin, *end; } spans[] = { { left, left + 8 }, { right, right + 8 }, { apart, &apart[7] } };
static const char letters[16] = "abcdefghijklmnop";
static const short powers[4] = { 1, 2, 4, 8 };
static char text[32], line[64], path[32];
static long history[6], other_history[6];
static unsigned char pool[256], *pool_next = pool;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, shared[16];
static char alternate[65536] __attribute__((aligned(16)));
static volatile sig_atomic_t seen;
static struct { int count; int values[]; } flexible = { 3, { 5, 6, 7 } };
int exported[5] = { 1, 1, 2, 3, 5 };
extern int alias_of_exported[5] __attribute__((alias("exported")));
static int in_set_one __attribute__((section("numbers"), used)) = 11;
static int in_set_two __attribute__((section("numbers"), used)) = 22;
extern int __start_numbers[], __stop_numbers[];
extern char **environ, edata, end;
static _Thread_local int own[4];

/* What a local is initialised with lies behind it, without a name. */
static long calls[4] __attribute__((aligned(32))) = { 5 };

static int sum_between(const int *from, const int *to) {
  int sum = 0;
  while (from != to) sum += *from++;
  return sum;
}

static int ends(void) {
  int sum = 0;
  for (int *at = first; at != first + 8; at++) sum += *at;
  for (int *at = second; at < &second[8]; at++) sum += *at;
  for (int *at = third + COUNT(third); at-- > third;) sum += *at;
  for (int *at = END(second) - 1; at >= second; at--) sum += *at;
  FOREACH(at, third) sum += *at;
  for (int *at = second; at != LAST_OF_SECOND; at++) sum += *at;
  sum += sum_between(first, first + 8);
  sum += sum_between(second, END(second));
  sum += sum_between(&single, &single + 1);
  sum += sum_between(behind_single,
                     behind_single + 4);
  return sum;
}

static int initialised(int wanted) {
  const struct { int number; const char *name; int kind; } options[] = {
    { 1, "all", 0 }, { 2, "both", 1 }, { 3, "count", 2 }, { 4, "done", 0 }, { 5, "each", 1 }, { 6, "four", 2 }, { 7, "good", 0 }, { 8, "how", 1 }, { 9, "if", 2 }, { 10, "just", 0 }, { 11, "kept", 1 }, { 12, "last", 2 }, { 13, "most", 0 }, { 14, "next", 1 }, { 15, "on", 2 }, { 16, "put", 0 }, { 0, NULL, 0 }
  };
  memset(calls + 1, 0, 3 * sizeof(long));
  calls[0] += wanted;
  int sum = 0;
  for (size_t i = 0; options[i].name != NULL; i++) sum += options[i].number * (options[i].kind + wanted) + (int)strlen(options[i].name);
  return sum + (int)calls[0];
}

/* Rows that begin with 1, and those that are walked from behind to one before the first. */
static int before(void) {
  int *from_one = second - 1, sum = 0;
  for (int i = 1; i <= 8; i++) sum += from_one[i];
  int *none = third - 1;
  for (int *at = third + 7; at != none; at--) sum += *at;
  int *row = behind_single - 1;
  return sum + row[4] + *(row + 1);
}

static int in_data(void) {
  int sum = 0;
  for (int *at = walker; at < stop; at++) sum += *at;
  for (size_t i = 0; i < COUNT(spans); i++) sum += sum_between(spans[i].begin, spans[i].end) + (int)(spans[i].end - spans[i].begin);
  for (struct item *at = items; at != NULL; at = at->next) sum += at->key;
  for (int *at = apart_begin; at != apart_end; at++) sum += *at;
  for (int *at = apart; at != apart_end; at++) sum += *at;
  for (int *at = apart_begin; at != apart + 7; at++) sum += *at;
  after_a_gap[7] = sum;
  return *(after_a_gap + 7) + *middle + (middle == right + 3) + (walker == left) + (items[0].next == &items[1]) + (spans[1].begin == right);
}

static int compare(const void *a, const void *b) {
  const struct item *left = a, *right = b;
  return left->key - right->key;
}

static int compare_numbers(const void *a, const void *b) {
  return *(const int *)b - *(const int *)a;
}

static void in_libc(void) {
  struct item wanted = { 3, "", NULL };
  qsort(items, COUNT(items), sizeof *items, compare);
  struct item *found = bsearch(&wanted, items, COUNT(items), sizeof *items, compare);
  printf("%s at %td\n", found->name, found - items);
  qsort(third, 8, sizeof(int), compare_numbers);
  strcpy(text, "what is in a text");
  snprintf(line, sizeof line, "%s|%.16s|%d", text, letters, third[0]);
  printf("%s %zu %td\n", line, strlen(text), strchr(text, 'i') - text);
  memcpy(line + 8, text, 16);
  memmove(line, line + 8, 8);
  printf("%.24s %d\n", line, memcmp(letters, "abcdefghijklmnop", 16));
  char *rest = text;
  for (char *word; (word = strsep(&rest, " ")) != NULL;) printf("%s,", word);
  printf("%d\n", sscanf("17 words", "%d %63s", &single, line));
  printf("%s %d %.4s\n", line, single, (const char *)memchr(letters, 'm', sizeof letters));
}

static void in_kernel(void) {
  int ends[2];
  if (pipe(ends) != 0) return;
  struct iovec parts[2] = { { text, 4 }, { line, 5 } };
  ssize_t written = writev(ends[1], parts, 2);
  ssize_t got = read(ends[0], path, sizeof path);
  printf("%zd %zd %d\n", written, got, memcmp(path, text, 4));
  strcpy(path, "/dev/zero");
  int file = open(path, O_RDONLY);
  memset(history, 1, sizeof history);
  got = read(file, history, sizeof history);
  printf("%zd %ld %d\n", got, history[5] + other_history[0], stat(path, &(struct stat){ 0 }) == 0);
  close(file);
}

static void *take(size_t size) {
  if (pool_next + size > pool + sizeof pool) return NULL;
  void *taken = pool_next;
  pool_next += size;
  return taken;
}

static int pools(void) {
  int count = 0, owned = 0;
  for (unsigned char *block; (block = take(24)) != NULL; count++) {
    memset(block, count, 24);
    owned += block >= pool && block < pool + sizeof pool;
  }
  int outside = 0;
  return count * 100 + owned + ((unsigned char *)&outside >= pool && (unsigned char *)&outside < END(pool)) + (pool_next - pool) + pool[239];
}

static void *worker(void *row) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 16; i++) ((int *)row)[i] += shared[15 - i] + i;
  own[3] = ready;
  ready++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return &shared[ready & 7];
}

static int threads(void) {
  pthread_t started[3];
  for (int i = 0; i < 3; i++) pthread_create(&started[i], NULL, worker, shared);
  pthread_mutex_lock(&lock);
  while (ready < 3) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  int inside = 0;
  for (int i = 0; i < 3; i++) {
    void *result;
    pthread_join(started[i], &result);
    inside += (int *)result >= shared && (int *)result < shared + 16;
  }
  return shared[0] + shared[15] + inside;
}

static void on_signal(int number) {
  char here[100];
  memset(here, number, sizeof here);
  seen = here[99];
}

static int signals(void) {
  stack_t stack = { .ss_sp = alternate, .ss_size = sizeof alternate }, old;
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
  sigaltstack(&stack, NULL);
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  sigaltstack(NULL, &old);
  return seen == SIGUSR1 && old.ss_sp == alternate;
}

static int children(void) {
  int *kept = second + 2;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    for (int *at = second; at < second + 8; at++) *at += 1;
    _exit(*kept + sum_between(first, first + 8) == 12 + 36 ? 7 : 8);
  }
  int status;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status) * 100 + *kept;
}

static int special(void) {
  int sum = 0;
  for (int *at = __start_numbers; at < __stop_numbers; at++) sum += *at;
  for (int i = 0; i < flexible.count; i++) sum += flexible.values[i];
  for (int *at = flexible.values; at < flexible.values + 3; at++) sum += *at;
  sum += alias_of_exported == exported && alias_of_exported + 5 == END(exported);
  sum += environ != NULL && (char *)&first[0] != &edata && &edata <= &end;
  for (int *at = own; at < own + 4; at++) sum += *at;
  static int kept[3] = { 1, 2, 3 };
  for (int *at = kept; at < kept + 3; at++) sum += (*at)++;
  for (const short *at = powers; at != powers + 4; at++) sum += *at;
  for (const char *at = letters; at != letters + 16; at++) sum += *at;
  assert(sum > 0);
  switch (sum & 7) {
    case 0: sum += powers[0]; break;
    case 1: sum += powers[1]; break;
    case 2: sum += powers[2]; break;
    case 3: sum += powers[3]; break;
    case 4: puts("four"); break;
    case 5: puts("five"); break;
    default: puts("more");
  }
  int copy[8] = { 8, 7, 6, 5, 4, 3, 2, 1 }, *either = sum > 3 ? copy : first;
  uintptr_t bits = (uintptr_t)first;
  return sum + either[7] + (bits % sizeof(int) == 0) + ((int *)bits)[7] + *(int *)((char *)items + offsetof(struct item, key));
}

int main(void) {
  printf("%d %d %d\n", ends(), before(), in_data());
  printf("%d\n", initialised(3));
  in_libc();
  in_kernel();
  printf("%d %d %d %d %d\n", pools(), threads(), signals(), children(), special());
  setvbuf(stdout, alternate, _IOFBF, 4096);
  puts("buffered in a global");
  return 0;
}

// Bitfields, unions, anonymous members, arrays of several dimensions, flexible and variable-length arrays, function pointers, flags, varargs.
#include <complex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum color { RED, GREEN = 5, BLUE };
enum rights { READ = 1, WRITE = 2, EXECUTE = 4 };
typedef int (*operation)(int, int);
typedef enum rights rights_t;

struct bits {
  unsigned ready : 1;
  int level : 3;
  unsigned : 4;
  enum color color : 4;
  bool open : 1;
  long long wide : 40;
};

struct message {
  enum { NUMBER, TEXT, PAIR } kind;
  union {
    int number;
    char text[8];
    struct { short low, high; };
  };
  const volatile char *const note;
};

struct packet {
  unsigned char length;
  char data[];
};

struct device {
  const char *name;
  operation apply;
  rights_t rights;
  struct device *next;
  int matrix[2][3];
  void (*table[2])(struct device *);
};

static int add(int a, int b) { return a + b; }
static int multiply(int a, int b) { return a * b; }
static void reset(struct device *device) { memset(device->matrix, 0, sizeof device->matrix); }

static struct device disk = {"disk", add, READ | WRITE, NULL, {{1, 2, 3}, {4, 5, 6}}, {reset, NULL}};
static struct device tape = {"tape", multiply, EXECUTE, &disk, {{0}}, {NULL, reset}};
static struct bits some_bits = {1, -2, BLUE, true, -5};
static struct message messages[3] = {{NUMBER, {.number = 42}, "first"}, {TEXT, {.text = "abc"}, NULL}, {PAIR, {.low = 1}, "third"}};
static double complex rotated = 1.5 - 2.0 * I;
static float small[2] = {0.1f, -1e30f};
static const char *words[] = {"zero", "one", NULL};
static unsigned char raw[300];
static _Bool flags[4] = {1, 0, 1, 1};
static wchar_t *hello = L"gr\u00fc\u00dfe";

static int sum_of(int count, ...) {
  va_list list;
  int total = 0;
  va_start(list, count);
  for (int i = 0; i < count; i++) {
    total += va_arg(list, int);
  }
  va_end(list);
  return total;
}

static int fill(int rows, int columns) {
  int grid[rows][columns];
  static int calls;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) {
      grid[i][j] = i * columns + j;
    }
  }
  calls++;
  return grid[rows - 1][columns - 1];
}

static int use(struct device *device, struct bits bits, struct message message, operation how) {
  int result = how(device->matrix[1][2], bits.level);
  device->table[0](device);
  return result + message.number;
}

int main(void) {
  char space[16] = {3, 'x', 'y', 'z'};
  struct packet *packet = (struct packet *)space;
  int total = sum_of(3, 1, 2, 3);
  total += fill(2, 3);
  total += use(&disk, some_bits, messages[0], multiply);
  raw[299] = packet->length;
  printf("%d %s %f %f %s %d %d %ls\n", total, tape.name, creal(rotated), small[0], words[1], raw[299], flags[0], hello);
  return 0;
}

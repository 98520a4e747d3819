/** Values that no instruction wrote and that decide something. Copying them is allowed. */
import { c } from '../scenario.js';
import type { Scenario } from '../scenario.js';

const FRESH = c`
int *fresh = (int *)malloc(sizeof(int));
data = *fresh;
free(fresh);`;
const CLEARED = c`
int *fresh = (int *)calloc(1, sizeof(int));
data = *fresh;
free(fresh);`;

export const UNINITIALISED: readonly Scenario[] = [
  {
    name: 'branch',
    type: 'int',
    scalar: true,
    undefinedValue: true,
    source: { buggy: FRESH, clean: CLEARED },
    sink: c`
if (data > 5) puts("large"); /* BUG */`,
  },
  {
    name: 'copiedOnly',
    type: 'int',
    scalar: true,
    undefinedValue: true,
    source: FRESH,
    sink: {
      buggy: c`
int copies[3] = { data, data, data };
printf("%d\n", copies[1] == 4); /* BUG */`,
      clean: c`
int copies[3] = { data, data, data };
copies[1] = copies[2] + 1;
copies[1] = 4;
printf("%d\n", copies[1] == 4);`,
    },
  },
  {
    name: 'address',
    type: 'int',
    scalar: true,
    undefinedValue: true,
    prologue: 'static char table[256];',
    source: { buggy: FRESH, clean: CLEARED },
    sink: c`
char entry = table[data & 255]; /* BUG */`,
  },
  {
    name: 'systemCall',
    type: 'char *',
    prologue: '#include <unistd.h>',
    source: c`
data = (char *)malloc(16);
memcpy(data, "only eight", 8);`,
    sink: {
      buggy: c`
write(1, data, 16); /* BUG */
free(data);`,
      clean: c`
write(1, data, 8);
free(data);`,
    },
  },
  {
    name: 'systemCallArgument',
    type: 'int',
    scalar: true,
    undefinedValue: true,
    prologue: c`
#include <fcntl.h>
#include <unistd.h>`,
    source: { buggy: FRESH, clean: CLEARED },
    sink: c`
int file = open("/dev/null", O_RDONLY);
lseek(file, data, SEEK_SET); /* BUG */
close(file);`,
  },
  {
    name: 'forgottenField',
    type: 'struct settings *',
    prologue: 'struct settings { int width, height, depth; };',
    source: {
      buggy: c`
data = (struct settings *)malloc(sizeof(struct settings));
data->width = 4;
data->height = 3;`,
      clean: c`
data = (struct settings *)malloc(sizeof(struct settings));
data->width = 4;
data->height = 3;
data->depth = 1;`,
    },
    sink: c`
if (data->depth == 8) puts("deep"); /* BUG */
free(data);`,
  },
  {
    name: 'halfOfArray',
    type: 'int *',
    source: c`
data = (int *)malloc(20 * sizeof(int));
for (int i = 0; i < 10; i++) data[i] = i;`,
    sink: {
      buggy: c`
int sum = 0;
for (int i = 0; i <= 10; i++) sum += data[i];
printf("%s\n", sum > 100 ? "much" : "little"); /* BUG */
free(data);`,
      clean: c`
int sum = 0;
for (int i = 0; i < 10; i++) sum += data[i];
printf("%s\n", sum > 100 ? "much" : "little");
free(data);`,
    },
  },
  {
    name: 'grown',
    type: 'long *',
    source: c`
data = (long *)calloc(4, sizeof(long));
data = (long *)realloc(data, 8 * sizeof(long));`,
    sink: {
      buggy: c`
int zeros = 0;
for (int i = 0; i < 5; i++)
  if (data[i] == 0) zeros++; /* BUG */
free(data);`,
      clean: c`
int zeros = 0;
for (int i = 0; i < 4; i++)
  if (data[i] == 0) zeros++;
free(data);`,
    },
  },
  {
    name: 'stringWithoutEnd',
    type: 'char *',
    source: {
      buggy: c`
data = (char *)malloc(32);
memcpy(data, "text", 4);
data[31] = 0;`,
      clean: c`
data = (char *)malloc(32);
memcpy(data, "text", 5);
data[31] = 0;`,
    },
    sink: c`
int length = (int)strlen(data); /* BUG */
free(data);`,
  },
  {
    name: 'localVariable',
    type: 'int',
    scalar: true,
    source: { buggy: 'data = 5;', clean: 'data = 500;' },
    sink: c`
int flag;
if (data > 100) flag = 1;
if (flag) puts("flag"); /* BUG */`,
  },
  {
    name: 'padding',
    type: 'struct padded *',
    prologue: 'struct padded { char kind; int count; };',
    source: c`
data = (struct padded *)malloc(2 * sizeof(struct padded));
data[0].kind = data[1].kind = 'k';
data[0].count = data[1].count = 3;`,
    sink: {
      buggy: c`
int differ = memcmp(&data[0], &data[1], sizeof(struct padded)); /* BUG */
free(data);`,
      clean: c`
struct padded copy = data[0];
memcpy(&data[1], &copy, sizeof copy);
int differ = data[0].kind != data[1].kind || data[0].count != data[1].count;
printf("%d\n", differ);
free(data);`,
    },
  },
  {
    name: 'choice',
    type: 'int',
    scalar: true,
    undefinedValue: true,
    source: { buggy: FRESH, clean: CLEARED },
    sink: c`
switch (data) { /* BUG */
  case 1: puts("one"); break;
  case 7: puts("seven"); break;
  default: break;
}`,
  },
  {
    name: 'printed',
    type: 'int *',
    source: { buggy: 'data = (int *)malloc(sizeof(int));', clean: 'data = (int *)calloc(1, sizeof(int));' },
    sink: c`
printf("%d\n", *data); /* BUG */
free(data);`,
  },
  {
    name: 'failedStat',
    type: 'const char *',
    prologue: '#include <sys/stat.h>',
    source: { buggy: 'data = "/no/such/file";', clean: 'data = "/";' },
    sink: c`
struct stat status;
stat(data, &status);
if (status.st_size > 100000000) puts("huge"); /* BUG */`,
  },
  {
    name: 'shortRead',
    type: 'int',
    scalar: true,
    prologue: '#include <unistd.h>',
    source: { buggy: 'data = 10;', clean: 'data = 3;' },
    sink: c`
char bytes[16];
int ends[2];
pipe(ends);
write(ends[1], "four", 4);
int got = (int)read(ends[0], bytes, sizeof bytes);
close(ends[0]);
close(ends[1]);
if (bytes[data] == 'r') puts("r"); /* BUG */`,
  },
  {
    name: 'bitField',
    type: 'struct bits *',
    prologue: 'struct bits { unsigned low : 3, high : 5; };',
    source: c`
data = (struct bits *)malloc(sizeof(struct bits));
data->low = 5;`,
    sink: {
      buggy: c`
if (data->high == 5) puts("high"); /* BUG */
free(data);`,
      clean: c`
if (data->low == 5) puts("low");
free(data);`,
    },
  },
  {
    name: 'writtenByKernel',
    type: 'int',
    scalar: true,
    prologue: c`
#include <signal.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>`,
    source: 'data = 2;',
    sink: {
      buggy: c`
char first[8], second[8];
int ends[2];
struct iovec parts[2] = { { first, 4 }, { second, 4 } };
pipe(ends);
write(ends[1], "12345678", 8);
readv(ends[0], parts, data);
if (second[5] == '5') puts("five"); /* BUG */`,
      clean: c`
char first[8], second[8], folder[200];
int ends[2];
struct iovec parts[2] = { { first, 4 }, { second, 4 } };
struct timespec now;
struct utsname names;
struct rlimit limit;
struct sigaction action;
pipe(ends);
write(ends[1], "12345678", 8);
readv(ends[0], parts, data);
if (second[0] == '5') puts("five");
clock_gettime(CLOCK_MONOTONIC, &now);
if (now.tv_nsec < 0) puts("negative");
uname(&names);
getcwd(folder, sizeof folder);
printf("%d %d\n", names.machine[0] == 'x', folder[0]);
getrlimit(RLIMIT_NOFILE, &limit);
sigaction(SIGUSR2, NULL, &action);
if (limit.rlim_cur == 0 || action.sa_handler != SIG_DFL) puts("strange");
close(ends[0]);
close(ends[1]);`,
    },
  },
  {
    name: 'constructor',
    type: 'Point *',
    language: 'cc',
    prologue: c`
struct Point {
  explicit Point(int given) : x(given) {}
  int x, y;
};`,
    source: 'data = new Point(3);',
    sink: {
      buggy: c`
if (data->x == 3 && data->y == 4) puts("known"); /* BUG */
delete data;`,
      clean: c`
if (data->x == 4 && data->y == 4) puts("known");
delete data;`,
    },
  },
];

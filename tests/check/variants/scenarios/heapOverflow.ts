/** Accesses beyond either end of a heap block, by whatever means. */
import { c } from '../scenario.js';
import type { Scenario } from '../scenario.js';

export const HEAP_OVERFLOW: readonly Scenario[] = [
  {
    name: 'indexWrite',
    type: 'int *',
    source: 'data = (int *)malloc(10 * sizeof(int));',
    sink: {
      buggy: c`
int last = 10;
data[last] = 1; /* BUG */
free(data);`,
      clean: c`
int last = 9;
data[last] = 1;
free(data);`,
    },
  },
  {
    name: 'indexRead',
    type: 'char *',
    source: c`
data = (char *)malloc(24);
memset(data, 7, 24);`,
    sink: {
      buggy: c`
int sum = 0;
for (int i = 0; i <= 24; i++) sum += data[i]; /* BUG */
printf("%d\n", sum);
free(data);`,
      clean: c`
int sum = 0;
for (int i = 0; i < 24; i++) sum += data[i];
printf("%d\n", sum);
free(data);`,
    },
  },
  {
    name: 'pointerWalk',
    type: 'short *',
    source: 'data = (short *)calloc(6, sizeof(short));',
    sink: {
      buggy: c`
short *end = data + 7;
for (short *at = data; at != end; at++) *at = 3; /* BUG */
free(data);`,
      clean: c`
short *end = data + 6;
for (short *at = data; at != end; at++) *at = 3;
free(data);`,
    },
  },
  {
    name: 'underflow',
    type: 'long *',
    source: 'data = (long *)calloc(4, sizeof(long));',
    sink: {
      buggy: c`
int at = 3;
while (at >= 0 && data[at] == 0) at--;
data[at] = 1; /* BUG */
free(data);`,
      clean: c`
int at = 3;
while (at > 0 && data[at] == 0) at--;
data[at] = 1;
free(data);`,
    },
  },
  {
    name: 'copy',
    type: 'char *',
    source: 'data = (char *)malloc(20);',
    sink: {
      buggy: c`
char text[32] = "thirty-one characters and more";
memcpy(data, text, 21); /* BUG */
free(data);`,
      clean: c`
char text[32] = "thirty-one characters and more";
memcpy(data, text, 20);
free(data);`,
    },
  },
  {
    name: 'stringCopy',
    type: 'const char *',
    source: 'data = "sixteen letters.";',
    sink: {
      buggy: c`
char *copy = (char *)malloc(strlen(data));
strcpy(copy, data); /* BUG */
free(copy);`,
      clean: c`
char *copy = (char *)malloc(strlen(data) + 1);
strcpy(copy, data);
printf("%d\n", (int)strlen(copy));
free(copy);`,
    },
  },
  {
    name: 'systemCall',
    type: 'char *',
    prologue: c`
#include <fcntl.h>
#include <unistd.h>`,
    source: 'data = (char *)malloc(50);',
    sink: {
      buggy: c`
int file = open("/dev/zero", O_RDONLY);
read(file, data, 51); /* BUG */
close(file);
free(data);`,
      clean: c`
int file = open("/dev/zero", O_RDONLY);
read(file, data, 50);
close(file);
free(data);`,
    },
  },
  {
    name: 'farBeyond',
    type: 'char *',
    source: c`
data = (char *)malloc(64);
memset(data, 1, 64);`,
    sink: {
      buggy: c`
char *other = (char *)malloc(64);
long distance = other - data;
memset(other, 2, 64);
data[distance + 5] = 9; /* BUG */
printf("%d\n", other[5]);
free(other);
free(data);`,
      clean: c`
char *other = (char *)malloc(64);
long distance = other - data;
memset(other, 2, 64);
other[5] = 9;
printf("%d\n", distance != 0);
free(other);
free(data);`,
    },
  },
  {
    name: 'unterminated',
    type: 'char *',
    source: {
      buggy: c`
data = (char *)malloc(32);
memset(data, 'a', 32);`,
      clean: c`
data = (char *)malloc(32);
memset(data, 'a', 32);
data[31] = 0;`,
    },
    sink: c`
printf("%d\n", (int)strlen(data) > 30); /* BUG */
free(data);`,
  },
  {
    name: 'straddling',
    type: 'char *',
    source: 'data = (char *)calloc(1, 12);',
    sink: {
      buggy: c`
unsigned long *word = (unsigned long *)(data + 5);
*word = 1; /* BUG */
free(data);`,
      clean: c`
unsigned long *word = (unsigned long *)(data + 4);
*word = 1;
free(data);`,
    },
  },
  {
    name: 'shrunk',
    type: 'int *',
    source: c`
data = (int *)malloc(100 * sizeof(int));
data = (int *)realloc(data, 50 * sizeof(int));`,
    sink: {
      buggy: c`
data[60] = 1; /* BUG */
free(data);`,
      clean: c`
data[49] = 1;
free(data);`,
    },
  },
  {
    name: 'multiplicationOverflow',
    type: 'unsigned',
    scalar: true,
    source: { buggy: 'data = 0x20000004;', clean: 'data = 4;' },
    sink: c`
unsigned bytes = data * 8;
long *row = (long *)malloc(bytes);
for (unsigned i = 0; i < data; i++) row[i] = i; /* BUG */
free(row);`,
  },
  {
    name: 'formatted',
    type: 'char *',
    source: 'data = (char *)malloc(8);',
    sink: {
      buggy: c`
sprintf(data, "%d", 12345678); /* BUG */
free(data);`,
      clean: c`
sprintf(data, "%d", 1234567);
snprintf(data, 8, "%d", 1234567890);
free(data);`,
    },
  },
  {
    name: 'matrix',
    type: 'double *',
    source: 'data = (double *)calloc(3 * 5, sizeof(double));',
    sink: {
      buggy: c`
for (int row = 0; row < 3; row++)
  for (int column = 0; column < 5; column++) data[column * 5 + row] = 1; /* BUG */
free(data);`,
      clean: c`
for (int row = 0; row < 3; row++)
  for (int column = 0; column < 5; column++) data[row * 5 + column] = 1;
free(data);`,
    },
  },
  {
    name: 'flexibleArray',
    type: 'struct packet *',
    prologue: 'struct packet { int length; char bytes[]; };',
    source: {
      buggy: c`
data = (struct packet *)malloc(12);
data->length = 12;`,
      clean: c`
data = (struct packet *)malloc(sizeof(struct packet) + 12);
data->length = 12;`,
    },
    sink: c`
for (int i = 0; i < data->length; i++) data->bytes[i] = 1; /* BUG */
free(data);`,
  },
  {
    name: 'readLine',
    type: 'char *',
    source: 'data = (char *)malloc(10);',
    sink: {
      buggy: c`
FILE *file = fmemopen((void *)"a line of text\n", 15, "r");
fgets(data, 20, file); /* BUG */
fclose(file);
free(data);`,
      clean: c`
FILE *file = fmemopen((void *)"a line of text\n", 15, "r");
fgets(data, 10, file);
puts(data);
fclose(file);
free(data);`,
    },
  },
  {
    name: 'newArray',
    type: 'int *',
    language: 'cc',
    source: 'data = new int[5]();',
    sink: {
      buggy: c`
data[5] = 1; /* BUG */
delete[] data;`,
      clean: c`
data[4] = 1;
int *end = data + 5;
for (int *at = data; at < end; at++) printf("%d\n", *at);
delete[] data;`,
    },
  },
];

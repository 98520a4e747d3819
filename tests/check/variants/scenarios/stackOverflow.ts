/** Accesses beyond either end of a local array. What flows is an index, a length or a text. */
import { c } from '../scenario.js';
import type { Scenario, Twins } from '../scenario.js';

function withNumber(name: string, numbers: readonly [number, number], sink: string | Twins, prologue = ''): Scenario {
  return { name, type: 'int', scalar: true, prologue, source: { buggy: `data = ${numbers[0]};`, clean: `data = ${numbers[1]};` }, sink };
}

function withText(name: string, texts: readonly [string, string], sink: string, prologue = ''): Scenario {
  return { name, type: 'const char *', prologue, source: { buggy: `data = "${texts[0]}";`, clean: `data = "${texts[1]}";` }, sink };
}

export const STACK_OVERFLOW: readonly Scenario[] = [
  withNumber('indexWrite', [8, 7], c`
int row[8] = { 0 };
row[data] = 1; /* BUG */
printf("%d\n", row[7]);`),
  withNumber('indexRead', [5, 4], c`
short row[5] = { 1, 2, 3, 4, 5 };
int value = row[data]; /* BUG */
printf("%d\n", value != -77777);`),
  withNumber('underflow', [-1, 0], c`
long fence = 7, row[4] = { 1, 2, 3, 4 };
row[data] = fence; /* BUG */
printf("%ld\n", row[3]);`),
  withNumber('pointerWalk', [13, 12], c`
char letters[12];
char *end = letters + data;
for (char *at = letters; at != end; at++) *at = 'x'; /* BUG */
printf("%c\n", letters[0]);`),
  withText('stringCopy', ['eight ch', 'seven c'], c`
char small[8];
strcpy(small, data); /* BUG */
puts(small);`),
  withNumber('copy', [17, 16], c`
char from[32] = "thirty-one characters and more", to[16];
memcpy(to, from, data); /* BUG */
printf("%c\n", to[3]);`),
  withNumber('formatted', [1000, 999], c`
char text[4];
sprintf(text, "%d", data); /* BUG */
puts(text);`),
  withNumber('systemCall', [25, 24], c`
char bytes[24];
int file = open("/dev/zero", O_RDONLY);
read(file, bytes, data); /* BUG */
close(file);
printf("%d\n", bytes[23]);`, c`
#include <fcntl.h>
#include <unistd.h>`),
  withNumber('callee', [7, 6], c`
int row[6];
fill(row, data);
printf("%d\n", row[0]);`, c`
static void fill(int *row, int count) {
  for (int i = 0; i < count; i++) row[i] = i; /* BUG */
}`),
  withNumber('variableLength', [10, 9], c`
int count = 10;
long row[count];
for (int i = 0; i < 10; i++) row[i] = i;
row[data + (data == 10 ? 0 : 0)] = 5; /* BUG */
printf("%ld\n", row[0]);`),
  withNumber('allocatedOnStack', [32, 31], c`
char *bytes = (char *)alloca(32);
memset(bytes, 0, 32);
bytes[data] = 1; /* BUG */
printf("%d\n", bytes[0]);`, '#include <alloca.h>'),
  withNumber('matrix', [3, 2], c`
int cells[3][4] = { { 0 } };
for (int i = 0; i < 4; i++) cells[data][i] = i; /* BUG */
printf("%d\n", cells[2][3]);`),
  withText('readLine', ['16', '10'], c`
char line[10];
FILE *file = fmemopen((void *)"a long line of text\n", 20, "r");
fgets(line, atoi(data), file); /* BUG */
fclose(file);
puts(line);`),
  withNumber('straddling', [9, 8], c`
char bytes[16] = { 0 };
*(long *)(bytes + data) = 1; /* BUG */
printf("%d\n", bytes[15]);`),
  withText('appended', ['defgh', 'defg'], c`
char text[8] = "abc";
strcat(text, data); /* BUG */
puts(text);`),
  withNumber('structs', [2, 1], c`
struct pair { int key; int value; } pairs[2] = { { 1, 2 }, { 3, 4 } };
pairs[data].value = 5; /* BUG */
printf("%d\n", pairs[1].key);`),
];

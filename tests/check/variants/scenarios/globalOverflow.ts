/** Accesses beyond either end of a global or static array. */
import { c } from '../scenario.js';
import type { Scenario, Twins } from '../scenario.js';

function withNumber(name: string, prologue: string, numbers: readonly [number, number], sink: string | Twins): Scenario {
  return { name, type: 'int', scalar: true, prologue, source: { buggy: `data = ${numbers[0]};`, clean: `data = ${numbers[1]};` }, sink };
}

const NEIGHBOURS = c`
static int before[4] = { 1, 2, 3, 4 };
static int table[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static int after[4] = { 9, 9, 9, 9 };`;
const BYTES = c`
static char ahead[16], bytes[16], behind[16];`;

export const GLOBAL_OVERFLOW: readonly Scenario[] = [
  withNumber('indexWrite', NEIGHBOURS, [8, 7], c`
table[data] = 1; /* BUG */
printf("%d %d\n", before[0], after[0] > 0);`),
  withNumber('indexRead', NEIGHBOURS, [9, 6], c`
int value = table[data]; /* BUG */
printf("%d\n", value + before[3] + after[2] > 0);`),
  withNumber('underflow', NEIGHBOURS, [-1, 0], c`
table[data] = 3; /* BUG */
printf("%d %d\n", before[1], after[1]);`),
  withNumber('pointerWalk', NEIGHBOURS, [9, 8], c`
int *end = table + data, sum = before[0] + after[0];
for (int *at = table; at < end; at++) sum += *at; /* BUG */
printf("%d\n", sum > 0);`),
  {
    name: 'stringCopy',
    type: 'const char *',
    prologue: BYTES,
    source: { buggy: 'data = "sixteen letters!";', clean: 'data = "fifteen letters";' },
    sink: c`
strcpy(bytes, data); /* BUG */
printf("%d %d\n", ahead[0], behind[15]);`,
  },
  withNumber('copy', BYTES, [17, 16], c`
char from[32] = "thirty-one characters and more";
memcpy(bytes, from, data); /* BUG */
printf("%d %d\n", ahead[0], behind[15]);`),
  withNumber('systemCall', `${BYTES}\n#include <fcntl.h>\n#include <unistd.h>`, [20, 16], c`
int file = open("/dev/zero", O_RDONLY);
read(file, bytes, data); /* BUG */
close(file);
printf("%d %d\n", ahead[0], behind[15]);`),
  withNumber('constant', c`static const char names[3][6] = { "one", "two", "three" };
static const char others[3][6] = { "four", "five", "six" };`, [19, 17], c`
const char *all = names[0];
int letter = all[data]; /* BUG */
printf("%d %s\n", letter >= 0, others[0]);`),
  withNumber('staticLocal', '', [6, 5], c`
static long history[6];
static long other[6];
history[data] = 4; /* BUG */
printf("%ld\n", other[5]);`),
  withNumber('callee', c`${BYTES}
static void clear(char *memory, int size) {
  memset(memory, 0, size); /* BUG */
}`, [24, 16], c`
clear(bytes, data);
printf("%d %d\n", ahead[0], behind[15]);`),
  withNumber('structs', c`
struct pair { short key; long value; };
static struct pair pairs[3], spare[3];`, [3, 2], c`
pairs[data].value = 5; /* BUG */
printf("%d\n", spare[0].key);`),
  withNumber('straddling', BYTES, [13, 12], c`
*(int *)(bytes + data) = 1; /* BUG */
printf("%d %d\n", ahead[0], behind[15]);`),
  withNumber('farBeyond', c`
static char one[64], two[64];`, [64, 0], c`
long distance = two - one;
char *at = data == 0 ? two : one + distance;
at[5] = 3; /* BUG */
printf("%d\n", two[5]);`),
  withNumber('formatted', c`static char digits[4], next[4];`, [1000, 999], c`
sprintf(digits, "%d", data); /* BUG */
printf("%s %d\n", digits, next[1]);`),
];

/** Arguments that a function of the C library does not allow. */
import { c } from '../scenario.js';
import type { Scenario, Twins } from '../scenario.js';

function withNumber(name: string, numbers: readonly [string, string], sink: string | Twins, prologue = ''): Scenario {
  return { name, type: 'long', scalar: true, prologue, source: { buggy: `data = ${numbers[0]};`, clean: `data = ${numbers[1]};` }, sink };
}

function withText(name: string, sink: string): Scenario {
  return { name, type: 'const char *', source: { buggy: 'data = NULL;', clean: 'data = "12";' }, sink };
}

export const LIBC_ARGUMENT: readonly Scenario[] = [
  withNumber('malloc', ['-5', '5'], c`
void *memory = malloc(data); /* BUG */
printf("%d\n", memory != NULL);
free(memory);`),
  withNumber('calloc', ['-1', '1'], c`
void *memory = calloc(data, 8); /* BUG */
printf("%d\n", memory != NULL);
free(memory);`),
  withNumber('realloc', ['-40', '40'], c`
char *memory = (char *)malloc(10);
char *larger = (char *)realloc(memory, data); /* BUG */
free(larger);`),
  withNumber('memcpy', ['-1', '8'], c`
char from[16] = "0123456789", to[16];
memcpy(to, from, data); /* BUG */
printf("%c\n", to[0]);`),
  withNumber('memset', ['-16', '16'], c`
char bytes[16];
memset(bytes, 'x', data); /* BUG */
printf("%c\n", bytes[0]);`),
  withNumber('memmove', ['-2', '2'], c`
char bytes[16] = "abcdef";
memmove(bytes + 1, bytes, data); /* BUG */
puts(bytes);`),
  withNumber('alignment', ['48', '64'], c`
void *memory = NULL;
int result = posix_memalign(&memory, data, 100); /* BUG */
printf("%d\n", result == 0);
free(memory);`),
  withNumber('alignedSize', ['3', '16'], c`
void *memory = aligned_alloc(data, 96); /* BUG */
free(memory);`),
  withNumber('strncpy', ['-3', '3'], c`
char to[16];
strncpy(to, "abcdefgh", data); /* BUG */
printf("%c\n", to[0]);`),
  withNumber('character', ['-30', '30'], c`
int upper = toupper((int)data); /* BUG */
printf("%d\n", upper < 1000);`, '#include <ctype.h>'),
  withNumber('noCharacter', ['256', '255'], c`
int space = isspace((int)data); /* BUG */
printf("%d\n", space != 12345);`, '#include <ctype.h>'),
  withNumber('swapped', ['32', '0'], c`
char bytes[32] = { 1 };
memset(bytes, (int)data, 0); /* BUG */
printf("%d\n", bytes[0]);`),
  withText('string', c`
int number = atoi(data); /* BUG */
printf("%d\n", number);`),
  withText('secondString', c`
int order = strcmp("one", data); /* BUG */
printf("%d\n", order != 0);`),
  withText('source', c`
char to[4];
memcpy(to, data, 2); /* BUG */
printf("%c\n", to[0]);`),
  {
    name: 'stream',
    type: 'FILE *',
    source: { buggy: 'data = fopen("/no/such/file", "r");', clean: 'data = fopen("/dev/null", "r");' },
    sink: 'fclose(data); /* BUG */',
  },
];

/**
 * Copies whose source and destination overlap, with functions that do not allow it. memmove does, and in libc it is the
 * same code.
 */
import { c } from '../scenario.js';
import type { Scenario, Twins } from '../scenario.js';

const TEXT = c`
data = (char *)malloc(64);
memset(data, 0, 64);
strcpy(data, "0123456789abcdefghijklmnopqrstuvwxyz");`;

function copy(name: string, { buggy, clean }: Twins): Scenario {
  return { name, type: 'char *', source: TEXT, sink: { buggy: `${buggy} /* BUG */\nfree(data);`, clean: `${clean}\nputs(data);\nfree(data);` } };
}

export const OVERLAP: readonly Scenario[] = [
  copy('shiftRight', { buggy: 'memcpy(data + 4, data, 20);', clean: 'memmove(data + 4, data, 20);' }),
  copy('shiftLeft', { buggy: 'memcpy(data, data + 1, 20);', clean: 'memmove(data, data + 1, 20);' }),
  copy('oneByte', { buggy: 'memcpy(data, data + 15, 16);', clean: 'memcpy(data, data + 16, 16);' }),
  copy('string', { buggy: 'strcpy(data, data + 2);', clean: 'memmove(data, data + 2, strlen(data + 2) + 1);' }),
  copy('limitedString', { buggy: 'strncpy(data, data + 3, 8);', clean: 'strncpy(data, data + 8, 8);' }),
  copy('copyAndPoint', { buggy: 'mempcpy(data + 8, data, 9);', clean: 'mempcpy(data + 8, data, 8);' }),
  copy('nothing', { buggy: 'memcpy(data + 1, data, 2);', clean: 'memcpy(data + 1, data, 0);' }),
  copy('olderFunction', { buggy: 'memcpy(data + 10, data, 30);', clean: 'bcopy(data, data + 10, 30);' }),
  copy('tail', { buggy: 'stpcpy(data + 30, data + 32);', clean: 'stpcpy(data + 40, data + 32);' }),
  {
    name: 'elements',
    type: 'int',
    scalar: true,
    source: { buggy: 'data = 5;', clean: 'data = 4;' },
    sink: c`
int row[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
size_t count = data;
if (count < 5) memmove(row + 2, row, count * sizeof(int));
else memcpy(row + 2, row, count * sizeof(int)); /* BUG */
printf("%d\n", row[3]);`,
  },
  {
    name: 'global',
    type: 'char *',
    prologue: 'static char line[40] = "   leading blanks";',
    source: 'data = line;',
    sink: {
      buggy: c`
while (*data == ' ') data++;
strcpy(line, data); /* BUG */`,
      clean: c`
char other[40];
while (*data == ' ') data++;
strcpy(other, data);
strcpy(line, other);
puts(line);`,
    },
  },
  {
    name: 'halves',
    type: 'int *',
    source: 'data = (int *)calloc(16, sizeof(int));',
    sink: {
      buggy: c`
size_t half = 9 * sizeof(int);
memcpy(data + 7, data, half); /* BUG */
free(data);`,
      clean: c`
size_t half = 8 * sizeof(int);
memcpy(data + 8, data, half);
memcpy(data, data + 8, half);
free(data);`,
    },
  },
];

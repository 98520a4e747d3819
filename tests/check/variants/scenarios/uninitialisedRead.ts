/** The paper's own rule: bytes of a heap block are read, whatever for, that no instruction has written. */
import { c } from '../scenario.js';
import type { Scenario } from '../scenario.js';

export const UNINITIALISED_READ: readonly Scenario[] = [
  {
    name: 'read',
    type: 'int *',
    source: { buggy: 'data = (int *)malloc(16);', clean: 'data = (int *)calloc(4, 4);' },
    sink: c`
int value = data[2]; /* BUG */
free(data);`,
  },
  {
    name: 'neighbour',
    type: 'char *',
    source: c`
data = (char *)malloc(8);
data[3] = 'x';`,
    sink: {
      buggy: c`
char value = data[4]; /* BUG */
free(data);`,
      clean: c`
char value = data[3];
free(data);`,
    },
  },
  {
    name: 'wider',
    type: 'short *',
    source: c`
data = (short *)malloc(8);
data[0] = data[1] = 1;`,
    sink: {
      buggy: c`
long value = *(long *)data; /* BUG */
free(data);`,
      clean: c`
int value = *(int *)data;
free(data);`,
    },
  },
  {
    name: 'grown',
    type: 'long *',
    source: c`
data = (long *)calloc(2, 8);
data = (long *)realloc(data, 32);`,
    sink: {
      buggy: c`
long value = data[2]; /* BUG */
free(data);`,
      clean: c`
long value = data[1];
free(data);`,
    },
  },
  {
    name: 'usedAgain',
    type: 'int *',
    source: c`
int *before = (int *)calloc(6, 4);
free(before);
data = (int *)malloc(24);
data[0] = 5;`,
    sink: {
      buggy: c`
int value = data[5]; /* BUG */
free(data);`,
      clean: c`
int value = data[0];
free(data);`,
    },
  },
  {
    name: 'readFromFile',
    type: 'char *',
    prologue: c`
#include <fcntl.h>
#include <unistd.h>`,
    source: c`
int file = open("/dev/zero", O_RDONLY);
data = (char *)malloc(32);
read(file, data, 20);
close(file);`,
    sink: {
      buggy: c`
char value = data[20]; /* BUG */
free(data);`,
      clean: c`
char value = data[19];
free(data);`,
    },
  },
];

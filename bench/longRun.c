/* About 22 million instructions a round: fills, one pass of sorting, counting. `rare` is written once, after a third of the rounds. */
#include <stdio.h>
#include <stdlib.h>

unsigned long counts[256];
volatile unsigned lastSeed;
char apart[8192];
volatile int rare;

static unsigned next(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  unsigned state = 1;
  int size = 1 << 20;
  unsigned *numbers = malloc(size * sizeof *numbers);
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < size; i++) numbers[i] = next(&state);
    for (int i = 1; i < size; i++) {
      if (numbers[i - 1] > numbers[i]) {
        unsigned larger = numbers[i - 1];
        numbers[i - 1] = numbers[i];
        numbers[i] = larger;
      }
      counts[numbers[i] & 255]++;
    }
    lastSeed = state;
    if (round == rounds / 3) rare = round;
  }
  printf("%lu\n", counts[3]);
  return 0;
}

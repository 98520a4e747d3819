/* What the programs of the table have in common: 1,000 nodes, then 500 operations, and one fault in the middle of them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef NODES
#define NODES 1000
#endif
#ifndef OPERATIONS
#define OPERATIONS 500
#endif
#ifndef FAULT
#define FAULT 0
#endif

static int operation = -1;
static int injected;
static uint32_t seed = 12345;

/* The fault that was asked for happens once, in the last third of the operations, where the code first comes by. */
#define BUG(n) (FAULT == (n) && operation >= OPERATIONS * 2 / 3 + 7 * (n) && !injected && (injected = 1))

static uint32_t rnd(uint32_t below) {
  seed = seed * 1664525u + 1013904223u;
  return (seed >> 8) % below;
}

/* A structure that is broken may have no end. */
static int steps;
static void step(void) {
  if (++steps > 100000000) abort();
}

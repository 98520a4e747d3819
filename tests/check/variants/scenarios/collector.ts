/** A mark-and-sweep collector that keeps its mark in the least significant bit of each block. */
import { c } from '../scenario.js';
import type { Scenario } from '../scenario.js';

const HEAP = c`
struct object { long header; struct object *first, *second; };
static struct object *roots[4];
static struct object *all[16];
static int count, forgets;

static struct object *new_object(struct object *first, struct object *second) {
  struct object *object = (struct object *)malloc(sizeof(struct object));
  object->header = 0;
  object->first = first;
  object->second = second;
  return all[count++] = object;
}

static void mark(struct object *object) {
  if (object == NULL || object->header & 1) return;
  object->header |= 1;
  mark(object->first);
  mark(object->second);
}

/* Marks, sweeps, and leaves the marks for who wants to look at them. */
__attribute__((noinline)) static void gc(void) {
  for (int i = 0; i < 4; i++) mark(roots[i]);
  int left = 0;
  for (int i = 0; i < count; i++) {
    struct object *object = all[i];
    if (object->header & 1) all[left++] = object;
    else free(object);
  }
  if (forgets) all[left - 1]->header &= ~1L;
  count = left;
} /* BUG */

static void clear_all(void) {
  for (int i = 0; i < count; i++) free(all[i]);
  for (int i = 0; i < 4; i++) roots[i] = NULL;
  count = 0;
}`;

export const COLLECTOR: readonly Scenario[] = [
  {
    name: 'forgotten',
    type: 'int',
    scalar: true,
    prologue: HEAP,
    source: { buggy: 'data = 1;', clean: 'data = 0;' },
    sink: c`
forgets = data;
roots[0] = new_object(new_object(NULL, NULL), NULL);
new_object(NULL, NULL);
gc();
clear_all();`,
    unless: ['vectorElement', 'classMember', 'destructor', 'exception', 'lambda', 'linkedList', 'reallocatedTable', 'thread'],
  },
  {
    name: 'deep',
    type: 'int',
    scalar: true,
    prologue: HEAP,
    source: { buggy: 'data = 1;', clean: 'data = 0;' },
    sink: c`
struct object *leaf = new_object(NULL, NULL);
roots[1] = new_object(new_object(leaf, NULL), leaf);
gc();
roots[1]->first->header = roots[1]->header = leaf->header = 0;
roots[1]->second = NULL;
forgets = data;
gc();
clear_all();`,
    unless: ['vectorElement', 'classMember', 'destructor', 'exception', 'lambda', 'linkedList', 'reallocatedTable', 'thread'],
  },
];

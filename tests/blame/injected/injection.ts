/**
 * A bug to put into a random program: declarations, with a function `bug` that is called once where memory goes bad and
 * a function `after` that is called later and uses what may be bad by then. Lines that end with `// @corrupt` are the
 * first corruption; `// @also` marks statements that the paper's definition allows, too (a wrong address is assigned).
 *
 * `VALUE(bad, good)` is the bug: compiled with -DFIXED the same program has none.
 */

export type Dice = (below: number) => number;

export interface Injection {
  /** What the table counts by. */
  readonly kind: string;
  readonly name: string;
  readonly declarations: string;
}

export const PRELUDE = `
#include <stdint.h>
#define APART __attribute__((noipa)) static
#ifdef FIXED
#define VALUE(bad, good) (good)
#else
#define VALUE(bad, good) (bad)
#endif
struct node { char *label; long weight; struct node *next; };
static struct node plainNode = { "plain", 1, 0 };
static volatile int chosen;
static volatile long shown;
static char source[512];
APART void *touched(void *where) { return where; }
/* Written so that gcc removes neither; the call itself is in the line that has it. */
#define block(size) touched(malloc(size))
#define release(where) free(touched(where))
APART void dirty(void *where, size_t size) { memset(where, 0x41, size); }
APART void prepare(int count) { memset(source, 'A', sizeof source); source[count] = 0; }
`;

export function among<T>(dice: Dice, all: readonly T[]): T {
  return all[dice(all.length)] as T;
}

/** How many elements too many, of so many bytes: one, some, or enough for a return address. */
export function excess(dice: Dice): { readonly name: string; readonly bytes: number } {
  return among(dice, [{ name: 'off by one', bytes: 1 }, { name: 'small', bytes: 8 + dice(24) }, { name: 'large', bytes: 64 + dice(60) }]);
}

/** What leaks have in common: a holder and what it holds; and that no trace of an address stays behind on the stack. */
import { c, twin } from '../scenario.js';
import type { Scenario } from '../scenario.js';

const SCRUB = c`
static void scrub(void) {
  volatile char dead[4096];
  for (unsigned i = 0; i < sizeof dead; i++) dead[i] = 0;
}`;

export function scrubbed(scenario: Scenario): Scenario {
  const [buggy = '', clean = ''] = [true, false].map((which) => `${twin(scenario.sink, which)}\nscrub();`);
  return { ...scenario, prologue: `${scenario.prologue ?? ''}\n${SCRUB.trim()}`, sink: { buggy, clean } };
}

export const BOX = c`
struct box { char *payload; struct box *next; };

static char *payload_of(int size) {
  char *payload = (char *)malloc(size); /* BUG */
  memset(payload, 'p', size);
  return payload;
}

static struct box *new_box(int size) {
  struct box *box = (struct box *)calloc(1, sizeof(struct box));
  box->payload = payload_of(size);
  return box;
}`;
export const FREE_BOTH = c`
free(data->payload);
free(data);`;
export const NEW_BOX = 'data = new_box(40);';

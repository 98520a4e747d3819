/** A holder and what it holds. */
import { c } from '../scenario.js';

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

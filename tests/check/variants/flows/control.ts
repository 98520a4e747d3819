/** Through loops, jumps and the end of the program. */
import { c } from '../scenario.js';
import { cFlow, NESTED } from './flow.js';
import type { Flow } from './flow.js';

export const CONTROL: readonly Flow[] = [
  cFlow('loop', c`@PROLOGUE@
int main(void) {
  Data data = 0;
  for (int round = 0; round < 4; round++) {
    if (round == 1) {
      @SOURCE@
    }
    if (round == 3) {
      @SINK@
    }
  }
  return 0;
}
`, NESTED),
  cFlow('switch', c`@PROLOGUE@
static int following(int state) {
  switch (state) {
    case 10: return 200;
    case 200: return 3000;
    default: return 0;
  }
}

int main(void) {
  Data data = 0;
  for (int state = 10; state != 0; state = following(state)) {
    switch (state) {
      case 10: {
        @SOURCE@
        break;
      }
      case 200: break;
      case 3000: {
        @SINK@
      }
    }
  }
  return 0;
}
`, NESTED),
  cFlow('goto', c`@PROLOGUE@
int main(void) {
  Data data = 0;
  int rounds = 0;
again:
  if (rounds++ > 0) goto use;
  {
    @SOURCE@
  }
  goto again;
use:
  {
    @SINK@
  }
  return 0;
}
`, NESTED),
  cFlow('setjmp', c`#include <setjmp.h>
@PROLOGUE@
static jmp_buf place;

static void leave(int depth) {
  if (depth == 0) longjmp(place, 5);
  leave(depth - 1);
}

int main(void) {
  volatile Data data = 0;
  switch (setjmp(place)) {
    case 0: {
      @SOURCE@
      leave(3);
    }
    case 5: {
      @SINK@
    }
  }
  return 0;
}
`, NESTED),
  cFlow('atexit', c`#include <stdlib.h>
@PROLOGUE@
static Data kept;

static void finish(void) {
  Data data = kept;
  kept = 0;
  @SINK@
}

int main(void) {
  Data data;
  atexit(finish);
  @SOURCE@
  kept = data;
  return 0;
}
`),
];

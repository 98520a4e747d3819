/**
 * Return addresses that are overwritten. Reported where that happens, or when the function returns: both lines are
 * marked.
 */
import { c } from '../scenario.js';
import type { Scenario, Twins } from '../scenario.js';

function smash(name: string, prologue: string, source: string | Twins, sink: string | Twins, more: Partial<Scenario> = {}): Scenario {
  return { name, type: 'long', scalar: true, prologue, source, sink, ...more };
}

const LONG_TEXT = 'a text that goes on beyond the frame of the function that copies it';

export const RETURN_SMASH: readonly Scenario[] = [
  smash('frameAddress', c`
__attribute__((noinline)) static void victim(long value) {
  void **frame = (void **)__builtin_frame_address(0);
  if (value != 0) frame[1] = (void *)value; /* BUG */
  else printf("%d\n", frame[1] != NULL);
} /* BUG */`, { buggy: 'data = 0x1234;', clean: 'data = 0;' }, 'victim(data);'),
  smash('loop', c`
__attribute__((noinline)) static void victim(long count) {
  long row[4];
  for (int i = 0; i < count; i++) row[i] = i; /* BUG */
} /* BUG */`, { buggy: 'data = 9;', clean: 'data = 4;' }, 'victim(data);'),
  smash('index', c`
__attribute__((noinline)) static void victim(long index) {
  long row[2] = { 1, 2 };
  long *place = index < 0 ? (long *)__builtin_frame_address(0) + 1 : row + index;
  *place = 4; /* BUG */
} /* BUG */`, { buggy: 'data = -1;', clean: 'data = 1;' }, 'victim(data);'),
  smash('copy', c`
__attribute__((noinline)) static void victim(long count) {
  static char zeros[64];
  char bytes[16];
  memcpy(bytes, zeros, count); /* BUG */
} /* BUG */`, { buggy: 'data = 60;', clean: 'data = 16;' }, 'victim(data);'),
  smash('systemCall', c`
#include <fcntl.h>
#include <unistd.h>
__attribute__((noinline)) static void victim(long count) {
  char bytes[16];
  int file = open("/dev/zero", O_RDONLY);
  read(file, bytes, count); /* BUG */
} /* BUG */`, { buggy: 'data = 64;', clean: 'data = 16;' }, 'victim(data);'),
  smash('caller', c`
__attribute__((noinline)) static void inner(long value) {
  void **frame = (void **)__builtin_frame_address(0);
  void **outer = (void **)frame[0];
  if (value != 0) outer[1] = (void *)value; /* BUG */
  else printf("%d\n", outer[1] != frame[1]);
}

__attribute__((noinline)) static void victim(long value) {
  inner(value);
} /* BUG */`, { buggy: 'data = 0x40;', clean: 'data = 0;' }, 'victim(data);'),
  smash('lowByte', c`
__attribute__((noinline)) static void victim(long value) {
  unsigned char *place = (unsigned char *)__builtin_frame_address(0) + 8;
  unsigned char local = 0;
  if (value == 0) place = &local;
  *place ^= 0x10; /* BUG */
} /* BUG */`, { buggy: 'data = 1;', clean: 'data = 0;' }, 'victim(data);'),
  {
    name: 'stringCopy',
    type: 'const char *',
    prologue: c`
__attribute__((noinline)) static void victim(const char *text) {
  char copy[16];
  strcpy(copy, text); /* BUG */
} /* BUG */`,
    source: { buggy: `data = "${LONG_TEXT}";`, clean: 'data = "fifteen letters";' },
    sink: 'victim(data);',
  },
  smash('otherWays', c`
#include <setjmp.h>
#include <ucontext.h>
static jmp_buf place;
static ucontext_t here, there;
static char stack[64 << 10];

static void visit(void) {
  swapcontext(&there, &here);
}

__attribute__((noinline)) static void jump(int depth) {
  if (depth == 0) longjmp(place, 1);
  jump(depth - 1);
}

__attribute__((noinline)) static void victim(long value) {
  void **frame = (void **)__builtin_frame_address(0);
  if (value != 0) frame[1] = (void *)visit; /* BUG */
} /* BUG */`, { buggy: 'data = 1;', clean: 'data = 0;' }, c`
if (setjmp(place) == 0) jump(5);
getcontext(&there);
there.uc_stack.ss_sp = stack;
there.uc_stack.ss_size = sizeof stack;
there.uc_link = &here;
makecontext(&there, visit, 0);
swapcontext(&here, &there);
victim(data);`),
  smash('unwound', c`
__attribute__((noinline)) static void victim(long value) {
  if (value == 0) throw value;
  ((void **)__builtin_frame_address(0))[1] = (void *)value; /* BUG */
} /* BUG */`, { buggy: 'data = 0x77;', clean: 'data = 0;' }, c`
try {
  victim(data);
} catch (long) {
  puts("caught");
}`, { language: 'cc' }),
];

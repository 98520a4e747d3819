/** Random C programs that end by themselves, in a few thousand instructions. The same seed gives the same program. */

type Dice = (below: number) => number;

const TYPES = ['int', 'char', 'short', 'long', 'unsigned', 'unsigned char', 'float', 'double'] as const;
const GLOBALS = ['g0', 'g1', 'g2', 'g3', 'g4', 'g5'];
const FUNCTIONS = 4;

export function randomProgram(dice: Dice): string {
  return new Program(dice).text();
}

class Program {
  private loops = 0;
  private labels = 0;
  private depth = 0;
  /** Of the function that is written. */
  private locals: string[] = [];
  private number = 0;

  constructor(private readonly dice: Dice) {}

  text(): string {
    const { dice } = this;
    const functions = Array.from({ length: FUNCTIONS }, (_, i) => this.function(i));
    return `#define _GNU_SOURCE
#include <alloca.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
struct part { int a; char b; unsigned c : 5, d : 11; short e[3]; double f; };
union word { int whole; unsigned char bytes[4]; float real; };
${GLOBALS.map((name) => `static ${TYPES[dice(TYPES.length)]} ${name} = ${dice(9)};`).join('\n')}
static struct part parts[3], other;
static union word word;
static int array[8] = { ${Array.from({ length: 8 }, () => dice(50)).join(', ')} };
static char text[32];
static jmp_buf out;
static volatile int caught, fuel = 400;
static void handler(int number) { caught += number + (int)g0; }
static int byValue(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }
static int summed(int count, ...) { va_list list; va_start(list, count); int all = 0; while (count-- > 0) all += va_arg(list, int); va_end(list); return all; }
static int recursive(int n) { return n < 2 ? n + (int)g1 : recursive(n - 1) + recursive(n - 2); }
static void leaving(int n) { if (n <= 0) longjmp(out, 1 + (array[1] & 3)); array[n & 7]++; leaving(n - 1); }
static sigjmp_buf away;
static double reals[4] = { 1.5, ${dice(9)}, 0.25 };
static long double wide = ${dice(5)};
static int ends[2], *common;
static pid_t self;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void escaping(int number) { array[3] += number; siglongjmp(away, 1 + (array[3] & 1)); }
static void fixing(int number, siginfo_t *info, void *context) { ((ucontext_t *)context)->uc_mcontext.gregs[REG_R12] += array[1]; }
static struct part made(int a, double f) { struct part p = parts[a & 1]; p.a = a; p.f = f; p.e[a & 1] = a >> 2; return p; }
static int even(int n);
static int odd(int n) { return n <= 0 ? array[4] : even(n - 1) + (n & 1); }
static int even(int n) { if (n <= 0) return (int)g2; int deeper = odd(n - 1); return deeper * 2; }
static int dispatch(unsigned n) {
  static void *places[] = { &&zero, &&one, &&two };
  int made = array[n & 7];
  goto *places[n % 3];
two: made += 2;
one: made ^= array[1]; if (made & 1) goto done;
zero: made -= (int)g3;
done: return made;
}
static int nested(int n) {
  int all = 0;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 3; j++) {
      if (array[(i + j) & 7] == n) goto found;
      if (((i ^ j) & 3) == (n & 3)) continue;
      all += j;
    }
  return all;
found: return all + 100;
}
static void *locked(void *given) { for (int i = 0; i < 2; i++) { pthread_mutex_lock(&lock); array[6] += (int)(long)given; pthread_mutex_unlock(&lock); } return 0; }
static long bumped(long value) { register long kept asm("r12") = value; long number = 62; asm volatile("syscall" : "+a"(number), "+r"(kept) : "D"((long)self), "S"(14L) : "rcx", "r11", "memory"); return kept; }
static void *worker(void *given) { int *p = given; for (int i = 0; i < 3; i++) array[i] += *p; return (void *)(long)(*p + 1); }
${Array.from({ length: FUNCTIONS }, (_, i) => `static int f${i}(int, int);`).join('\n')}
static int (*table[])(int, int) = { ${Array.from({ length: FUNCTIONS }, (_, i) => `f${i}`).join(', ')} };
${functions.join('\n')}
int main(int argc, char **argv) {
  signal(SIGUSR1, handler);
  signal(SIGUSR2, escaping);
  struct sigaction fixes = { .sa_sigaction = fixing, .sa_flags = SA_SIGINFO };
  sigaction(SIGALRM, &fixes, 0);
  self = getpid();
  pipe(ends);
  common = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int a = argc, b = 3;
  int result = f0(a, b);
  return (result + (int)g0 + array[2]) & 0x7f;
}
`;
  }

  private function(number: number): string {
    this.number = number;
    this.locals = ['a', 'b', 'x', 'y'];
    const body = this.block(5 + this.dice(4));
    return `static int f${number}(int a, int b) {\n  int x = a + ${this.dice(9)};\n  static long y;\n  if (fuel-- <= 0) return a;\n${body}  return (int)(${this.expression()});\n}`;
  }

  private block(count: number): string {
    this.depth++;
    const statements = Array.from({ length: count }, () => this.statement());
    this.depth--;
    return statements.map((one) => `${one}\n`).join('');
  }

  private value(): string {
    const { dice } = this;
    switch (dice(9)) {
      case 0: return `${dice(100)}`;
      case 1: return `array[(unsigned)(${this.local()}) & 7]`;
      case 2: return `parts[(unsigned)(${this.local()}) % 3].${['a', 'b', 'c', 'd', 'e[1]', 'f'][dice(6)]}`;
      case 3: return `word.${['whole & 0xff', 'bytes[2]', 'bytes[0]'][dice(3)]}`;
      case 4: return `text[(unsigned)(${this.local()}) & 31]`;
      case 5: return GLOBALS[dice(GLOBALS.length)] as string;
      default: return this.local();
    }
  }

  private local(): string {
    return this.locals[this.dice(this.locals.length)] as string;
  }

  private expression(): string {
    const [left, right] = [this.value(), this.value()];
    switch (this.dice(9)) {
      case 0: return `(${left}) + (${right})`;
      case 1: return `(${left}) * (${right})`;
      case 2: return `(int)(${left}) / (((int)(${right}) & 7) + 1)`;
      case 3: return `((int)(${left}) & 0xffff) << ${this.dice(5)}`;
      case 4: return `(unsigned)(int)(${left}) >> ((int)(${right}) & 7)`;
      case 5: return `(${left}) > (${right}) ? (${this.value()}) : (${right})`;
      case 6: return `(${this.condition()}) + (${left})`;
      case 7: return `(int)(${left}) ^ (int)(${right})`;
      default: return left;
    }
  }

  private condition(): string {
    const simple = `(${this.value()}) ${['<', '>', '==', '!=', '<='][this.dice(5)]} (${this.value()})`;
    return this.dice(3) > 0 ? simple : `${simple} ${this.dice(2) === 0 ? '&&' : '||'} (x++ & 3) != (int)(${this.value()})`;
  }

  private target(): string {
    const { dice } = this;
    switch (dice(8)) {
      case 0: return `array[(unsigned)(${this.local()}) & 7]`;
      case 1: return `parts[(unsigned)(${this.local()}) % 3].${['a', 'b', 'c', 'd', 'e[1]', 'f'][dice(6)]}`;
      case 2: return `word.${['whole', 'bytes[1]', 'real'][dice(3)]}`;
      case 3: return GLOBALS[dice(GLOBALS.length)] as string;
      case 4: return `*(&array[3] + ((unsigned)(${this.local()}) & 3))`;
      default: return ['x', 'y', 'a', 'b'][dice(4)] as string;
    }
  }

  private statement(): string {
    const { dice } = this;
    const isDeep = this.depth > 3;
    switch (isDeep ? dice(3) : dice(32)) {
      case 3: case 4: return `if (${this.condition()}) {\n${this.block(1 + dice(2))}} else {\n${this.block(1 + dice(2))}}`;
      case 5: return `if (${this.condition()}) {\n${this.block(1 + dice(2))}}`;
      case 6: case 7: return this.loop();
      case 8: return this.choice();
      case 9: return this.jumpBack();
      case 10: return this.call();
      case 11: return this.library();
      case 12: return `other = parts[${dice(3)}];\nparts[${dice(3)}] = other;`;
      case 13: return `x += recursive(${2 + dice(3)});`;
      case 14: return `{ int how = setjmp(out); if (how == 0) leaving(${dice(4)}); else y += how; }`;
      case 15: return dice(2) === 0 ? 'raise(SIGUSR1);' : 'x += caught;';
      case 16: return `if (${this.condition()}) return (int)(${this.value()});`;
      case 17: return dice(3) > 0 ? `x += summed(3, (int)(${this.value()}), a, b);` : '{ pthread_t one; void *result; if (fuel > 300) { pthread_create(&one, 0, worker, &array[5]); pthread_join(one, &result); y += (long)result; } }';
      case 31: return `y += bumped(x);`;
      case 18: return `reals[${dice(4)}] = reals[${dice(4)}] * ${dice(4)}.5 + (double)(${this.value()});`;
      case 19: return `reals[${dice(4)}] = sqrt(fabs(reals[${dice(4)}])) + (float)x / 3; x += (int)fmod(reals[${dice(4)}], 50);`;
      case 20: return `wide = wide / 2 + reals[${dice(4)}]; if (wide > ${dice(20)}) y += (long)fminl(wide, 1000);`;
      case 21: return this.words();
      case 22: return `{ int told[2] = { (int)(${this.value()}), x }, heard[3]; write(ends[1], told, 8); write(ends[1], &array[${dice(8)}], 4); read(ends[0], heard, 4 * ${1 + dice(2)}); read(ends[0], heard + 1, 8); x += heard[${dice(2)}]; }`;
      case 23: return `{ int how = sigsetjmp(away, 1); if (how == 0) { x++; raise(SIGUSR2); } else y += how; }`;
      case 24: return `parts[${dice(3)}] = made((int)(${this.value()}), reals[${dice(4)}]);`;
      case 25: return `x += dispatch((unsigned)(int)(${this.value()})) + nested((int)(${this.value()}));`;
      case 26: return `y += odd(${1 + dice(4)});`;
      case 27: return `{ int n = 1 + ((unsigned)(int)(${this.value()}) & 7); int several[n]; char *more = alloca(n * 2); for (int i = 0; i < n; i++) several[i] = array[i] + i, more[i] = several[i]; x += several[n / 2] + more[n - 1]; }`;
      case 28: return `{ int *m = calloc(3, sizeof *m); m[1] = (int)(${this.value()}); m = realloc(m, ${20 + dice(200)}); x += m[1] + m[2]; free(m); }`;
      case 29: return `if (fuel > 300) { pthread_t two[2]; for (long i = 0; i < 2; i++) pthread_create(&two[i], 0, locked, (void *)(i + 1)); for (int i = 0; i < 2; i++) pthread_join(two[i], 0); x += array[6]; }`;
      case 30: return `if (fuel > 300) { pid_t child = fork(); if (child == 0) { common[1] = x * 2; array[2] += common[0]; write(ends[1], &array[2], 4); _exit(array[2] & 7); } int status, heard; common[0] = (int)(${this.value()}); read(ends[0], &heard, 4); waitpid(child, &status, 0); x += common[1] + heard + WEXITSTATUS(status); }`;
      default: return `${this.target()} ${['=', '+=', '-='][dice(3)]} ${this.expression()};`;
    }
  }

  private loop(): string {
    const [name, count] = [`i${this.loops++}`, 1 + this.dice(4)];
    const end = this.dice(3) === 0 ? `if (${this.condition()}) ${this.dice(2) === 0 ? 'break' : 'continue'};\n` : '';
    const body = `${end}${this.block(1 + this.dice(2))}`;
    if (this.dice(2) === 0) return `for (int ${name} = 0; ${name} < ${count} && fuel-- > 0; ${name}++) {\n${body}}`;
    return `{ int ${name} = 0;\ndo {\n${body}} while (++${name} < ${count} && fuel-- > 0); }`;
  }

  private choice(): string {
    const cases = Array.from({ length: 6 }, (_, i) => `case ${i}: ${this.target()} = ${this.expression()};${this.dice(4) === 0 ? '' : ' break;'}`);
    return `switch ((unsigned)(int)(${this.local()}) & 7) {\n${cases.join('\n')}\ndefault: x++;\n}`;
  }

  private jumpBack(): string {
    const label = `l${this.labels++}`;
    return `${label}: x -= 1;\nif (${this.condition()} && fuel-- > 200) goto ${label};`;
  }

  /** Only functions behind this one, so that it ends; by pointer, too. */
  private call(): string {
    const next = this.number + 1 + this.dice(2);
    if (next >= FUNCTIONS) return `x = array[2] - a;`;
    const [a, b] = [`(int)(${this.value()})`, `(int)(${this.value()})`];
    return this.dice(2) === 0 ? `x += f${next}(${a}, ${b});` : `x += table[${next}](${a}, ${b});`;
  }

  private words(): string {
    const { dice } = this;
    switch (dice(6)) {
      case 0: return `snprintf(text, sizeof text, "%d:%s", (int)(${this.value()}) & 0xfff, x & 1 ? "odd" : "even");`;
      case 1: return `{ char number[24]; sprintf(number, "%x", (int)(${this.value()})); x += (int)strtol(number, 0, 16); }`;
      case 2: return `strncat(text, "tail", sizeof text - 1 - strlen(text)); x += strlen(text);`;
      case 3: return `{ char *found = memchr(text, 'e', sizeof text); if (found) *found = 'E'; }`;
      case 4: return `x += strcmp(text, "even") > 0; y += memcmp(&parts[0], &parts[1], 8) != 0;`;
      default: return `{ char line[40]; snprintf(line, sizeof line, "%.2f", reals[${dice(4)}]); x += line[1]; }`;
    }
  }

  private library(): string {
    const { dice } = this;
    switch (dice(6)) {
      case 0: return `memcpy(&parts[${dice(2)}], &parts[2], sizeof *parts);`;
      case 1: return `memset(text + ${dice(8)}, (int)(${this.value()}), ${1 + dice(20)});`;
      case 2: return `strcpy(text, (int)(${this.value()}) > 5 ? "some words" : "few");`;
      case 3: return `qsort(array, ${3 + dice(5)}, sizeof *array, byValue);`;
      case 4: return `{ char *m = malloc(${20 + dice(50)}); m[3] = (char)(int)(${this.value()}); x += m[3]; free(m); }`;
      default: return `x += (int)strlen(text);`;
    }
  }
}

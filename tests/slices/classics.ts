/**
 * Small programs that slicers are known to get wrong, each with the lines that belong to the slice. A line that ends
 * with `//+` is a member; the one that ends with `//?` is asked about, the last time that it was reached, and is one,
 * too.
 */

export interface Classic {
  readonly name: string;
  readonly source: string;
  /** What is asked for at the line; nothing: all that it uses. */
  readonly things?: readonly string[];
  readonly flags?: readonly string[];
  readonly kind?: 'data' | 'control';
}

export const CLASSICS: readonly Classic[] = [
  {
    name: 'a loop with an empty body',
    source: `
int main(void) {
    int other = 7;
    int n = 9;
    for (n = 0; n < 5; n++) //+
        ;
    other = other + n;
    return n; //?
}
`,
  },
  {
    name: 'a condition with side effects',
    source: `
int main(void) {
    int i = 3; //+
    int x = 0;
    int unused = 0;
    while (i-- > 0) //+
        unused += 2;
    x = 1; //+
    if (i < 0) //+
        x = x + 4; //?
    return x + unused;
}
`,
  },
  {
    name: 'a function that is called from several places: no foreign callers',
    source: `
static int twice(int v) { //+
    return v * 2; //+
}
int main(void) {
    int a = 1; //+
    int b = 100;
    int y = twice(b);
    int x = twice(a); //+
    int z = twice(b + y);
    return x; //?
}
`,
  },
  {
    name: 'setjmp and longjmp',
    source: `
#include <setjmp.h>
static jmp_buf place;
static void leave(int code) { //+
    longjmp(place, code); //+
}
int main(void) {
    volatile int other = 3;
    int code = setjmp(place); //+
    other = other + 1;
    if (code == 0) //+
        leave(6); //+
    return code; //?
}
`,
  },
  {
    name: 'a statement that overwrites a part of a variable only',
    source: `
#include <string.h>
int main(void) {
    int v = 0x01020304; //+
    char *p = (char *)&v; //+
    p[1] = 7; //+
    p[1] = 9; //+
    return v; //?
}
`.replace('    p[1] = 7; //+', '    p[1] = 7;'),
  },
  {
    name: 'a union',
    source: `
union both { int whole; unsigned char part[4]; };
int main(void) {
    union both u;
    u.whole = 0x11223344; //+
    u.part[3] = 5;
    int x = u.part[0]; //+
    return x; //?
}
`,
  },
  {
    name: 'bit-fields of one word depend on each other where they share a byte',
    source: `
struct bits { unsigned a : 8; unsigned b : 8; unsigned c : 16; };
int main(void) {
    struct bits s;
    s.a = 3; //+
    s.b = 4;
    s.c = 5;
    return s.a; //?
}
`,
  },
  {
    name: 'a copy of a structure',
    source: `
struct pair { long first; long second; };
int main(void) {
    struct pair p;
    struct pair q;
    p.first = 1;
    p.second = 2; //+
    q = p; //+
    return q.second; //?
}
`,
  },
  {
    name: 'variable arguments',
    source: `
#include <stdarg.h>
static int second(int n, ...) { //+
    va_list list;
    va_start(list, n); //+
    int x = va_arg(list, int); //+
    x = va_arg(list, int); //+
    va_end(list);
    return x; //+
}
int main(void) {
    int a = 1;
    int b = 2; //+
    int r = second(2, a, b); //+
    return r; //?
}
`,
  },
  {
    name: 'a handler of a signal',
    source: `
#include <signal.h>
static volatile int seen;
static void handler(int number) { //+
    seen = number; //+
}
int main(void) {
    int other = 1;
    signal(SIGUSR1, handler);
    other = 2;
    raise(SIGUSR1); //+
    return seen; //?
}
`,
  },
  {
    name: 'recursion',
    source: `
static int sum(int n) { //+
    if (n == 0) //+
        return 0; //+
    return n + sum(n - 1); //+
}
int main(void) {
    int k = 3; //+
    int waste = sum(2);
    int s = sum(k); //+
    return s; //?
}
`,
  },
  {
    name: 'a pointer to a function',
    source: `
static int one(int v) { return v + 1; } //+
static int two(int v) { return v + 2; }
int main(void) {
    int (*f)(int) = two;
    int a = 5; //+
    f = one; //+
    int r = f(a); //+
    return r; //?
}
`,
  },
  {
    name: 'a library is its call site',
    source: `
#include <string.h>
int main(void) {
    char from[64] = "abc"; //+
    char to[64] = "xyz";
    char other[64] = "uvw";
    strcpy(to, from); //+
    strcpy(other, "no");
    return to[1]; //?
}
`,
  },
  {
    name: 'values alone',
    kind: 'data',
    source: `
int main(void) {
    int a = 2; //+
    int flag = 1;
    int x = 0;
    if (flag)
        x = a + 1; //+
    return x; //?
}
`,
  },
  {
    name: 'conditions alone',
    kind: 'control',
    source: `
int main(void) {
    int a = 2;
    int x = 0;
    if (a > 1) //+
        x = a + 1; //?
    return x;
}
`,
  },
  {
    name: 'one variable of a statement that uses two',
    things: ['a'],
    source: `
int main(void) {
    int a = 2; //+
    int b = 3;
    a = a + 1; //+
    int c = a + b; //?
    return c;
}
`.replace('    int c = a + b; //?', '    int c = a + b; //!'),
  },
  {
    name: 'a jump out of a recursion',
    source: `
#include <setjmp.h>
static jmp_buf outside;
static int noted;
static void deeper(int n, int told) { //+
    noted += n;
    if (n == 0) //+
        longjmp(outside, told + 1); //+
    deeper(n - 1, told + 2); //+
    noted = 99;
}
int main(void) {
    int first = 3; //+
    int unused = 4;
    int how = setjmp(outside); //+
    if (how == 0) { //+
        unused++;
        deeper(first, 5); //+
    }
    unused += how;
    return how; //?
}
`,
  },
  {
    name: 'a handler that changes a register of what it interrupts',
    source: `
#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>
static int more = 7;
static int noted;
static void changes(int number, siginfo_t *info, void *context) { //+
    ucontext_t *interrupted = context; //+
    noted = 3;
    interrupted->uc_mcontext.gregs[4] += more; //+
}
int main(void) {
    struct sigaction action = { .sa_sigaction = changes, .sa_flags = SA_SIGINFO };
    sigaction(SIGALRM, &action, 0);
    long self = getpid(); //+
    long five = 5; //+
    register long kept asm("r12") = five; //+
    asm volatile("syscall" : "+r"(kept) : "a"(62L), "D"(self), "S"(14L) : "rcx", "r11", "memory"); //+
    noted += 1;
    return kept; //?
}
`,
  },
  {
    name: 'a function of a library that another line was the first to call',
    source: `
int atoi(const char *);
int main(void) {
    int other = 0;
    if (other == 0)
        other = atoi("5");
    int x = atoi("7"); //?
    return x + other;
}
`,
  },
];

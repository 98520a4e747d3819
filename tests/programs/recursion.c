// Deep and mutual recursion, alloca and variable-length arrays, pointers to functions, tail calls.
#include <alloca.h>
#include <stdio.h>
#include <string.h>
static unsigned ackermann(unsigned m, unsigned n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
static int even(int n); static int odd(int n) { return n == 0 ? 0 : even(n - 1); } static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static long deep(long n) { char frame[64]; memset(frame, (int)n, sizeof frame); return n == 0 ? 0 : deep(n - 1) + frame[n & 63]; }
static int hanoi(int n, int from, int to, int via) { return n == 0 ? 0 : hanoi(n - 1, from, via, to) + 1 + hanoi(n - 1, via, to, from) + (from * to * 0); }
static long variable(int n) { int array[n], *more = alloca(n * sizeof *more); for (int i = 0; i < n; i++) array[i] = more[n - 1 - i] = i * i; long s = n > 3 ? variable(n / 2) : 0; for (int i = 0; i < n; i += 7) s += array[i] - 2 * more[i]; return s; }
static int queens(int n, unsigned cols, unsigned left, unsigned right) {
    if (cols == (1u << n) - 1) return 1;
    int count = 0;
    for (unsigned free = ~(cols | left | right) & ((1u << n) - 1); free;) { unsigned bit = free & -free; free ^= bit; count += queens(n, cols | bit, (left | bit) << 1, (right | bit) >> 1); }
    return count;
}
static int permutations(char *s, int at, int n) { if (at == n) return s[0] * s[n - 1] % 7; int sum = 0; for (int i = at; i < n; i++) { char t = s[at]; s[at] = s[i]; s[i] = t; sum += permutations(s, at + 1, n); t = s[at]; s[at] = s[i]; s[i] = t; } return sum; }
int main(void) {
    char letters[] = "abcdefg";
    printf("%u %d %ld %d\n", ackermann(2, 60), even(1001), deep(20000), hanoi(12, 1, 3, 2));
    printf("%ld %d %d\n", variable(3000), queens(7, 0, 0, 0), permutations(letters, 0, 7));
    return 0;
}

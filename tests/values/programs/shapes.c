#include <complex.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uchar.h>
#include <wchar.h>

enum color { RED, GREEN, BLUE = 5 };
enum flags { F_NONE = 0, F_A = 1, F_B = 2, F_C = 4, F_TOP = 0x80 };
enum gaps { G_ONE = 1, G_THREE = 3, G_SEVEN = 7 };
enum negative { N_LOW = -2, N_ZERO, N_HIGH = 100 };

struct point { int x, y; };
struct node { int value; struct node *next; const char *name; };
struct bits { unsigned a : 1; unsigned b : 3; int c : 4; unsigned long long d : 40; enum color e : 3; _Bool f : 1; signed char g : 5; };
union number { int i; float f; unsigned char bytes[8]; double d; struct point p; };
struct mixed {
  char letter; signed char small; unsigned char byte; short s; unsigned short us; long l; unsigned long ul; long long ll; float f; double d; long double ld;
  char text[16]; int numbers[5]; struct point points[3]; union number u; enum color color; _Bool yes; void *any; int (*function)(int, char *); char *string;
  struct { int inner1; int inner2; }; union { int v1; float v2; }; struct { int deep; } named;
};
struct flexible { int count; int items[]; };
struct empty {};
struct unknown;
struct nested { struct { struct { int a[2][3]; } level2; } level1; };
typedef struct point point_t;
typedef int (*callback)(int, char *);
typedef char *string_t;
typedef int number_t;
typedef number_t matrix[2][3];

int global = 42;
static int file_static = 7;
const char *const greeting = "hello, world";
int array[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
int zeros[300];
int many[250];
char buffer[16] = "hi";
char full[4] = {'a', 'b', 'c', 'd'};
char longtext[300];
unsigned char bytes[8] = {0, 1, 2, 255, 128, 'A', 0, 0};
int8_t tiny[4] = {1, -1, 65, 0};
uint8_t octets[3] = {1, 2, 3};
wchar_t wide[8] = L"w\u00e9";
char16_t wide16[6] = u"sixte";
char32_t wide32[3] = U"32";
struct node third = {3, NULL, "three"};
struct node second = {2, &third, "two"};
struct node first = {1, &second, "one"};
struct point grid[2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
struct point same[12];
struct unknown *opaque;
struct empty nothing;
int matrix2[2][3] = {{1, 2, 3}, {4, 5, 6}};
double doubles[] = {0.0, -0.0, 1.0, 0.1, 1e100, 1e-5, 123456789.125, 1.0 / 3};
float floats[] = {1.5f, 0.1f, 1e10f, 3.4e38f, 1e-45f};
long double extended = 3.14159265358979323846L;
double infinite, minus_infinite, not_a_number;
complex double z = 1.0 + 2.0 * I;
float complex zf = 1.5f - 2.5f * I;
__int128 huge = ((__int128)1 << 100) + 5;
unsigned __int128 uhuge = ~(unsigned __int128)0;
_Thread_local int per_thread = 11;
volatile int vol = 3;
const volatile unsigned long cvul = 9;
char *strings[] = {"alpha", "beta", NULL, "gamma"};
const char *escapes = "tab\there \"quoted\" back\\slash\001\0022end\x7f\xff";
const char *utf8 = "gr\xc3\xbc\xc3\x9f \xe2\x82\xac";
char repeated[] = "aaaaaaaaaaaaaaaaaaaabcdddddddddddd";
struct nested deep = {{{{{1, 2, 3}, {4, 5, 6}}}}};
int vector __attribute__((vector_size(16))) = {1, 2, 3, 4};
enum color colors[3] = {RED, BLUE, (enum color)3};
_Bool truths[3] = {1, 0, 1};
char letters[3][4] = {"abc", "de", "f"};
void *pointers[3];
int zero_length[0];

int callee(int number, char *text) { return number + (text ? text[0] : 0); }
callback table[2] = {callee, NULL};
static void unprototyped() {}
int variadic(int count, ...) { va_list list; va_start(list, count); int sum = va_arg(list, int); va_end(list); return sum; }

int stop_here(int argument, struct point *where, const char *label) {
  int local = argument * 2;
  return local + where->x;
}

int work(int n, struct mixed *m, struct point by_value) {
  int vla[n];
  int vla2[n][n + 1];
  register int in_register = n;
  static int counter = 100;
  struct flexible *flex = malloc(sizeof *flex + 4 * sizeof(int));
  struct bits b = {1, 5, -3, 0x123456789aULL, BLUE, 1, -7};
  enum flags flags = F_A | F_C, noflags = 0, oddflags = (enum flags)0x48, unknownflags = (enum flags)0x40;
  enum gaps gaps = (enum gaps)4, gap3 = G_THREE;
  enum negative neg = N_LOW, oddneg = (enum negative)-9;
  point_t typed = {8, 9};
  string_t named = "named";
  callback cb = callee;
  int *ip = &array[3], *null = NULL, *wild = (int *)0x10, **ipp = &ip;
  char *bad = (char *)0x20;
  struct point *pp = &typed, *gp = &grid[1][0];
  unsigned char uc = 200; signed char sc = -100; char c = 'x'; short sh = -12345; unsigned short us = 54321;
  unsigned int ui = 4000000000u; long lo = -1234567890123L; unsigned long ul = 18446744073709551615UL; long long ll = -5; unsigned long long ull = 5;
  int (*aptr)[10] = &array; int (*vptr)[n] = &vla;
  _Bool flag = 1;
  wchar_t wc = L'\u00e9'; char16_t c16 = u'x'; char32_t c32 = U'\u20ac';
  matrix mat = {{1, 2, 3}, {4, 5, 6}};
  flex->count = 4;
  for (int i = 0; i < 4; i++) flex->items[i] = i * i;
  for (int i = 0; i < n; i++) { vla[i] = i * 3; for (int j = 0; j <= n; j++) vla2[i][j] = i * 10 + j; }
  counter += n;
  { int shadow = 1; { int shadow = 2; int inner = stop_here(shadow, pp, "label"); counter += inner; } counter += shadow; }
  return counter + vla[0] + flags + gaps + in_register + vla2[1][1] + (*vptr)[0] + *ip + b.a + (int)c;
}

int main(int argc, char **argv) {
  struct mixed m;
  memset(&m, 0, sizeof m);
  m.letter = 'm'; m.small = -3; m.byte = 250; m.s = -7; m.us = 7; m.l = -8; m.ul = 8; m.ll = 9; m.f = 1.25f; m.d = -2.5; m.ld = 0.1L;
  strcpy(m.text, "some text");
  for (int i = 0; i < 5; i++) m.numbers[i] = i;
  m.points[1] = (struct point){10, 20};
  m.u.d = 1.5; m.color = GREEN; m.yes = 1; m.any = &global; m.function = callee; m.string = strings[1]; m.inner2 = 77; m.v1 = 5; m.named.deep = 99;
  for (int i = 0; i < 250; i++) many[i] = i;
  memset(longtext, 'q', 250);
  infinite = 1 / 0.0; minus_infinite = -infinite; not_a_number = infinite - infinite;
  pointers[0] = &global; pointers[1] = (char *)array + 6; pointers[2] = main;
  unprototyped();
  int result = work(5, &m, (struct point){30, 40});
  return result + variadic(1, 2) == 0 ? opaque != 0 : 0;
}

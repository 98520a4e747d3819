#include <stdlib.h>
#include <wchar.h>
struct s { int a; double b; } pair = {3, 4.5};
int i = -5, *ip = &i, arr[3] = {1,2,3}; unsigned u = 4000000000u; long l = 5000000000L; unsigned long ul = 1ul<<63; short sh = -2; char c = 'x'; unsigned char uc = 200; signed char sc = -1;
double d = -3.14159265358979, dz = 0.0, dn = -0.0, big = 1e300, tiny = 5e-324; float f = 2.5f; long double ld = 1.1L, ldbig = 1e4000L; double inf = 1.0/0, nan_;
char text[8] = "abc", *tp = text, full[3] = {'a','b','c'}; char *null = 0; wchar_t wide[] = L"wäß"; wchar_t wc = L'ß'; char utf[] = "wäß"; char bytes[] = "\xff\x1b[1m";
_Bool b = 1; enum e { A, B=5 } en = B; __int128 i128 = 5; void (*fn)(void) = 0; unsigned char uca[4] = {65,66,0,67}; short sha[3]={65,66,0};
void stop(void) {}
int main(void) { nan_ = inf - inf; fn = stop; stop(); return 0; }

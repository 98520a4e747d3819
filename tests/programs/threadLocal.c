// Thread-local storage: models, alignment, initial values; errno is one.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static _Thread_local int zero;
static _Thread_local int set = 42;
_Thread_local char text[40] = "initial text";
static _Thread_local _Alignas(64) double aligned = 2.5;
_Thread_local struct { int a[100]; char *self; } big = {{1, 2, 3}, NULL};
static __attribute__((noinline)) int *address(void) { return &set; }
int main(void) {
    printf("%d %d %s %d %g %d %d\n", zero, set, text, (int)((uintptr_t)&aligned & 63), aligned, big.a[2], big.a[99]);
    *address() += 8; zero -= set; strcat(text, " and more"); big.self = text;
    printf("%d %d %s %s\n", zero, set, text, big.self);
    errno = 0; FILE *f = fopen("/nowhere/at/all", "r"); printf("%d %d\n", f == NULL, errno == ENOENT);
    uintptr_t self, base; __asm__("mov %%fs:0, %0" : "=r"(self)); base = self; printf("%d %d\n", self == base, (int)(self - (uintptr_t)&set) > 0);
    return 0;
}

// Code made and changed at run time: rewritten constants, functions replaced, code on other pages and twice mapped.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
typedef int (*Function)(int);
static unsigned char *code;
static void put(const void *bytes, size_t n) { memcpy(code, bytes, n); }
static const unsigned char addConstant[] = {0x8d, 0x87, 1, 0, 0, 0, 0xc3};                   // lea 1(%rdi), %eax; ret
static const unsigned char twice[] = {0x8d, 0x04, 0x3f, 0xc3};                               // lea (%rdi,%rdi), %eax; ret
static const unsigned char ownPatch[] = {0xc6, 0x05, 1, 0, 0, 0, 0x2a, 0xb8, 0, 0, 0, 0, 0xc3}; // movb $42, 1(%rip): the constant of the next mov
static const unsigned char countDown[] = {0x31, 0xc0, 0x01, 0xf8, 0xff, 0xcf, 0x75, 0xfa, 0xc3};  // sum 1..n
int main(void) {
    code = mmap(NULL, 0x3000, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    Function f = (Function)code;
    long sum = 0;
    put(addConstant, sizeof addConstant);
    for (int i = 0; i < 3000; i++) { *(int *)(code + 2) = i; sum += f(i); }          // a write before every call
    printf("%ld\n", sum);
    for (int i = 0; i < 300; i++) { put(i & 1 ? addConstant : twice, i & 1 ? sizeof addConstant : sizeof twice); for (int k = 0; k < 50; k++) sum += f(k); }
    printf("%ld\n", sum);
    for (int i = 0; i < 100; i++) { put(ownPatch, sizeof ownPatch); sum += f(0); }   // changes the very next instruction
    printf("%ld\n", sum);
    code += 0x1000 - 5; f = (Function)code; put(countDown, sizeof countDown);        // across a page boundary
    for (int i = 1; i < 200; i++) sum += f(i);
    printf("%ld\n", sum);
    code[2] = 0x29;                                                                  // add becomes sub, on the first page
    for (int i = 1; i < 200; i++) sum += f(i);
    printf("%ld\n", sum); mprotect(code - 0x1000 + 5, 0x3000, PROT_READ | PROT_EXEC); printf("%d\n", f(10));
    int fd = memfd_create("code", 0); ftruncate(fd, 0x1000);                         // written through one mapping, run through another
    unsigned char *w = mmap(NULL, 0x1000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), *x = mmap(NULL, 0x1000, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    memcpy(w, addConstant, sizeof addConstant); f = (Function)x; sum = 0;
    for (int i = 0; i < 1000; i++) { w[2] = (unsigned char)(i & 63); sum += f(i); }
    printf("%ld\n", sum); pwrite(fd, twice, sizeof twice, 0); printf("%d\n", f(21));
    return 0;
}

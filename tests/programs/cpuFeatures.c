// cpuid tells what is there: all of x86-64-v2; rdtsc advances; the FPU's images can be saved and restored.
#include <cpuid.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
int main(void) {
    unsigned a, b, c, d; char vendor[13] = {0};
    __get_cpuid(0, &a, &b, &c, &d); memcpy(vendor, &b, 4); memcpy(vendor + 4, &d, 4); memcpy(vendor + 8, &c, 4); printf("%d\n", strlen(vendor) == 12);
    __get_cpuid(1, &a, &b, &c, &d);
    printf("%d %d %d %d %d %d %d %d\n", !!(d & bit_SSE2), !!(c & bit_SSE3), !!(c & bit_SSSE3), !!(c & bit_SSE4_1), !!(c & bit_SSE4_2), !!(c & bit_POPCNT), !!(c & bit_CMPXCHG16B), !!(d & bit_FXSAVE));
    __get_cpuid(0x80000001, &a, &b, &c, &d); printf("%d %d\n", !!(d & bit_LM), !!(c & bit_LAHF_LM)); printf("%d\n", __builtin_cpu_supports("sse4.2") != 0);
    uint64_t first = __builtin_ia32_rdtsc(), second = __builtin_ia32_rdtsc(); printf("%d\n", second >= first);
    _Alignas(16) unsigned char image[512]; memset(image, 0xee, 512); unsigned short control = 0; unsigned mxcsr = 0; double one = 1.5, out = 0;
    __asm__ volatile("fninit; fldl %3; fxsave %0; fstpl %1; fnstcw %2" : "=m"(image), "=m"(out), "=m"(control) : "m"(one)); memcpy(&mxcsr, image + 24, 4); printf("%g %x %x %x %x\n", out, control, mxcsr, image[0] | image[1] << 8, image[4]);
    for (int i = 32; i < 42; i++) printf("%02x", image[i]); puts(""); __asm__ volatile("fxrstor %1; fstpl %0" : "=m"(out) : "m"(image)); printf("%g\n", out);
    struct { uint32_t w[7]; } env; memset(&env, 0, sizeof env); __asm__ volatile("fninit; fld1; fldpi; fnstenv %0; fldenv %0; fstp %%st; fstpl %1" : "=m"(env), "=m"(out)); printf("%x %x %x %g\n", env.w[0] & 0xffff, env.w[1] & 0xffff, env.w[2] & 0xffff, out);
    unsigned char saved[108]; __asm__ volatile("fninit; fldl2e; fnsave %0; frstor %0; fstpl %1" : "=m"(saved), "=m"(out)); printf("%a\n", out);
    return 0;
}

/**
 * For tests: a C program that executes SSE instructions on the CPU we run on. Reads lines
 * `instruction mxcsr aLow aHigh bLow bHigh` (hexadecimal), prints `low high mxcsr` of the result, or
 * `trap mxcsr`. Instructions with an immediate have it in their name: cmpsd.5.
 */

const PLAIN = ['add', 'sub', 'mul', 'div', 'min', 'max', 'sqrt'].flatMap((op) => ['ss', 'sd', 'ps', 'pd'].map((form) => op + form));
const OTHERS = [
  'addsubps', 'addsubpd', 'haddps', 'haddpd', 'hsubps', 'hsubpd', 'cvtss2sd', 'cvtsd2ss', 'cvtdq2ps', 'cvtdq2pd', 'cvtps2pd', 'cvtpd2ps', 'cvtps2dq', 'cvttps2dq',
  'cvtpd2dq', 'cvttpd2dq', 'rcpps', 'rsqrtps',
];
const IMMEDIATES = ['ss', 'sd', 'ps', 'pd'].flatMap((form) => [
  ...[0, 1, 2, 3, 4, 5, 6, 7].map((i) => `cmp${form}.${i}`),
  ...[0, 1, 2, 3, 4, 8, 9, 10, 11, 12].map((i) => `round${form}.${i}`),
]).concat([0xff, 0x71, 0x5f, 0x0f, 0xf0, 0x31].flatMap((i) => [`dpps.${i}`, `dppd.${i & 0x33}`]));
const COMPARES = ['comiss', 'comisd', 'ucomiss', 'ucomisd'];
const TO_INTEGER = ['cvtss2si', 'cvttss2si', 'cvtsd2si', 'cvttsd2si'];

function vectorCase(name: string): string {
  const [op, imm] = name.split('.');
  return `VECTOR("${name}", "${op} ${imm === undefined ? '' : `$${imm}, `}%%xmm1, %%xmm0")`;
}

export const SSE_ORACLE = String.raw`
#define _GNU_SOURCE
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>
static sigjmp_buf back;
static unsigned trapped;
static void onFpe(int s, siginfo_t *i, void *p) {
  (void)s; (void)i;
  trapped = ((ucontext_t *)p)->uc_mcontext.fpregs->mxcsr;
  siglongjmp(back, 1);
}
#define VECTOR(NAME, INSN) else if (!strcmp(op, NAME)) __asm__ volatile("movdqu %2, %%xmm0; movdqu %3, %%xmm1; ldmxcsr %4; " INSN "; stmxcsr %1; ldmxcsr %5; movdqu %%xmm0, %0" : "=m"(r), "=m"(after) : "m"(a), "m"(b), "m"(mxcsr), "m"(usual) : "xmm0", "xmm1");
#define FLAGS(NAME) else if (!strcmp(op, NAME)) __asm__ volatile("movdqu %2, %%xmm0; movdqu %3, %%xmm1; ldmxcsr %4; " NAME " %%xmm1, %%xmm0; pushfq; popq %%rax; stmxcsr %1; ldmxcsr %5; and $0x8d5, %%eax; movq %%rax, %0" : "=m"(r), "=m"(after) : "m"(a), "m"(b), "m"(mxcsr), "m"(usual) : "xmm0", "xmm1", "rax", "cc");
#define TOINT(NAME, INSN, REG) else if (!strcmp(op, NAME)) __asm__ volatile("movdqu %3, %%xmm1; ldmxcsr %4; " INSN " %%xmm1, " REG "; stmxcsr %1; ldmxcsr %5; movq %%rax, %0" : "=m"(r), "=m"(after) : "m"(a), "m"(b), "m"(mxcsr), "m"(usual) : "xmm0", "xmm1", "rax");
#define FROMINT(NAME, INSN, REG) else if (!strcmp(op, NAME)) __asm__ volatile("movdqu %2, %%xmm0; movq %3, %%rax; ldmxcsr %4; " INSN " " REG ", %%xmm0; stmxcsr %1; ldmxcsr %5; movdqu %%xmm0, %0" : "=m"(r), "=m"(after) : "m"(a), "m"(b), "m"(mxcsr), "m"(usual) : "xmm0", "xmm1", "rax");
int main(void) {
  struct sigaction sa; memset(&sa, 0, sizeof sa); sa.sa_sigaction = onFpe; sa.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGFPE, &sa, 0);
  static char op[32]; static unsigned mxcsr, after; static unsigned long long a[2], b[2], r[2]; static unsigned usual = 0x1f80;
  while (scanf("%31s %x %llx %llx %llx %llx", op, &mxcsr, &a[0], &a[1], &b[0], &b[1]) == 6) {
    r[0] = r[1] = 0;
    if (sigsetjmp(back, 1)) { __asm__ volatile("ldmxcsr %0" : : "m"(usual)); printf("trap %x\n", trapped); continue; }
    if (0) ;
    ${[...PLAIN, ...OTHERS, ...IMMEDIATES].map(vectorCase).join('\n    ')}
    ${COMPARES.map((name) => `FLAGS("${name}")`).join('\n    ')}
    ${TO_INTEGER.map((name) => `TOINT("${name}.32", "${name}l", "%%eax") TOINT("${name}.64", "${name}q", "%%rax")`).join('\n    ')}
    ${['cvtsi2ss', 'cvtsi2sd'].map((name) => `FROMINT("${name}.32", "${name}l", "%%eax") FROMINT("${name}.64", "${name}q", "%%rax")`).join('\n    ')}
    else { printf("unknown %s\n", op); continue; }
    printf("%llx %llx %x\n", r[0], r[1], after);
  }
  return 0;
}`;

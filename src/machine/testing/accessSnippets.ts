/**
 * Pieces of code that access memory in all the ways there are, and loops made of them. rbx moves over the data from
 * round to round; r13 and r14 stay in it, fs is in it, and so is the stack. What a piece leaves in rax, rcx, rdx, rsi,
 * rdi and the vector registers does not count.
 */
import { FPU_CONTROL, FS_BASE, GPR, RBX, RSP, type Slot } from '../../layout/cpuState.js';
import { guestAddr } from '../../base/types.js';
import type { Cpu } from '../cpu.js';

export const CODE = 0x400000;
export const DATA = 0x500000;
/** Up to here the pieces access it. */
export const DATA_BYTES = 0xd00;

/** What `as` makes of them. */
export const SNIPPETS: readonly (readonly [source: string, hex: string])[] = [
  ['mov %al, 3(%rbx)', '884303'],
  ['mov %ax, 5(%rbx)', '66894305'],
  ['mov %eax, 12(%rbx)', '89430c'],
  ['mov %rax, 16(%rbx)', '48894310'],
  ['mov (%rbx), %dl', '8a13'],
  ['mov 30(%rbx), %rdx', '488b531e'],
  ['movzwl 9(%rbx), %edx', '0fb75309'],
  ['movsbq 40(%rbx), %rdx', '480fbe5328'],
  ['add %rax, 24(%rbx)', '48014318'],
  ['add 33(%rbx), %eax', '034321'],
  ['incl 7(%rbx)', 'ff4307'],
  ['notb 50(%rbx)', 'f65332'],
  ['cmpq $5, 60(%rbx)', '48837b3c05'],
  ['test %al, 61(%rbx)', '84433d'],
  ['xchg %edx, 20(%rbx)', '875314'],
  ['lock xaddq %rdx, 44(%rbx)', 'f0480fc1532c'],
  ['lock cmpxchg %edx, 52(%rbx)', 'f00fb15334'],
  ['lock cmpxchg8b 56(%rbx)', 'f00fc74b38'],
  ['lock cmpxchg16b 32(%r14)', 'f0490fc74e20'],
  ['push %rax; pop %rdx', '505a'],
  ['pushq 8(%rbx); popq 70(%rbx)', 'ff73088f4346'],
  ['pushw 9(%rbx); popw 11(%rbx)', '66ff7309668f430b'],
  ['call 1f; 1: pop %rdx', 'e8000000005a'],
  ['pushfq; popfq', '9c9d'],
  ['enter $16, $0; leave', 'c8100000c9'],
  ['mov %r13, %rbp; enter $8, $3; lea 40(%rsp), %rsp', '4c89edc8080003488d642428'],
  ['push %r13; mov %rsp, %rbp; leave', '41554889e5c9'],
  ['movdqu %xmm0, 13(%rbx); movdqu 29(%rbx), %xmm1', 'f30f7f430df30f6f4b1d'],
  ['movaps %xmm1, 64(%r14); movaps 48(%r14), %xmm2', '410f294e40410f285630'],
  ['movlps %xmm1, 17(%rbx); movhpd 25(%rbx), %xmm1', '0f134b11660f164b19'],
  ['movss %xmm1, 6(%rbx); movsd 22(%rbx), %xmm2', 'f30f114b06f20f105316'],
  ['pextrb $3, %xmm1, 41(%rbx); pinsrw $2, 43(%rbx), %xmm2', '660f3a144b2903660fc4532b02'],
  ['paddd 80(%r14), %xmm2', '66410ffe5650'],
  ['cvttsd2si 34(%rbx), %edx', 'f20f2c5322'],
  ['fldl 18(%rbx); fstps 27(%rbx)', 'dd4312d95b1b'],
  ['fildq 10(%rbx); fstpt 35(%rbx)', 'df6b0adb7b23'],
  ['fildl 14(%rbx); fistpl 46(%rbx)', 'db430edb5b2e'],
  ['fldz; fbstp 53(%rbx)', 'd9eedf7335'],
  ['fldt 66(%rbx); fstpl 74(%rbx)', 'db6b42dd5b4a'],
  ['fnstcw 19(%rbx); stmxcsr 21(%rbx)', 'd97b130fae5b15'],
  ['fnstenv 96(%rbx)', 'd97360'],
  ['fldz; fnsave 100(%r14); frstor 100(%r14)', 'd9ee41dd766441dd6664'],
  ['fxsave 256(%r14)', '410fae8600010000'],
  ['fxsave 256(%r14); fxrstor 256(%r14)', '410fae8600010000410fae8e00010000'],
  ['mov %rbx, %rsi; lea 37(%rbx), %rdi; movsb; movsq', '4889de488d7b25a448a5'],
  ['mov %rbx, %rdi; stosl; scasw', '4889dfab66af'],
  ['lea 5(%rbx), %rsi; lodsw; lea 25(%rbx), %rdi; cmpsb', '488d730566ad488d7b19a6'],
  ['mov %rbx, %rsi; lea 61(%rbx), %rdi; mov $13, %ecx; rep movsb', '4889de488d7b3db90d000000f3a4'],
  ['mov %rbx, %rsi; lea 9(%rbx), %rdi; mov $7, %ecx; rep movsw', '4889de488d7b09b90700000066f3a5'],
  ['lea 80(%rbx), %rsi; lea 96(%rbx), %rdi; mov $5, %ecx; std; rep movsl; cld', '488d7350488d7b60b905000000fdf3a5fc'],
  ['lea 15(%rbx), %rdi; mov $20, %ecx; rep stosb', '488d7b0fb914000000f3aa'],
  ['lea 15(%rbx), %rdi; mov $3, %ecx; rep stosq', '488d7b0fb903000000f348ab'],
  ['mov %rbx, %rsi; mov $4, %ecx; rep lodsl', '4889deb904000000f3ad'],
  ['mov %rbx, %rsi; lea 1(%rbx), %rdi; mov $30, %ecx; repe cmpsb', '4889de488d7b01b91e000000f3a6'],
  ['mov %rbx, %rdi; mov $40, %ecx; repne scasb', '4889dfb928000000f2ae'],
  ['mov %rbx, %rsi; lea 1(%rbx), %rdi; xor %ecx, %ecx; rep movsb', '4889de488d7b0131c9f3a4'],
  ['mov $9, %edx; btsw $3, 28(%rbx); btrl $7, 31(%rbx)', 'ba09000000660fba6b1c030fba731f07'],
  ['setc 47(%rbx); cmovc 49(%rbx), %edx', '0f92432f0f425331'],
  ['shldl $3, %edx, 51(%rbx); rorb $1, 54(%rbx)', '0fa4533303d04b36'],
  ['imulq 23(%rbx), %rdx', '480faf5317'],
  ['movnti %edx, 57(%rbx)', '0fc35339'],
  ['crc32b 58(%rbx), %edx', 'f20f38f0533a'],
  ['pcmpistri $8, 59(%rbx), %xmm2', '660f3a63533b08'],
  ['xchg %rbx, %rdx; mov $5, %eax; xchg %rbx, %rdx; xlatb', '4887dab8050000004887dad7'],
  ['lea 4(%rbx), %rdx; prefetcht0 (%rbx); nop', '488d53040f180b90'],
  ['mov %fs:8, %rdx; mov %rdx, %fs:16', '64488b142508000000644889142510000000'],
  ['movq %mm0, 62(%rbx); movq 63(%rbx), %mm1; emms', '0f7f433e0f6f4b3f0f77'],
  ['addl $1, 4(%rbx,%r15,1)', '4283443b0401'],
  ['movl (%ebx), %edx', '678b13'],
];

/** mov ebx, r15d; and ebx, 63; lea rbx, [r14 + rbx*2 + 0x200] */
const HEAD = '4489fb83e33f498d9c5e00020000';
/** dec r15 */
const TAIL = '49ffcf';
const INT3 = 0xcc;

/** A loop over the pieces; `setUp` makes it go round so many times. */
export function loopOf(pieces: readonly string[]): Uint8Array {
  const body = Buffer.from(HEAD + pieces.join('') + TAIL, 'hex');
  const jump = Buffer.from([0x0f, 0x85, 0, 0, 0, 0, INT3]);
  jump.writeInt32LE(-(body.length + 6), 2);
  return Uint8Array.from([...body, ...jump]);
}

export function setUp(cpu: Cpu, rounds: number): void {
  cpu.bytes().fill(0);
  const set = (slot: Slot, value: number): void => cpu.setNum(slot, value);
  for (let i = 0; i < 4; i++) set(GPR[i] as Slot, 0x1234567 * (i + 1));
  set(RBX, DATA);
  set(RSP, DATA + 0xc00);
  set(GPR[13] as Slot, DATA + 0x900);
  set(GPR[14] as Slot, DATA);
  set(GPR[15] as Slot, rounds);
  set(FS_BASE, DATA + 0xa00);
  cpu.setI32(FPU_CONTROL, 0x37f);
  cpu.setMxcsr(0x1f80);
  cpu.rip = guestAddr(CODE);
}

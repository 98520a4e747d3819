/** gcc's compiler proper, and binutils: large programs, with output that must not differ by a byte. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { row } from '../invocation.js';

const source = (name: string): string => readFileSync(new URL(`../../programs/${name}`, import.meta.url), 'utf8');
const gccPart = (name: string): string => execFileSync('gcc', [`-print-prog-name=${name}`], { encoding: 'utf8' }).trim();

/** What gcc would leave behind on the way, made by the native compiler. */
function assembly(text: string): string {
  return execFileSync('gcc', ['-S', '-O1', '-x', 'c', '-o', '-', '-'], { input: text, encoding: 'utf8' });
}

const CC1 = gccPart('cc1');
const PREPROCESSED = execFileSync('gcc', ['-E', '-P', '-x', 'c', '-'], { input: source('interpreter.c'), encoding: 'utf8' });
const SMALL = 'extern int puts(const char *);\nint table[4] = {1, 2, 3, 4};\nint sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += table[i & 3]; return s; }\nint main(void) { return puts("hi") + sum(9); }\n';
const ASSEMBLY = assembly(SMALL);
const EXAMPLE = '/usr/bin/true';

export const TOOLCHAIN = [
  row('cc1 -O0', [CC1, '-quiet', '-O0', 'f.i', '-o', 'f.s'], { files: { 'f.i': PREPROCESSED } }),
  row('cc1 -O2', [CC1, '-quiet', '-O2', 'f.i', '-o', 'f.s'], { files: { 'f.i': PREPROCESSED } }),
  row('cc1 -O3 -g', [CC1, '-quiet', '-O3', '-g', 'f.i', '-o', 'f.s'], { files: { 'f.i': PREPROCESSED }, long: true }),
  row('cc1 of a program with errors', [CC1, '-quiet', 'f.c', '-o', 'f.s'], { files: { 'f.c': 'int main(void) { int x = "a"; return y + 1 }\n' } }),
  row('cc1 -E', [CC1, '-E', '-quiet', 'f.c'], { files: { 'f.c': '#define SQ(x) ((x) * (x))\n#if __x86_64__ && SQ(2) == 4\nint a = SQ(b + 1);\n#endif\n#include <stddef.h>\n' } }),
  row('cc1plus -O1', [gccPart('cc1plus'), '-quiet', '-O1', 'f.cc', '-o', 'f.s'], {
    files: { 'f.cc': 'template <int N> struct F { static constexpr long v = N * F<N - 1>::v; };\ntemplate <> struct F<0> { static constexpr long v = 1; };\nstruct B { virtual ~B(); virtual int f() = 0; };\nstruct D : B { int f() override { return F<10>::v % 1000; } };\nint g(B &b) { try { return b.f(); } catch (int i) { return i; } }\nint h() { D d; return g(d) + [](auto x) { return x * 2; }(3); }\n' },
  }),
  row('as', ['as', '-o', 'f.o', 'f.s'], { files: { 'f.s': ASSEMBLY } }),
  row('as with errors', ['as', '-o', 'f.o', 'f.s'], { files: { 'f.s': ' mov %eax\n nonsense\n' } }),
  row('as a listing', ['as', '-al', '-o', 'f.o', 'f.s'], { files: { 'f.s': ' .text\nstart: mov $1, %rax\n vaddps %ymm1, %ymm2, %ymm3\n lock cmpxchg16b (%rdi)\n jmp start\n .data\n .double 1.5, 1e300\n .string "abc"\n' } }),
  row('ld', ['ld', '-e', 'sum', '--unresolved-symbols=ignore-all', '--build-id=none', '-o', 'f', 'f.o'], { files: { 'f.o': object(SMALL) } }),
  row('ld of what is undefined', ['ld', '-o', 'f', 'f.o'], { files: { 'f.o': object(SMALL) } }),
  row('ar', ['ar', 'rcD', 'f.a', 'f.o', 'g.o'], { files: { 'f.o': object(SMALL), 'g.o': object('int g;') } }),
  row('objdump -d', ['objdump', '-d', EXAMPLE]),
  row('objdump -x', ['objdump', '-x', 'f.o'], { files: { 'f.o': object(SMALL) } }),
  row('objdump -S -l', ['objdump', '-d', '-l', '-M', 'intel', 'f.o'], { files: { 'f.o': object(SMALL) } }),
  row('readelf -a', ['readelf', '-a', '-W', EXAMPLE]),
  row('readelf -w', ['readelf', '-w', 'f.o'], { files: { 'f.o': object(SMALL, '-g') } }),
  row('readelf of no ELF', ['readelf', '-h', 'f'], { files: { f: 'text' } }),
  row('nm', ['nm', '-n', 'f.o'], { files: { 'f.o': object(SMALL) } }),
  row('nm -D -C', ['nm', '-D', '-C', '--defined-only', '/usr/lib/x86_64-linux-gnu/libstdc++.so.6']),
  row('size', ['size', '-A', EXAMPLE]),
  row('strings', ['strings', '-n', '8', EXAMPLE]),
  row('strip', ['strip', '-o', 'out', 'f.o'], { files: { 'f.o': object(SMALL, '-g') } }),
  row('objcopy', ['objcopy', '-O', 'binary', '-j', '.text', 'f.o', 'out'], { files: { 'f.o': object(SMALL) } }),
  row('addr2line', ['addr2line', '-f', '-e', 'f.o', '0', '8', '20'], { files: { 'f.o': object(SMALL, '-g') } }),
  row('c++filt', ['c++filt', '_ZNSt6vectorIiSaIiEE9push_backERKi', '_ZN3foo3barIJidEEEvDpT_', 'plain']),
];

/** An object file of this C text. */
function object(text: string, ...options: string[]): Uint8Array {
  const directory = mkdtempSync(join(tmpdir(), 'culprit-object-'));
  try {
    const path = join(directory, 'f.o');
    execFileSync('gcc', ['-c', '-O1', ...options, `-ffile-prefix-map=${directory}=.`, '-x', 'c', '-o', path, '-'], { input: text, cwd: directory });
    return readFileSync(path);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

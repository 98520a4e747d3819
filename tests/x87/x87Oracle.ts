/**
 * For tests: x87 instructions on the CPU that we run on. A case is a state of the FPU (as frstor
 * takes it), an instruction whose memory operand is [rdx], and that operand; the outcome is what
 * fnsave stores afterwards.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const IMAGE_BYTES = 108;
const OPERAND_BYTES = 16;
const IN_BYTES = 176;
const OUT_BYTES = 144;

export interface X87Case {
  /** 108 bytes for frstor. */
  readonly image: Uint8Array;
  readonly code: readonly number[];
  readonly operand: Uint8Array;
  /** Arithmetic bits of EFLAGS. */
  readonly flags: number;
}

export interface X87Outcome {
  readonly image: Uint8Array;
  readonly operand: Uint8Array;
  readonly flags: number;
  readonly ax: number;
}

const SOURCE = String.raw`
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
struct in { uint8_t image[112]; uint32_t flags, length; uint64_t unused; uint8_t code[32]; uint8_t operand[16]; };
struct out { uint8_t image[112]; uint64_t flags, rax; uint8_t operand[16]; };
int main(void) {
  uint8_t *page = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct in in;
  struct out out;
  while (fread(&in, sizeof in, 1, stdin) == 1) {
    /**
     * frstor [rdi]; push rcx; popf; ...; pushf; pop rcx; fnsave [rsi]; mov [rsi + 112], rcx; mov [rsi + 120], rax; ret
     */
    static const uint8_t before[] = {0xdd, 0x27, 0x51, 0x9d};
    static const uint8_t after[] = {0x9c, 0x59, 0xdd, 0x36, 0x48, 0x89, 0x4e, 0x70, 0x48, 0x89, 0x46, 0x78, 0xc3};
    memcpy(page, before, sizeof before);
    memcpy(page + sizeof before, in.code, in.length);
    memcpy(page + sizeof before + in.length, after, sizeof after);
    memset(&out, 0, sizeof out);
    memcpy(out.operand, in.operand, 16);
    uint64_t flags = in.flags | 0x202, rax = 0;
    asm volatile("call *%[page]" : "+c"(flags), "+a"(rax) : "D"(in.image), "S"(&out), "d"(out.operand), [page] "r"(page) : "memory", "cc");
    asm volatile("fninit");
    fwrite(&out, sizeof out, 1, stdout);
  }
  return 0;
}`;

export class X87Oracle {
  private readonly dir = mkdtempSync(join(tmpdir(), 'culprit-x87-'));
  private readonly program = join(this.dir, 'oracle');

  constructor() {
    writeFileSync(`${this.program}.c`, SOURCE);
    execFileSync('gcc', ['-O1', '-mno-red-zone', '-o', this.program, `${this.program}.c`]);
  }

  run(cases: readonly X87Case[]): X87Outcome[] {
    const out = execFileSync(this.program, { input: encode(cases), maxBuffer: 1 << 30 });
    return cases.map((_, i) => decode(out.subarray(i * OUT_BYTES, (i + 1) * OUT_BYTES)));
  }

  dispose(): void {
    rmSync(this.dir, { recursive: true });
  }
}

function encode(cases: readonly X87Case[]): Uint8Array {
  const out = new Uint8Array(cases.length * IN_BYTES);
  const view = new DataView(out.buffer);
  cases.forEach((c, i) => {
    const start = i * IN_BYTES;
    out.set(c.image, start);
    view.setUint32(start + 112, c.flags, true);
    view.setUint32(start + 116, c.code.length, true);
    out.set(c.code, start + 128);
    out.set(c.operand, start + 160);
  });
  return out;
}

function decode(bytes: Uint8Array): X87Outcome {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    image: Uint8Array.from(bytes.subarray(0, IMAGE_BYTES)),
    operand: Uint8Array.from(bytes.subarray(OUT_BYTES - OPERAND_BYTES)),
    flags: view.getUint32(112, true) & 0x8d5,
    ax: view.getUint32(120, true) & 0xffff,
  };
}

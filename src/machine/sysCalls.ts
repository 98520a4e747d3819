/** The instructions that sys.call leaves to JavaScript: cpuid, rdtsc, rdtscp, fxsave, fxrstor. */
import { unreachable } from '../base/assert.js';
import { RAX, RBX, RCX, RDX } from '../layout/cpuState.js';
import { SYS } from '../ir/sysCalls.js';
import type { Cpu } from './cpu.js';
import { cpuid } from './cpuid.js';
import { FX_SIZE, FX_WRITTEN } from '../layout/fxImage.js';
import { restoreFx, saveFx } from './fxState.js';
import { VECTOR } from './stop.js';

/** Result of js.sysCall: not now. */
export const REFUSED = -1;

/** Guest memory that is known to be accessible: the operation has been preceded by probes. */
interface SysCallMemory {
  peek(address: number, length: number): Uint8Array | null;
  poke(address: number, bytes: Uint8Array): boolean;
}

/** What one of them accesses at its address, if anything. */
export function imageAccess(number: number): { readonly bytes: number; readonly write: boolean } | null {
  if (number === SYS.FXSAVE || number === SYS.FXSAVE64) return { bytes: FX_WRITTEN, write: true };
  return number === SYS.FXRSTOR || number === SYS.FXRSTOR64 ? { bytes: FX_SIZE, write: false } : null;
}

export class SysCalls {
  constructor(
    private readonly cpu: Cpu,
    private readonly memory: SysCallMemory,
    /** The time stamp counter: an integer that never goes down. */
    private readonly timeStamp: () => number,
  ) {}

  /** 0 if it is done, else the vector of the exception it raises, + 1. */
  readonly call = (number: number, address: number): number => {
    switch (number) {
      case SYS.CPUID:
        this.cpuid();
        return 0;
      case SYS.RDTSC:
        this.rdtsc();
        return 0;
      case SYS.RDTSCP:
        this.rdtsc();
        // The number of the CPU we are on.
        this.cpu.setNum(RCX, 0);
        return 0;
      case SYS.FXSAVE:
      case SYS.FXSAVE64:
        this.save(address, number === SYS.FXSAVE64);
        return 0;
      case SYS.FXRSTOR:
      case SYS.FXRSTOR64:
        return this.restore(address) ? 0 : VECTOR.GP + 1;
      default:
        return unreachable(`no sys.call ${number}`);
    }
  };

  private cpuid(): void {
    const { cpu } = this;
    const { eax, ebx, ecx, edx } = cpuid(cpu.lo(RAX), cpu.lo(RCX));
    cpu.setNum(RAX, eax >>> 0);
    cpu.setNum(RBX, ebx >>> 0);
    cpu.setNum(RCX, ecx >>> 0);
    cpu.setNum(RDX, edx >>> 0);
  }

  private rdtsc(): void {
    const now = Math.floor(this.timeStamp());
    this.cpu.setNum(RAX, now % 0x1_0000_0000);
    this.cpu.setNum(RDX, Math.floor(now / 0x1_0000_0000));
  }

  /** Without REX.W the pointers are 32 bits, each followed by a selector, which 64-bit mode stores as 0. */
  private save(address: number, wide: boolean): void {
    const image = saveFx(this.cpu).subarray(0, FX_WRITTEN);
    if (!wide) {
      image.fill(0, 12, 16);
      image.fill(0, 20, 24);
    }
    this.memory.poke(address, image);
  }

  private restore(address: number): boolean {
    const image = this.memory.peek(address, FX_SIZE);
    return image !== null && restoreFx(this.cpu, image);
  }
}

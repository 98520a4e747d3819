/**
 * The state of a CPU before or after a case, as bytes: the same layout as `struct state` of
 * native/runner.c. Floating point is an fxsave image without its unused tail.
 */
import { Random } from './random.js';

export const STATE_SIZE = 560;
export const RIP_OFFSET = 128;
export const EFLAGS_OFFSET = 136;
export const FX_OFFSET = 144;
export const FX_SIZE = 416;

/** Within the fxsave image. */
export const FX = { FCW: 0, FSW: 2, FTW: 4, FOP: 6, FIP: 8, FDP: 16, MXCSR: 24, MXCSR_MASK: 28, ST: 32, XMM: 160 } as const;

export const REGISTER_NAMES = [
  'rax', 'rcx', 'rdx', 'rbx', 'rsp', 'rbp', 'rsi', 'rdi', 'r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15',
] as const;

/** Where things lie, natively and in the engine. Below 2^31, so that every addressing mode reaches them. */
export const MEMORY = {
  data: 0x1000_0000,
  dataSize: 0x2000,
  /** A page of zeros that cannot be written. */
  readOnly: 0x1001_0000,
  readOnlySize: 0x1000,
  code: 0x2000_0000,
  fsBase: 0x1000_0100,
  gsBase: 0x1000_0240,
  unmapped: 0x3000_0000,
} as const;

/** Bytes from one program to the next, and where in them it begins: int3 all around. */
export const SLOT_SIZE = 128;
export const SLOT_START = 48;
export const INT3 = 0xcc;

/** What the data area holds before a case, apart from the case's patches. */
export const BACKGROUND: Uint8Array = new Random('background').bytes(new Uint8Array(MEMORY.dataSize));

export interface Patch {
  /** From the start of the data area. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

export class MachineState {
  readonly bytes: Uint8Array;
  readonly view: DataView;

  constructor(bytes: Uint8Array = new Uint8Array(STATE_SIZE)) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, STATE_SIZE);
  }

  gpr(i: number): bigint {
    return this.view.getBigUint64(i * 8, true);
  }

  setGpr(i: number, value: bigint): void {
    this.view.setBigUint64(i * 8, BigInt.asUintN(64, value), true);
  }

  get rip(): number {
    return Number(this.view.getBigUint64(RIP_OFFSET, true));
  }

  set rip(value: number) {
    this.view.setBigUint64(RIP_OFFSET, BigInt(value), true);
  }

  get eflags(): number {
    return this.view.getUint32(EFLAGS_OFFSET, true);
  }

  set eflags(value: number) {
    this.view.setUint32(EFLAGS_OFFSET, value, true);
  }

  fx16(offset: number): number {
    return this.view.getUint16(FX_OFFSET + offset, true);
  }

  setFx16(offset: number, value: number): void {
    this.view.setUint16(FX_OFFSET + offset, value, true);
  }

  get tags(): number {
    return this.bytes[FX_OFFSET + FX.FTW] as number;
  }

  set tags(value: number) {
    this.bytes[FX_OFFSET + FX.FTW] = value;
  }

  get mxcsr(): number {
    return this.view.getUint32(FX_OFFSET + FX.MXCSR, true);
  }

  set mxcsr(value: number) {
    this.view.setUint32(FX_OFFSET + FX.MXCSR, value, true);
  }

  xmm(i: number): Uint8Array {
    return this.bytes.subarray(FX_OFFSET + FX.XMM + i * 16, FX_OFFSET + FX.XMM + i * 16 + 16);
  }

  /** ST(i): mantissa and then sign and exponent, ten bytes. */
  st(i: number): Uint8Array {
    return this.bytes.subarray(FX_OFFSET + FX.ST + i * 16, FX_OFFSET + FX.ST + i * 16 + 10);
  }
}

/** An encoded instruction (or several) in its slot. */
export interface Program {
  /** Unique in a run: how a case names it. */
  readonly name: string;
  readonly mnemonic: string;
  readonly address: number;
  readonly bytes: Uint8Array;
  /** What the real CPU gets instead, of the same length, where it has more features than ours. */
  readonly nativeBytes: Uint8Array;
}

export interface TestCase {
  readonly name: string;
  readonly program: Program;
  readonly state: MachineState;
  readonly patches: readonly Patch[];
  /** Bytes of the data area whose new contents differ between CPUs. */
  readonly ignoredMemory?: { readonly offset: number; readonly size: number } | undefined;
}

/** How a case ended. Leaving through the int3 around the program is trap 3. */
export interface Outcome {
  readonly state: MachineState;
  /** Exception vector. */
  readonly trap: number;
  /** For page faults: the address, and the error code with bit 0 = protection, 1 = write, 4 = fetch. */
  readonly address: bigint;
  readonly error: number;
  /** Offsets in the data area of 8-byte words that changed, with their value. */
  readonly changes: ReadonlyMap<number, bigint>;
  /** What the engine has to say beyond that. */
  readonly note: string;
}

/** The code area for some programs: their bytes in int3. */
export function codeImage(programs: readonly Program[], bytesOf: (p: Program) => Uint8Array): Uint8Array {
  const end = Math.max(...programs.map((p) => p.address)) + SLOT_SIZE - MEMORY.code;
  const image = new Uint8Array(Math.ceil(end / 4096) * 4096).fill(INT3);
  for (const p of programs) image.set(bytesOf(p), p.address - MEMORY.code);
  return image;
}

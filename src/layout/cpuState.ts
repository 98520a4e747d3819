/**
 * The layout of the guest CPU's state, declared once: lifter, code generator, kernel, snapshots
 * and debuggers all take it from here. A slot is a place in linear memory at STATE_BASE + offset.
 *
 * Flags are lazy. `ccOp` says which operation produced them (see ir/flags.ts) and `ccX`, `ccY`,
 * `ccZ` hold what is needed to compute any flag when an instruction asks. DF, and the bits no arithmetic
 * touches, have slots of their own.
 */
export type SlotType = 'i32' | 'i64' | 'v128';

export interface Slot {
  readonly name: string;
  readonly type: SlotType;
  /** Bytes from STATE_BASE. */
  readonly offset: number;
}

const GPR_NAMES = [
  'rax', 'rcx', 'rdx', 'rbx', 'rsp', 'rbp', 'rsi', 'rdi',
  'r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15',
] as const;

function slot(name: string, type: SlotType, offset: number): Slot {
  return { name, type, offset };
}

/** General registers in encoding order: rax rcx rdx rbx rsp rbp rsi rdi r8..r15. */
export const GPR: readonly Slot[] = GPR_NAMES.map((name, i) => slot(name, 'i64', i * 8));
export const [RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI] = GPR as unknown as [
  Slot, Slot, Slot, Slot, Slot, Slot, Slot, Slot,
];
export const R8 = GPR[8] as Slot;
export const R9 = GPR[9] as Slot;
export const R11 = GPR[11] as Slot;

export const RIP = slot('rip', 'i64', 128);
export const CC_OP = slot('ccOp', 'i32', 136);
export const CC_X = slot('ccX', 'i64', 144);
export const CC_Y = slot('ccY', 'i64', 152);
export const CC_Z = slot('ccZ', 'i64', 160);
/** Direction flag: 0 or 1. */
export const DF = slot('df', 'i32', 168);
export const FS_BASE = slot('fsBase', 'i64', 176);
export const GS_BASE = slot('gsBase', 'i64', 184);
export const MXCSR = slot('mxcsr', 'i32', 192);
/**
 * 1 while SSE arithmetic may use the plain wasm operation and skip the bookkeeping: the inexact
 * flag is already set, rounding is to nearest, no flush-to-zero, all exceptions masked. Derived
 * from MXCSR by everyone who writes MXCSR.
 */
export const FP_FAST = slot('fpFast', 'i32', 196);
/** EFLAGS bits that arithmetic does not touch, other than DF: TF, IF, NT, AC, ID. */
export const OTHER_FLAGS = slot('otherFlags', 'i32', 200);

/** x87 (see x86/x87): control word, status word with TOP, abridged-inverse tag (1 bit a register, 1 = full). */
export const FPU_CONTROL = slot('fcw', 'i32', 204);
export const FPU_STATUS = slot('fsw', 'i32', 208);
export const FPU_TAGS = slot('ftags', 'i32', 212);
export const FPU_OPCODE = slot('fop', 'i32', 216);
export const FPU_IP = slot('fip', 'i64', 224);
export const FPU_DP = slot('fdp', 'i64', 232);

/** SSE registers. */
export const XMM: readonly Slot[] = Array.from({ length: 16 }, (_, i) => slot(`xmm${i}`, 'v128', 256 + i * 16));
/**
 * Physical x87 registers R0..R7, 16 bytes each: mantissa (u64) at +0, sign and exponent (u16) at +8.
 * ST(i) is R[(TOP + i) & 7]; MMX register i is the mantissa of R[i].
 */
export const FPU_REG: readonly Slot[] = Array.from({ length: 8 }, (_, i) => slot(`fpr${i}`, 'v128', 512 + i * 16));

/** Communication between generated code and the engine around it. */
/** Instructions that may still retire before the run must stop (i64, counts down). */
export const TICKS = slot('ticks', 'i64', 640);
/** Address of the access that failed. */
export const FAULT_ADDRESS = slot('faultAddress', 'i64', 648);
/** What kind of stop it is beyond the exit code: access kind and size, trap vector. */
export const FAULT_INFO = slot('faultInfo', 'i32', 656);
/** Where in the bytecode the interpreter stopped. */
export const FAULT_PC = slot('faultPc', 'i32', 660);
/** Scratch for the slow path: a value of up to 16 bytes. */
export const SCRATCH = slot('scratch', 'v128', 672);
/** Its halves: where rep cmps and rep scas leave the last pair that they compared. */
export const SCRATCH_X = slot('scratchX', 'i64', 672);
export const SCRATCH_Y = slot('scratchY', 'i64', 680);

/**
 * The shadow of slots, where generated code propagates it (ir/propagation/): as far behind a slot as this. It is no
 * part of the state of a thread.
 */
const SHADOW_DISTANCE = 1024;
/** Slots from here on have none. */
export const SHADOWED_SLOTS_END = 704;
/** Slots and their shadow are below this. */
export const SLOTS_END = 2048;

/** Ones for those bits of a slot that have shadow. */
export function shadowOf({ name, type, offset }: Slot): Slot {
  return slot(`${name}Shadow`, type, offset + SHADOW_DISTANCE);
}

/** Where compiled code leaves its locals when it stops at a site (jit/sites.ts): 16 bytes for each cacheable slot. */
export const SAVED_LOCALS_OFFSET = 2048;

/** Everything up to here are the bytes that a snapshot of a thread must hold. */
export const CPU_STATE_SIZE = 1024;

/** Interpreter temporaries: 16 bytes each, from here. */
export const TEMPS_OFFSET = 4096;
export const TEMPS_COUNT = 1024;
/** Interned constants for the interpreter, 16-byte aligned, up to the end of what a 16-bit slot index reaches. */
export const CONSTANTS_OFFSET = TEMPS_OFFSET + TEMPS_COUNT * 16;
export const CONSTANTS_END = 65536 * 4;

/** EFLAGS bits. */
export const FLAG = {
  CF: 0x1, PF: 0x4, AF: 0x10, ZF: 0x40, SF: 0x80, TF: 0x100, IF: 0x200, DF: 0x400, OF: 0x800,
  NT: 0x4000, RF: 0x10000, AC: 0x40000, ID: 0x200000,
} as const;
export const ARITHMETIC_FLAGS = FLAG.CF | FLAG.PF | FLAG.AF | FLAG.ZF | FLAG.SF | FLAG.OF;

/** What MXCSR and the x87 control word are at process start. */
export const MXCSR_RESET = 0x1f80;
export const FPU_CONTROL_RESET = 0x37f;

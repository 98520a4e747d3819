/** A crash as both sides report it, and the conditions under which they must agree. */

export interface Crash {
  readonly signal: number;
  /** si_code. */
  readonly code: number;
  /** si_addr; 0 for signals that carry none. */
  readonly address: string;
  /** rip, the sixteen general registers, fs_base and the flags, in hexadecimal. */
  readonly registers: Readonly<Record<string, string>>;
  /** What the program wrote to its standard error. */
  readonly message: string;
}

/** Both sides fill everything random with this. */
export const RANDOM_BYTE = 0x5a;

/** Flags that programs compute: carry, parity, adjust, zero, sign, direction, overflow. */
const COMPARED_FLAGS = 0xcd5;

/**
 * The C library chooses its string functions by the CPU; this makes both sides choose what suits x86-64-v2,
 * and cross over from one method to the next at the same sizes.
 */
const TUNABLES = [
  'glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-FMA,-BMI1,-BMI2,-LZCNT,-MOVBE,-ERMS,-FSRM,-XSAVEC,-XSAVE,-AVX_Fast_Unaligned_Load,Fast_Unaligned_Load,Fast_Unaligned_Copy',
  'glibc.cpu.x86_non_temporal_threshold=0xc0000',
  'glibc.cpu.x86_rep_movsb_threshold=2048',
  'glibc.cpu.x86_rep_stosb_threshold=2048',
  'glibc.cpu.x86_data_cache_size=0x8000',
  'glibc.cpu.x86_shared_cache_size=0x100000',
].join(':');

/** The whole environment: it lies on the stack, so that it must be the same for addresses to be. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  LIBC_FATAL_STDERR_: '1',
  GLIBC_TUNABLES: TUNABLES,
};

export function shownFlags(eflags: number): string {
  return (eflags & COMPARED_FLAGS).toString(16);
}

export function withoutFlags(crash: Crash): Crash {
  const { eflags: _, ...registers } = crash.registers;
  return { ...crash, registers };
}

/** Numbers that differ between any two processes become names. */
export function withoutPid(registers: Record<string, string>, pid: number): Record<string, string> {
  const own = pid.toString(16);
  return Object.fromEntries(Object.entries(registers).map(([name, value]) => [name, value === own ? 'pid' : value]));
}

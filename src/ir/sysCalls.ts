/** What the immediate of sys.call means: instructions that are done in JavaScript (machine/sysCalls.ts). */
export const SYS = {
  CPUID: 1,
  RDTSC: 2,
  RDTSCP: 3,
  /** Address = where to store; with 64-bit pointers (fxsave64) or without. */
  FXSAVE: 4,
  FXRSTOR: 5,
  FXSAVE64: 6,
  FXRSTOR64: 7,
} as const;

/**
 * What the immediate of sys.call and its relatives means: instructions that are done in JavaScript
 * (machine/sysCalls.ts).
 */
export const SYS = {
  CPUID: 1,
  RDTSC: 2,
  RDTSCP: 3,
  /** Address = where to store; with 64-bit pointers (fxsave64) or without. */
  FXSAVE: 4,
  FXRSTOR: 5,
  FXSAVE64: 6,
  FXRSTOR64: 7,
  /**
   * A hook (hooks.ts): stands in for the function that begins at the address, looks at the call of one, or does part of
   * its work.
   */
  HOOK_CALL: 8,
  HOOK_LOOK: 9,
  HOOK_MAKE: 10,
  /** Somewhere in a function: the address of a variable of its own is made; the function is about to return. */
  HOOK_POINTER: 11,
  HOOK_LEAVE: 12,
  /** The log of spots (spotOps.ts) is full. */
  SPOTS_FULL: 13,
} as const;

/** Of `sys.fpuImage`: whether it takes the registers from memory. */
export function restoresImage(number: number): boolean {
  return number === SYS.FXRSTOR || number === SYS.FXRSTOR64;
}

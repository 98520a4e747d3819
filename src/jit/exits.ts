/** What generated code returns to its caller. In every case the CPU state in linear memory is exact. */
export const EXIT = {
  /** Go on at rip: only ever seen by the dispatcher. */
  CONTINUE: 0,
  /** No translation of the block at rip is known: make one. */
  TRANSLATE: 1,
  /** Fewer ticks are left than the next stretch of code needs. */
  BUDGET: 2,
  /** The interpreted block at rip has become hot. */
  HOT: 3,
  /** A `syscall` instruction retired; rip is after it. */
  SYSCALL: 4,
  /**
   * An interpreted access or helper failed; FAULT_ADDRESS, FAULT_INFO, FAULT_PC say what and where. rip and ticks are
   * still to be fixed.
   */
  FAULT: 5,
  /** Compiled code cannot do the instruction at rip itself (a fault, a trap, a watched page): interpret it. */
  SLOW: 6,
  /** Compiled code has stopped at the site whose number is in FAULT_PC (sites.ts). */
  SITE: 10,
  /** A guest function has come back to where its caller, a region that has called this one, goes on. */
  RETURNED: 11,
  /**
   * A guest's `ret` has gone to rip, which is not known to come after a call. FAULT_ADDRESS is that of the `ret`; or 0,
   * then FAULT_PC says where it is. Only where returns are checked.
   */
  ASTRAY: 12,
  /** The block at rip cannot be lifted. */
  UNKNOWN: 7,
  /** A processor exception that ends a block; the vector is in FAULT_INFO, rip is where it resumes. */
  TRAP: 8,
  /** A processor exception in the middle of an interpreted block: FAULT_PC is still to be turned into rip and ticks. */
  TRAP_INTERPRETED: 9,
} as const;

/** FAULT_INFO for memory accesses: bytes accessed, plus these. */
export const FAULT_WRITE = 0x1_0000;
export const FAULT_BYTES = 0xffff;
/** Where memory is watched: the access meets watched bytes; it is a mere probe. */
export const FAULT_WATCHED = 0x2_0000;
export const FAULT_PROBE = 0x4_0000;
/** A load would meet a byte that no instruction has written, where that is looked out for. */
export const FAULT_UNWRITTEN = 0x8_0000;
/** A string is not written, where that is looked at (x86/hooks.ts). */
export const FAULT_STRING = 0x8_0001;

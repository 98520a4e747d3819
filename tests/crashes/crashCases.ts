/** The programs, how they are compiled, and the signal that ends them. */
export interface CrashCase {
  /** programs/NAME.c */
  readonly name: string;
  readonly signal: 'SIGSEGV' | 'SIGABRT' | 'SIGBUS' | 'SIGFPE' | 'SIGILL';
  /** Beside COMMON_FLAGS. */
  readonly flags?: readonly string[];
  /** Processors differ in the flags they leave. */
  readonly undefinedFlags?: boolean;
}

/** Warnings off, calls as written: the compiler sees most of these bugs coming, and does what it likes with them. */
export const COMMON_FLAGS = ['-w', '-O0', '-fno-builtin', '-fno-stack-protector'] as const;

const FIXED_PLACE = ['-no-pie', '-Wl,-z,lazy,-z,relro'] as const;

export const CRASH_CASES: readonly CrashCase[] = [
  // Overflows of the heap, the stack and globals that hit pointers, wholly or in part.
  { name: 'heapPointerWhole', signal: 'SIGSEGV' },
  { name: 'heapPointerHalf', signal: 'SIGSEGV' },
  { name: 'heapListWalk', signal: 'SIGSEGV', flags: ['-O2'] },
  { name: 'stackPointerWhole', signal: 'SIGSEGV' },
  { name: 'stackPointerHalf', signal: 'SIGSEGV' },
  { name: 'globalFunctionPointer', signal: 'SIGSEGV' },
  { name: 'gotEntry', signal: 'SIGSEGV', flags: FIXED_PLACE },
  { name: 'gotEntryHalf', signal: 'SIGSEGV', flags: FIXED_PLACE },
  // Return addresses and frames.
  { name: 'returnAddressWhole', signal: 'SIGSEGV', undefinedFlags: true },
  { name: 'returnAddressHalf', signal: 'SIGSEGV' },
  { name: 'returnAddressPartial', signal: 'SIGSEGV' },
  { name: 'savedFramePointer', signal: 'SIGSEGV', undefinedFlags: true },
  { name: 'deadLongjmp', signal: 'SIGSEGV' },
  // The allocator's own data.
  { name: 'topSize', signal: 'SIGABRT' },
  { name: 'chunkHeader', signal: 'SIGABRT' },
  { name: 'unsortedLinks', signal: 'SIGSEGV' },
  { name: 'tcacheNext', signal: 'SIGABRT' },
  { name: 'tcacheCount', signal: 'SIGABRT' },
  { name: 'fastbin', signal: 'SIGABRT' },
  { name: 'doubleFree', signal: 'SIGABRT' },
  { name: 'doubleFreeFast', signal: 'SIGABRT' },
  { name: 'freeMiddle', signal: 'SIGABRT' },
  { name: 'closedTwice', signal: 'SIGABRT' },
  // Memory that belongs to another owner, or to none.
  { name: 'useAfterFree', signal: 'SIGSEGV', flags: ['-O2'] },
  { name: 'closedFile', signal: 'SIGSEGV' },
  { name: 'nullOffset', signal: 'SIGSEGV' },
  { name: 'uninitialisedPointer', signal: 'SIGSEGV' },
  { name: 'negativeIndex', signal: 'SIGSEGV' },
  { name: 'hugeCopy', signal: 'SIGSEGV' },
  { name: 'longCopy', signal: 'SIGSEGV' },
  { name: 'stringToTheEnd', signal: 'SIGSEGV' },
  { name: 'unboundedFill', signal: 'SIGSEGV', flags: ['-O1'] },
  { name: 'stringWithoutEnd', signal: 'SIGSEGV', undefinedFlags: true },
  { name: 'varargMismatch', signal: 'SIGSEGV' },
  { name: 'unmappedAgain', signal: 'SIGSEGV', flags: ['-O2'] },
  { name: 'truncatedMapping', signal: 'SIGBUS' },
  { name: 'infiniteRecursion', signal: 'SIGSEGV' },
  // What the processor refuses.
  { name: 'writeConstant', signal: 'SIGSEGV' },
  { name: 'guardPage', signal: 'SIGSEGV', flags: ['-O2'] },
  { name: 'callNowhere', signal: 'SIGSEGV' },
  { name: 'jumpNowhere', signal: 'SIGSEGV', flags: ['-O2'] },
  { name: 'jumpToKernel', signal: 'SIGSEGV', flags: ['-O2'] },
  { name: 'executeData', signal: 'SIGSEGV' },
  { name: 'middleOfInstruction', signal: 'SIGILL' },
  { name: 'jumpTable', signal: 'SIGSEGV', flags: ['-O2'] },
  { name: 'unalignedSse', signal: 'SIGSEGV', flags: ['-O1'] },
  { name: 'divideByZero', signal: 'SIGFPE', flags: ['-O1'] },
  { name: 'divideOverflow', signal: 'SIGFPE' },
  // What is noticed in time.
  { name: 'stackProtector', signal: 'SIGABRT', flags: ['-fstack-protector-all'] },
  { name: 'fortified', signal: 'SIGABRT', flags: ['-O2', '-D_FORTIFY_SOURCE=2'] },
  { name: 'assertFails', signal: 'SIGABRT' },
];

/** What the immediate of sys.look means: of which bytes a function is given. The first are rdx bytes at rdi. */
export const LOOK = {
  /** So many at rsi, too. */
  SECOND: 1,
  /** The two may not overlap, unless they are the same. */
  APART: 2,
  FIRST_WRITTEN: 4,
  SECOND_WRITTEN: 8,
} as const;

/** More bytes than these are out of the ordinary. */
export const MOST_ORDINARY_BYTES = 1 << 20;
/** No page before it is anybody's. */
export const FIRST_ORDINARY_ADDRESS = 4096;

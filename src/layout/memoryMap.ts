/**
 * Where everything lies in the one WebAssembly memory of 4 GiB.
 *
 *   0x0000_0000  CPU state, interpreter temporaries, constants (see cpuState.ts)
 *   0x0100_0000  read table:  8 bytes per guest page
 *   0x0140_0000  write table: 8 bytes per guest page
 *   0x0200_0000  block table: guest address -> translated code
 *   0x0300_0000  what each compiled region needs to be entered
 *   0x0400_0000  bytecode of the interpreter
 *   0x2000_0000  watched writes: a bit per byte of guest memory
 *   0x3000_0000  watched reads: a bit per byte of guest memory
 *   0x4000_0000  watched pages: 8 bytes per guest page
 *   0x4200_0000  watched lines: a byte per 64 bytes of guest memory
 *   0x4400_0000  views: where blocks of memory that have addresses of their own begin and end (machine/views.ts)
 *   0x4600_0000  log of the blocks that are entered, where an analysis observes (machine/observation/)
 *   0x4700_0000  lines with spots: a byte per 64 bytes of guest memory (machine/observation/spotLog.ts)
 *   0x4900_0000  spots: a bit per 8 bytes of guest memory
 *   0x4b00_0000  log of what happened at spots
 *   0x4c00_0000  log of the words that marked data overwrites (machine/shadow/)
 *   0x4d00_0000  free
 *   0x5000_0000  unwritten bytes: a bit per byte of guest memory (machine/shadow/)
 *   0x6000_0000  log of the addresses that are accessed
 *   0x8000_0000  guest memory: guest address modulo 2^31
 *
 * What generated code reaches at constant offsets lies below 2^31, because V8 can make that part of
 * the machine instruction; guest memory is reached with a computed offset anyway.
 *
 * Table entries: index = guest page number modulo 2^19. An entry says how far an access that begins
 * on the page may go without further ado: it is the full guest address of the end of this page, or of
 * the next one if that is as good; or closedEntry(index) if no access may (nothing mapped, permission
 * missing, page watched, page holds translated code, ...). So an access of n <= 4096 bytes at `a` is
 * safe if
 *     table[(a >> 12) & 0x7ffff] - (a + n)  <u  8192
 * All others take the slow path.
 */
export const LINEAR_MEMORY_PAGES = 65536;

export const GUEST_SPACE_SIZE = 0x8000_0000;
/** The linear offset of a guest address is its low 32 bits, or-ed with this. */
export const GUEST_BASE = 0x8000_0000;

export const STATE_BASE = 0;
export const READ_TABLE = 0x0100_0000;
export const WRITE_TABLE = 0x0140_0000;
export const PAGE_TABLE_ENTRIES = GUEST_SPACE_SIZE / 4096;

/** Longest access that one look at a table can allow. */
export const LONGEST_CHECKED = 4096;
/** Above what an open entry leaves over. */
export const ENTRY_REACH = 8192;

/**
 * An entry that no access which looks at it can match, whatever all 64 bits of the address are: it is
 * far from all pages with that index. Zero does for all but the last three, so that fresh memory is a
 * closed table.
 */
export function closedEntry(index: number): number {
  return index >= FIRST_INDEX_NEAR_ZERO ? 0x4000_0000 : 0;
}
export const FIRST_INDEX_NEAR_ZERO = PAGE_TABLE_ENTRIES - 3;

export const BLOCK_TABLE = 0x0200_0000;
/** One i32 per compiled region: the ticks that have to be left for it to be entered. */
export const REGION_TICKS = 0x0300_0000;
export const BYTECODE_BASE = 0x0400_0000;
export const BYTECODE_END = 0x2000_0000;

/** Bits of the bytes whose accesses are wanted (machine/watch.ts), by linear offset of the byte within guest memory. */
export const WATCHED_WRITES = 0x2000_0000;
export const WATCHED_READS = 0x3000_0000;
/**
 * Where memory is watched, the tables above are closed for pages with such bytes, so that looking out for them costs
 * nothing elsewhere. What these pages would have there is in tables of their own.
 */
export const REAL_READ_TABLE = 0x4000_0000;
export const REAL_WRITE_TABLE = 0x4040_0000;
/** An i32: 1 if these are kept. */
export const KEEPS_REAL_TABLES = 0x4080_0000;
/** An i32: 1 if returns to places that no call comes from are to be noticed (Engine.checkReturns). */
export const CHECKS_RETURNS = KEEPS_REAL_TABLES + 8;
/** An i32: 1 while code that looks out for unwritten bytes is to look away (machine/shadow/). */
export const IGNORES_UNWRITTEN = KEEPS_REAL_TABLES + 16;
/** An i32: 1 if the bits of unwritten bytes are kept. */
export const KEEPS_UNWRITTEN = KEEPS_REAL_TABLES + 24;
/** An i32: groups of registers (ir/registerGroups.ts) that have shadow, while generated code runs. */
export const SHADOWED_GROUPS = KEEPS_REAL_TABLES + 56;
/** An i32: where the next word goes in OVERWRITTEN_WORDS. */
export const OVERWRITTEN_TOP = KEEPS_REAL_TABLES + 64;
/** An i32: where the next number of a block goes in LOG_BLOCKS. */
export const LOG_BLOCKS_TOP = KEEPS_REAL_TABLES + 40;
/** An i32: where the next address goes in LOG_ADDRESSES, less LOG_BIAS. */
export const LOG_ADDRESSES_TOP = KEEPS_REAL_TABLES + 48;
/** An i32: how many blocks there are that no view shows: global variables (check/variables/). */
export const PLAIN_BLOCKS = KEEPS_REAL_TABLES + 32;
/**
 * In the order of their addresses: 8 bytes where one begins, 8 bytes where it ends. Programs that have more are not
 * watched so closely.
 */
export const PLAIN_BLOCK_TABLE = 0x4090_0000;
export const PLAIN_BLOCK_BYTES = 16;
export const MOST_PLAIN_BLOCKS = 1 << 18;
/**
 * Addresses (their lower halves) of instructions whose loads of unwritten bytes do not matter any more, each where its
 * hash says; what is missing is asked for.
 */
export const EXEMPT_TABLE = 0x4100_0000;
export const EXEMPT_ENTRIES = 1 << 18;
export const EXEMPT_SPREAD = 0x9e37_79b1;
/** 255 for every 64 bytes of guest memory of which one is watched, else 0. */
export const WATCHED_LINES = 0x4200_0000;
export const WATCHED_LINE = 64;
/**
 * Views that are in use, found by a hash of the page of an address: 8 bytes where the view begins, 8 bytes where it
 * ends. An access of n bytes at `a` is inside if neither a - begin nor end - (a + n) is negative.
 */
export const VIEW_TABLE = 0x4400_0000;
/** All addresses that views may have (machine/views.ts) are among these, and whatever is next to one. */
export const VIEW_ADDRESSES = { begin: 0xff * 0x8000_0000, end: 0xa901 * 0x8000_0000 } as const;
export const VIEW_ENTRY_BYTES = 16;
export const VIEW_ENTRIES = 1 << 20;
/**
 * The entry of an address: what is above bit 31 plus this times the number of the page. Blocks that are made one after
 * the other on a page have one after the other above bit 31, so their entries are neighbours. It is even, so that bits
 * above the 31st are not part of the product.
 */
export const VIEW_SPREAD = 0x9_e37a;
/** So many bytes before and after a view may be read by library functions for strings. */
export const LOOSE_REACH = 64;
/**
 * Bits of bytes that no instruction has written since they were allocated, by linear offset of the byte within guest
 * memory. Kept only for those who ask.
 */
export const UNWRITTEN_BYTES = 0x5000_0000;
/**
 * Numbers of blocks, 4 bytes each. The engine drains the log after every slice of time, and a block has at least one
 * instruction: so the log is never full.
 */
export const LOG_BLOCKS = 0x4600_0000;
export const LOG_BLOCKS_END = 0x4700_0000;
/**
 * Words of the stack that are about to be overwritten with what has shadow: 8 bytes address, 8 bytes what was there.
 * The engine drains it when generated code leaves, and an instruction overwrites a few words at most: so it is never
 * full.
 */
export const OVERWRITTEN_WORDS = 0x4c00_0000;
export const OVERWRITTEN_WORDS_END = 0x4d00_0000;
/** What lies this far above the stack pointer may still be on the stack. */
export const STACK_REACH = 8 * 1024 * 1024;
/** Addresses as 64-bit floats, which JavaScript can read at once. */
export const LOG_ADDRESSES = 0x6000_0000;
export const LOG_ADDRESSES_END = 0x8000_0000;
/**
 * Code that logs knows the end of its place and names what is before it: with this the distance is positive, and so
 * part of V8's machine instruction.
 */
export const LOG_BIAS = 0x1_0000;

/** 255 for every 64 bytes of guest memory of which one may be a spot (machine/observation/spotLog.ts), else 0. */
export const SPOT_LINES = 0x4700_0000;
export const SPOT_LINE = 64;
/** Bits of the eight bytes whose stores are logged, by linear offset within guest memory. */
export const SPOT_BITS = 0x4900_0000;
export const SPOT_UNIT = 8;
/** What happened at spots, SPOT_ENTRY_BYTES each. Code that finds it full has it drained. */
export const SPOT_LOG = 0x4b00_0000;
export const SPOT_LOG_END = 0x4bf0_0000;
export const SPOT_ENTRY_BYTES = 64;
/** Where things are in an entry: times and addresses are 64-bit floats. */
export const SPOT_ENTRY = { TIME: 0, SITE: 8, LENGTH: 12, ADDRESS: 16, CONTENT: 24, RETURN_TO: 24, FIRST: 32, SECOND: 40, THIRD: 48 } as const;
/** An i32: where the next entry goes. */
export const SPOT_LOG_TOP = SPOT_LOG_END;
/** A 64-bit float: what the ticks that are left have to be taken off for the time. */
export const SPOT_TIME = SPOT_LOG_END + 8;
/** What a repeated string instruction that stores is about to do: an i32, 0 if none is; where, and how often (i64). */
export const SPOT_REPEATED = SPOT_LOG_END + 16;
export const SPOT_REPEATED_AT = SPOT_LOG_END + 24;
export const SPOT_REPEATED_COUNT = SPOT_LOG_END + 32;
/** Stack pointers of calls that are logged and have not returned, each where its bits say. */
export const SPOT_RETURNS = SPOT_LOG_END + 0x1_0000;
export const SPOT_RETURN_ENTRIES = 4096;

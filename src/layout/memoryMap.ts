/**
 * Where everything lies in the one WebAssembly memory of 4 GiB.
 *
 *   0x0000_0000  CPU state, interpreter temporaries, constants (see cpuState.ts)
 *   0x0100_0000  read table:  8 bytes per guest page
 *   0x0140_0000  write table: 8 bytes per guest page
 *   0x0200_0000  block table: guest address -> translated code
 *   0x0300_0000  what each compiled region needs to be entered
 *   0x0400_0000  bytecode of the interpreter
 *   0x2000_0000  free, for shadow state
 *   0x8000_0000  guest memory: guest address modulo 2^31
 *
 * What generated code reaches at constant offsets lies below 2^31, because V8 can make that part of
 * the machine instruction; guest memory is reached with a computed offset anyway.
 *
 * Table entries: index = guest page number modulo 2^19. An entry is the full guest address of
 * the page that lies there if the access may proceed without further ado, and closedEntry(index) if
 * it may not (nothing mapped, permission missing, page watched, page holds translated code, ...). So
 * an access of n <= 4096 bytes at `a` is safe if
 *     table[((a + n - 1) >> 12) & 0x7ffff] XOR a  <u  4096
 * which fails for page-crossing accesses too; those and all others take the slow path.
 */
export const LINEAR_MEMORY_PAGES = 65536;

export const GUEST_SPACE_SIZE = 0x8000_0000;
/** The linear offset of a guest address is its low 32 bits, or-ed with this. */
export const GUEST_BASE = 0x8000_0000;

export const STATE_BASE = 0;
export const READ_TABLE = 0x0100_0000;
export const WRITE_TABLE = 0x0140_0000;
export const PAGE_TABLE_ENTRIES = GUEST_SPACE_SIZE / 4096;

/**
 * An entry that no access which looks at it can match, whatever all 64 bits of the address are: it is
 * a page with another index, and not the one before either. Zero does for all but the first two, so
 * that fresh memory is a closed table.
 */
export function closedEntry(index: number): number {
  return index < 2 ? 0x5000_0000 : 0;
}

export const BLOCK_TABLE = 0x0200_0000;
/** One i32 per compiled region: the ticks that have to be left for it to be entered. */
export const REGION_TICKS = 0x0300_0000;
export const BYTECODE_BASE = 0x0400_0000;
export const BYTECODE_END = 0x2000_0000;
export const SHADOW_BASE = 0x2000_0000;

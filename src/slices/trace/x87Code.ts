/**
 * Whether an instruction may belong to the x87 or MMX, by a look at its first bytes: nearly none does, and those need
 * not be translated to know it.
 */

const PREFIXES = new Set([0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3]);
const [REX, REX_END] = [0x40, 0x4f];
const [ESCAPE, ESCAPE_END, WAIT] = [0xd8, 0xdf, 0x9b];
const TWO_BYTES = 0x0f;
/** Their second bytes: conversions, MMX, states of the x87. */
const MMX: readonly (readonly [first: number, last: number])[] = [[0x0e, 0x0f], [0x2a, 0x2a], [0x2c, 0x2d], [0x38, 0x3a], [0x60, 0x7f], [0xae, 0xae], [0xc4, 0xc5], [0xc7, 0xc7], [0xd0, 0xff]];
/** VEX and XOP. */
const LONG = new Set([0xc4, 0xc5, 0x62, 0x8f]);

export function mayUseX87(code: Uint8Array): boolean {
  let at = 0;
  while (at < code.length && (PREFIXES.has(code[at] as number) || isRex(code[at] as number))) at++;
  const [first = 0, second = 0] = code.subarray(at);
  if (first === TWO_BYTES) return MMX.some(([from, to]) => second >= from && second <= to);
  return first === WAIT || (first >= ESCAPE && first <= ESCAPE_END) || LONG.has(first);
}

function isRex(byte: number): boolean {
  return byte >= REX && byte <= REX_END;
}

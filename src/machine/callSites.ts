/** Where calls return to, as far as the bytes of code say: right before such an address is a call instruction. */

/** call rel32, and the group of call r/m64 */
const CALL = 0xe8;
const CALL_LENGTH = 5;
const INDIRECT = 0xff;
const INDIRECT_CALL = 2;
/** Of indirect calls: prefix, REX, opcode, ModRM, SIB, displacement. */
const LONGEST = 9;
/** notrack, bnd, fs, gs */
const PREFIXES: ReadonlySet<number> = new Set([0x3e, 0xf2, 0x64, 0x65]);

/** `fetch`: as many bytes of code as there are. */
export function isAfterCall(fetch: (address: number, length: number) => Uint8Array, address: number): boolean {
  for (let length = LONGEST; length >= 2; length--) {
    const code = address < length ? new Uint8Array() : fetch(address - length, length);
    // The page before may not be there.
    if (code.length === length) return endsWithCall(code);
  }
  return false;
}

function endsWithCall(code: Uint8Array): boolean {
  if (code[code.length - CALL_LENGTH] === CALL) return true;
  for (let at = code.length - 2; at >= 0; at--) if (isIndirectCall(code, at)) return true;
  return false;
}

/** Whether what begins there, up to the end, is one. */
function isIndirectCall(code: Uint8Array, start: number): boolean {
  let at = start;
  if (PREFIXES.has(code[at] ?? 0)) at++;
  if (((code[at] ?? 0) & 0xf0) === 0x40) at++;
  const modrm = code[at + 1] ?? 0;
  if (code[at] !== INDIRECT || ((modrm >> 3) & 7) !== INDIRECT_CALL) return false;
  return at + 2 + operandBytes(modrm >> 6, modrm & 7, code[at + 2] ?? 0) === code.length;
}

/** After ModRM. */
function operandBytes(mode: number, register: number, sib: number): number {
  if (mode === 3) return 0;
  const displacement = mode === 1 ? 1 : mode === 2 ? 4 : 0;
  if (register === 4) return 1 + (mode === 0 && (sib & 7) === 5 ? 4 : displacement);
  return mode === 0 && register === 5 ? 4 : displacement;
}

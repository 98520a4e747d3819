/** The x87 registers by the names that debuggers have for them: st0 is the top of the stack, ftag has two bits a register. */
import { FPU_CONTROL, FPU_DP, FPU_IP, FPU_OPCODE, FPU_REG, FPU_STATUS, FPU_TAGS, type Slot } from '../../layout/cpuState.js';

const REGISTERS = 8;
const TAG = { VALID: 0, ZERO: 1, SPECIAL: 2, EMPTY: 3 } as const;
const EXPONENT = 0x7fff;
const INTEGER_BIT = 0x8000_0000;

export const FPU_NAMES: readonly string[] = [...Array.from({ length: REGISTERS }, (_, i) => `st${i}`), 'fctrl', 'fstat', 'ftag', 'fiseg', 'fioff', 'foseg', 'fooff', 'fop'];

/** `words` are the CPU state. Undefined if no register has this name. */
export function fpuRegister(words: Uint32Array, name: string): bigint | undefined {
  const word = (slot: Slot, index = 0): number => words[slot.offset / 4 + index] as number;
  switch (name) {
    case 'fctrl':
      return BigInt(word(FPU_CONTROL) & 0xffff);
    case 'fstat':
      return BigInt(word(FPU_STATUS) & 0xffff);
    case 'ftag':
      return BigInt(tagWord(words, word(FPU_TAGS)));
    case 'fioff':
      return BigInt(word(FPU_IP));
    case 'fiseg':
      return BigInt(word(FPU_IP, 1) & 0xffff);
    case 'fooff':
      return BigInt(word(FPU_DP));
    case 'foseg':
      return BigInt(word(FPU_DP, 1) & 0xffff);
    case 'fop':
      return BigInt(word(FPU_OPCODE) & 0x7ff);
  }
  const [, number] = /^st([0-7])$/.exec(name) ?? [];
  if (number === undefined) return undefined;
  const slot = FPU_REG[((word(FPU_STATUS) >> 11) + Number(number)) % REGISTERS] as Slot;
  return BigInt(word(slot)) | (BigInt(word(slot, 1)) << 32n) | (BigInt(word(slot, 2) & 0xffff) << 64n);
}

function tagWord(words: Uint32Array, full: number): number {
  return FPU_REG.reduce((tags, slot, i) => tags | (((full >> i) & 1) === 0 ? TAG.EMPTY << (2 * i) : tagOf(words, slot) << (2 * i)), 0);
}

function tagOf(words: Uint32Array, slot: Slot): number {
  const [low, high, top] = [0, 1, 2].map((i) => words[slot.offset / 4 + i] as number) as [number, number, number];
  const exponent = top & EXPONENT;
  if (exponent === 0) return low === 0 && high === 0 ? TAG.ZERO : TAG.SPECIAL;
  return exponent === EXPONENT || high < INTEGER_BIT ? TAG.SPECIAL : TAG.VALID;
}

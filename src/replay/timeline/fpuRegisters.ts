/**
 * The x87 registers by the names that debuggers have for them: st0 is the top of the stack, ftag has two bits a
 * register.
 */
import { FPU_CONTROL, FPU_DP, FPU_IP, FPU_OPCODE, FPU_REG, FPU_STATUS, FPU_TAGS, type Slot } from '../../layout/cpuState.js';

const REGISTERS = 8;
const TAG = { VALID: 0, ZERO: 1, SPECIAL: 2, EMPTY: 3 } as const;
const EXPONENT = 0x7fff;
const INTEGER_BIT = 0x8000_0000;

export const FPU_NAMES: readonly string[] = [...Array.from({ length: REGISTERS }, (_, i) => `st${i}`), 'fctrl', 'fstat', 'ftag', 'fiseg', 'fioff', 'foseg', 'fooff', 'fop'];

/** Sets one, in the CPU state. False if no register has this name. */
export function setFpuRegister(words: Uint32Array, name: string, value: bigint): boolean {
  const set = (slot: Slot, bits: number, index = 0): true => {
    words[slot.offset / 4 + index] = Number(BigInt.asUintN(bits, value));
    return true;
  };
  switch (name) {
    case 'fctrl':
      return set(FPU_CONTROL, 16);
    case 'fstat':
      return set(FPU_STATUS, 16);
    case 'ftag':
      words[FPU_TAGS.offset / 4] = FPU_REG.reduce((full, _, i) => full | (((Number(value) >> (2 * i)) & 3) === TAG.EMPTY ? 0 : 1 << i), 0);
      return true;
    case 'fioff':
      return set(FPU_IP, 32);
    case 'fiseg':
      return set(FPU_IP, 16, 1);
    case 'fooff':
      return set(FPU_DP, 32);
    case 'foseg':
      return set(FPU_DP, 16, 1);
    case 'fop':
      return set(FPU_OPCODE, 11);
  }
  const slot = stackRegister(words, name);
  if (slot === undefined) return false;
  const parts = [value, value >> 32n, BigInt.asUintN(16, value >> 64n)];
  parts.forEach((part, i) => (words[slot.offset / 4 + i] = Number(BigInt.asUintN(32, part))));
  words[FPU_TAGS.offset / 4] = (words[FPU_TAGS.offset / 4] as number) | (1 << FPU_REG.indexOf(slot));
  return true;
}

function stackRegister(words: Uint32Array, name: string): Slot | undefined {
  const [, number] = /^st([0-7])$/.exec(name) ?? [];
  return number === undefined ? undefined : FPU_REG[(((words[FPU_STATUS.offset / 4] as number) >> 11) + Number(number)) % REGISTERS];
}

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
  const slot = stackRegister(words, name);
  return slot === undefined ? undefined : BigInt(word(slot)) | (BigInt(word(slot, 1)) << 32n) | (BigInt(word(slot, 2) & 0xffff) << 64n);
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

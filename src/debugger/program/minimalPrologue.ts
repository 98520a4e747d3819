/** Where gdb stops in a function that it knows nothing of but the symbol: after `push %rbp; mov %rsp,%rbp`, if it begins so. */
import type { ProgramView } from './programView.js';

const ENDBR64 = [0xf3, 0x0f, 0x1e, 0xfa];
const SET_UP = [[0x55, 0x48, 0x89, 0xe5], [0x55, 0x48, 0x8b, 0xec]];
const MOST = 8;

export function afterEntry(program: ProgramView, entry: bigint): bigint {
  const code = program.memory(entry, MOST);
  if (code === undefined) return entry;
  const begins = (bytes: readonly number[], at: number): boolean => bytes.every((byte, i) => code[at + i] === byte);
  const start = begins(ENDBR64, 0) ? ENDBR64.length : 0;
  if (SET_UP.some((bytes) => begins(bytes, start))) return entry + BigInt(start + 4);
  return entry + BigInt(start);
}

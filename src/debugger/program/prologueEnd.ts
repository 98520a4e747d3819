/**
 * Where a function has set up its frame, by its first instructions, as gdb finds it when it knows nothing else, or
 * steps into it.
 */
import type { ProgramView } from './programView.js';

const ENDBR64 = [0xf3, 0x0f, 0x1e, 0xfa];
const SET_UP = [[0x55, 0x48, 0x89, 0xe5], [0x55, 0x48, 0x8b, 0xec]];
const MOST = 8;

/** After `push %rbp; mov %rsp,%rbp`, if the function begins so. */
export function afterEntry(program: ProgramView, entry: bigint): bigint {
  const code = program.memory(entry, MOST);
  if (code === undefined) return entry;
  const begins = (bytes: readonly number[], at: number): boolean => bytes.every((byte, i) => code[at + i] === byte);
  const start = begins(ENDBR64, 0) ? ENDBR64.length : 0;
  if (SET_UP.some((bytes) => begins(bytes, start))) return entry + BigInt(start + 4);
  return entry;
}

/** The same, and on to the end of the line that it is in the middle of. */
export function prologueEnd(program: ProgramView, entry: bigint): bigint {
  const after = afterEntry(program, entry);
  const module = program.moduleAt(after);
  const range = module?.file.lineRangeAt(Number(after - module.bias));
  if (module === undefined || range === undefined || BigInt(range.start) + module.bias === after) return after;
  const end = BigInt(range.end) + module.bias;
  const symbol = program.symbols.at(entry)?.symbol;
  return symbol !== undefined && end < symbol.address + BigInt(symbol.size) ? end : after;
}

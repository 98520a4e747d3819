/**
 * The auxiliary vector: what the kernel tells a program about where it was loaded. It lies on the stack of a process
 * that has not run yet. Memory may hold anything; what makes no sense is as if it were not there.
 */
import type { ProgramView } from './programView.js';

/** Types of entries. */
export const AUX = { BASE: 7 } as const;

const WORD = 8n;
const ENTRY = 16n;
const MOST_ENTRIES = 10_000;

/** Its bytes, while the program stands at its first instruction: there are argc, arguments, environment, vector. */
export function auxiliaryVector(program: ProgramView): Uint8Array {
  const stack = program.register('rsp') ?? 0n;
  let start = stack + WORD * ((program.pointer(stack) ?? 0n) + 2n);
  for (let left = MOST_ENTRIES; left > 0 && (program.pointer(start) ?? 0n) !== 0n; left--) start += WORD;
  start += WORD;
  for (let end = start, left = MOST_ENTRIES; left > 0; left--, end += ENTRY) {
    const type = program.pointer(end);
    if (type === undefined) break;
    if (type === 0n) return program.memory(start, Number(end + ENTRY - start)) ?? new Uint8Array(0);
  }
  return new Uint8Array(0);
}

/** The value of an entry; undefined if there is none. */
export function auxiliaryValue(vector: Uint8Array, type: number): bigint | undefined {
  const view = new DataView(vector.buffer, vector.byteOffset, vector.length);
  for (let at = 0; at + Number(ENTRY) <= vector.length; at += Number(ENTRY)) {
    if (view.getBigUint64(at, true) === BigInt(type)) return view.getBigUint64(at + Number(WORD), true);
  }
  return undefined;
}

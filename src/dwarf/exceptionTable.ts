/**
 * Tables for exceptions (.gcc_except_table), as C++ and other languages of GCC and LLVM have them: which calls of a
 * function have a handler, and where. Only the handlers' places are read.
 */
import { DwarfReader } from './dwarfReader.js';
import { readPointer } from './pointerEncoding.js';

const OMITTED = 0xff;
const NAME = '.gcc_except_table';

/**
 * Where handlers begin, each once. `bytes` begin with the table at `address`; `start` is where the described code
 * begins.
 */
export function handlersIn(bytes: Uint8Array, address: number, start: number): number[] {
  const reader = new DwarfReader(NAME, bytes);
  const bases = { section: address, function: start };
  const base = readPointer(reader, reader.u8(), bases) ?? start;
  if (reader.u8() !== OMITTED) reader.uleb();
  const encoding = reader.u8();
  const length = reader.uleb();
  const handlers = new Set<number>();
  for (const end = reader.position + length; reader.position < end; ) {
    // Numbers here are relative to nothing.
    readPointer(reader, encoding, bases);
    readPointer(reader, encoding, bases);
    const handler = readPointer(reader, encoding, bases);
    reader.uleb();
    if (handler !== undefined && handler !== 0) handlers.add(base + handler);
  }
  return [...handlers];
}

/**
 * Bytes that were copied one by one, or a few at a time: each went through a register, and together they came from one
 * place in memory.
 */
import type { Work } from '../replay/timeline/work.js';
import { type ByteSource, bytesFrom, constantByte, MADE, registerOffset } from './copies/byteSources.js';
import type { RegisterSearch } from './registerSearch.js';
import type { Step } from './steps.js';

/** Copies from register to register on the way. */
const MOST_COPIES = 4;

export class Pieces {
  constructor(private readonly registers: RegisterSearch) {}

  /** What an instruction stores from registers: where it was in memory before. */
  async behindRegisters(bytes: readonly ByteSource[], step: Step, work: Work | undefined): Promise<ByteSource[]> {
    const found = [...bytes];
    for (let first = 0; first < found.length;) {
      const size = runLength(bytes, first);
      const offset = registerOffset(bytes[first] as ByteSource);
      if (offset !== undefined) found.splice(first, size, ...(await this.behind({ kind: 'register', offset, size }, step, work)));
      first += size;
    }
    return found;
  }

  private async behind(place: { readonly kind: 'register'; readonly offset: number; readonly size: number }, step: Step, work: Work | undefined): Promise<ByteSource[]> {
    let [where, when] = [place, step];
    for (let copies = 0; copies < MOST_COPIES; copies++) {
      const setting = await this.registers.setting(where, when.thread, when.time, when.words, work);
      if (setting.kind !== 'instruction') break;
      const { came } = setting;
      if (came.kind === 'constant') return Array.from({ length: place.size }, (_, i) => constantByte(Number((came.value >> BigInt(8 * i)) & 0xffn)));
      if (came.kind !== 'copy' || came.from.size !== place.size) break;
      const { from } = came;
      if (from.kind === 'memory') return bytesFrom(from);
      [where, when] = [from, setting.step];
    }
    return Array<ByteSource>(place.size).fill(MADE);
  }
}

/** Bytes that lie one after the other. */
function runLength(bytes: readonly ByteSource[], first: number): number {
  let size = 1;
  while (first + size < bytes.length && bytes[first + size] === (bytes[first] as number) + size) size++;
  return size;
}

/**
 * Translations that all processes of a run share. What a block is translated to depends on nothing but its
 * address and its bytes, so a process that finds the same bytes at the same address can take over what
 * another one has made: a shell runs the same programs again and again, and translating costs far more than
 * looking up. Whether the bytes are the same is looked at each time.
 */
import { type BytecodeMap, ConstantPool, type ConstantUse } from '../jit/bytecodeEncoder.js';

export interface Translation {
  readonly start: number;
  readonly next: number;
  readonly instructions: number;
  readonly map: BytecodeMap;
  /** The bytecode as it was encoded; it can be put anywhere. */
  readonly bytecode: Uint8Array;
  /** Where it names constants of `pool`: who has another pool has other numbers for them. */
  readonly constants: readonly ConstantUse[];
  readonly pool: ConstantPool;
}

interface Entry extends Translation {
  /** The guest's code. */
  readonly source: Uint8Array;
}

/** Programs that have different code at the same address. */
const MOST_VARIANTS = 16;
const MOST_BYTES = 192 * 1024 * 1024;
const CHUNK = 1 << 20;

export class TranslationLibrary {
  private readonly entries = new Map<number, Entry[]>();
  private chunk = new Uint8Array(0);
  private used = 0;
  private bytes = 0;
  private pool = new ConstantPool();

  /** For a process that starts with no code: the more of them have the same pool, the less there is to do. */
  poolForNewcomer(): ConstantPool {
    if (this.pool.isNearlyFull) this.pool = new ConstantPool();
    return this.pool;
  }

  /** `fetch` gets as many bytes of executable memory as there are, up to a length. */
  find(address: number, fetch: (address: number, length: number) => Uint8Array): Translation | undefined {
    const variants = this.entries.get(address);
    if (variants === undefined) return undefined;
    const longest = Math.max(...variants.map(({ source }) => source.length));
    const code = fetch(address, longest);
    return variants.find(({ source }) => isPrefix(source, code));
  }

  store(translation: Translation, source: Uint8Array): void {
    if (this.bytes > MOST_BYTES) return;
    const { start } = translation;
    const variants = this.entries.get(start) ?? [];
    if (variants.length >= MOST_VARIANTS) return;
    variants.push({ ...translation, bytecode: this.keep(translation.bytecode), source: this.keep(source) });
    this.entries.set(start, variants);
  }

  /** Many small copies in few large buffers. */
  private keep(bytes: Uint8Array): Uint8Array {
    if (this.used + bytes.length > this.chunk.length) {
      this.chunk = new Uint8Array(Math.max(CHUNK, bytes.length));
      this.used = 0;
      this.bytes += this.chunk.length;
    }
    const copy = this.chunk.subarray(this.used, this.used + bytes.length);
    copy.set(bytes);
    this.used += bytes.length;
    return copy;
  }
}

function isPrefix(source: Uint8Array, code: Uint8Array): boolean {
  if (source.length > code.length) return false;
  for (let i = 0; i < source.length; i++) if (source[i] !== code[i]) return false;
  return true;
}

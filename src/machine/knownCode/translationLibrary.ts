/**
 * Translations that all processes of a run share. What a block is translated to depends on nothing but its
 * address and its bytes, so a process that finds the same bytes at the same address can take over what
 * another one has made: a shell runs the same programs again and again, and translating costs far more than
 * looking up. Whether the bytes are the same is looked at each time.
 */
import { type BytecodeMap, ConstantPool, type ConstantUse } from '../../jit/bytecodeEncoder.js';

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

/** Translations that earlier runs have left. */
export interface StoredTranslations {
  /** What their constants are numbered by. */
  readonly pool: ConstantPool;
  find(address: number, fetch: Fetch): Translation | undefined;
  /** All of them, with their code. */
  all(): Iterable<StoredTranslation>;
  readonly count: number;
}

/** As many bytes of executable memory as there are, up to a length. */
export type Fetch = (address: number, length: number) => Uint8Array;

export interface StoredTranslation extends Translation {
  /** The guest's code. */
  readonly source: Uint8Array;
}

/** Programs that have different code at the same address. */
const MOST_VARIANTS = 16;
const MOST_BYTES = 192 * 1024 * 1024;
const CHUNK = 1 << 20;

export class TranslationLibrary {
  private readonly entries = new Map<number, StoredTranslation[]>();
  private chunk = new Uint8Array(0);
  private used = 0;
  private bytes = 0;
  private added = 0;
  private pool: ConstantPool;

  constructor(private readonly stored?: StoredTranslations) {
    this.pool = stored?.pool ?? new ConstantPool();
  }

  /** For a process that starts with no code: the more of them have the same pool, the less there is to do. */
  poolForNewcomer(): ConstantPool {
    if (this.pool.isNearlyFull) this.pool = new ConstantPool();
    return this.pool;
  }

  /** `fetch` gets as many bytes of executable memory as there are, up to a length. */
  find(address: number, fetch: Fetch): Translation | undefined {
    const variants = this.entries.get(address);
    if (variants === undefined) return this.stored?.find(address, fetch);
    const longest = Math.max(...variants.map(({ source }) => source.length));
    const code = fetch(address, longest);
    return variants.find(({ source }) => isPrefix(source, code)) ?? this.stored?.find(address, fetch);
  }

  /** How many were not there before this run. */
  get newCount(): number {
    return this.added;
  }

  /** Those that were not there before this run. */
  *newOnes(): Iterable<StoredTranslation> {
    for (const variants of this.entries.values()) yield* variants;
  }

  store(translation: Translation, source: Uint8Array): void {
    if (this.bytes > MOST_BYTES) return;
    const { start } = translation;
    const variants = this.entries.get(start) ?? [];
    if (variants.length >= MOST_VARIANTS) return;
    variants.push({ ...translation, bytecode: this.keep(translation.bytecode), source: this.keep(source) });
    this.entries.set(start, variants);
    this.added++;
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

/** Whether `code` begins with `source`. */
export function isPrefix(source: Uint8Array, code: Uint8Array): boolean {
  if (source.length > code.length) return false;
  for (let i = 0; i < source.length; i++) if (source[i] !== code[i]) return false;
  return true;
}

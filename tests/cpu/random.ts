/** Random numbers that are the same everywhere: a generator per name, so that each case can be made again alone. */
export class Random {
  private a: number;
  private b = 0x9e3779b9;
  private c = 0x243f6a88;
  private counter = 1;

  constructor(name: string) {
    this.a = hash(name);
    for (let i = 0; i < 12; i++) this.u32();
  }

  /** sfc32. */
  u32(): number {
    const t = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + t) | 0;
    return t >>> 0;
  }

  u64(): bigint {
    return (BigInt(this.u32()) << 32n) | BigInt(this.u32());
  }

  below(limit: number): number {
    return this.u32() % limit;
  }

  /** True once in `n` times. */
  oneIn(n: number): boolean {
    return this.below(n) === 0;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  bytes(target: Uint8Array): Uint8Array {
    for (let i = 0; i < target.length; i++) target[i] = this.u32();
    return target;
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h;
}

/**
 * Instructions that are known to meet shadow, in registers or in memory. Code that propagates shadow takes it that no
 * others do, and leaves where that is wrong: what has no shadow costs little more than in code that only looks out.
 */
export class MetInstructions {
  private readonly addresses = new Set<number>();

  /** Whether it is news. */
  add(address: number): boolean {
    if (this.addresses.has(address)) return false;
    this.addresses.add(address);
    return true;
  }

  has(address: number): boolean {
    return this.addresses.has(address);
  }

  /** Whether there is one in [start, next). */
  anyIn(start: number, next: number): boolean {
    if (this.addresses.size === 0) return false;
    for (let address = start; address < next; address++) if (this.addresses.has(address)) return true;
    return false;
  }
}

/**
 * Instructions that are known to meet shadow, in registers or in memory, and those of them that are known to hand it
 * on. Code that propagates shadow takes it that no others do, and leaves where that is wrong: what has no shadow costs
 * no more than in code that only looks out.
 */
export class MetInstructions {
  /** Whether it hands shadow on. */
  private readonly known = new Map<number, boolean>();

  /** Whether it is news. */
  add(address: number, handsOn: boolean): boolean {
    const before = this.known.get(address);
    if (before === true || before === handsOn) return false;
    this.known.set(address, handsOn);
    return true;
  }

  has(address: number): boolean {
    return this.known.has(address);
  }

  handsOn(address: number): boolean {
    return this.known.get(address) === true;
  }

  /** Whether there is one in [start, next). */
  anyIn(start: number, next: number): boolean {
    if (this.known.size === 0) return false;
    for (let address = start; address < next; address++) if (this.known.has(address)) return true;
    return false;
  }
}

/**
 * Instructions whose loads of unwritten bytes are of no concern any more. Generated code looks into a table that
 * forgets (layout/memoryMap.ts); what it does not find there it asks for. So it need not be made anew when one more
 * becomes exempt.
 */
import { EXEMPT_ENTRIES, EXEMPT_SPREAD, EXEMPT_TABLE } from '../../layout/memoryMap.js';
import type { LinearMemory } from '../linearMemory.js';

export class ExemptInstructions {
  private readonly all = new Set<number>();

  constructor(private readonly linear: LinearMemory) {
    const table = EXEMPT_TABLE >>> 2;
    linear.u32.fill(0, table, table + EXEMPT_ENTRIES);
  }

  add(address: number): void {
    this.all.add(address);
    this.tell(address);
  }

  /** From now on generated code knows it, for a while. */
  has(address: number): boolean {
    const isExempt = this.all.has(address);
    if (isExempt) this.tell(address);
    return isExempt;
  }

  addresses(): readonly number[] {
    return [...this.all];
  }

  /** These are exempt, and no others. */
  restore(addresses: readonly number[]): void {
    this.linear.u32.fill(0, EXEMPT_TABLE >>> 2, (EXEMPT_TABLE >>> 2) + EXEMPT_ENTRIES);
    this.all.clear();
    for (const address of addresses) this.add(address);
  }

  private tell(address: number): void {
    const hash = Math.imul(address | 0, EXEMPT_SPREAD) >>> (32 - Math.log2(EXEMPT_ENTRIES));
    this.linear.u32[(EXEMPT_TABLE >>> 2) + hash] = address >>> 0;
  }
}

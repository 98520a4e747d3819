/** Which linear pages may differ from the last snapshot: a set that costs little per page and is cleared quickly. */
import { PAGE_TABLE_ENTRIES } from '../../layout/memoryMap.js';
import type { PageChanges } from '../pages.js';

export class ChangedPages implements PageChanges {
  private readonly isMember = new Uint8Array(PAGE_TABLE_ENTRIES);
  private readonly members: number[] = [];

  note(index: number): void {
    if (this.isMember[index] !== 0) return;
    this.isMember[index] = 1;
    this.members.push(index);
  }

  /** Visits every member. Pages that are noted meanwhile must be members already. */
  forEach(visit: (index: number) => void): void {
    for (const index of this.members) visit(index);
  }

  clear(): void {
    for (const index of this.members) this.isMember[index] = 0;
    this.members.length = 0;
  }
}

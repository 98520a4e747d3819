/** Room for pieces of code of ours in a process. */
import { PAGE_SIZE } from '../../base/types.js';
import { MAP } from '../../linux/memory/mmapFlags.js';
import type { Process } from '../../linux/process.js';
import { PROT } from '../../machine/addressSpace.js';

/** Bytes of each. */
const CODE_PLACE = 32;

export class CodePlaces {
  private next = 0;
  private end = 0;

  constructor(origin?: CodePlaces) {
    if (origin !== undefined) [this.next, this.end] = [origin.next, origin.end];
  }

  /** Undefined if there is no memory. */
  take(process: Process): number | undefined {
    if (!this.prepare(process)) return undefined;
    const place = this.next;
    this.next += CODE_PLACE;
    return place;
  }

  /** Sees to it that there is room for one at least: taking it does not map memory then. */
  prepare({ memory }: Process): boolean {
    if (this.next < this.end) return true;
    const page = memory.mmap({ address: 0, length: PAGE_SIZE, prot: PROT.READ | PROT.WRITE | PROT.EXEC, flags: MAP.PRIVATE | MAP.ANONYMOUS, offset: 0 }, null);
    if (page < 0) return false;
    [this.next, this.end] = [page, page + PAGE_SIZE];
    return true;
  }
}

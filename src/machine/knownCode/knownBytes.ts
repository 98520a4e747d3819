/** Guest code that was seen at addresses, put together from pieces. */
import { PAGE_SIZE, pageFloor } from '../../base/types.js';

interface Page {
  readonly bytes: Uint8Array;
  readonly isKnown: Uint8Array;
}

export class KnownBytes {
  private readonly pages = new Map<number, Page>();

  /** False if something else was there. */
  add(address: number, bytes: Uint8Array): boolean {
    for (let i = 0; i < bytes.length; i++) {
      const { page, offset } = this.place(address + i);
      if (page.isKnown[offset] === 1 && page.bytes[offset] !== bytes[i]) return false;
      page.bytes[offset] = bytes[i] as number;
      page.isKnown[offset] = 1;
    }
    return true;
  }

  /** As many as are known without a gap, up to a length. */
  fetch(address: number, length: number): Uint8Array {
    const found = new Uint8Array(length);
    for (let i = 0; i < length; i++) {
      const page = this.pages.get(pageFloor(address + i));
      const offset = (address + i) % PAGE_SIZE;
      if (page === undefined || page.isKnown[offset] === 0) return found.subarray(0, i);
      found[i] = page.bytes[offset] as number;
    }
    return found;
  }

  private place(address: number): { page: Page; offset: number } {
    const at = pageFloor(address);
    let page = this.pages.get(at);
    if (page === undefined) {
      page = { bytes: new Uint8Array(PAGE_SIZE), isKnown: new Uint8Array(PAGE_SIZE) };
      this.pages.set(at, page);
    }
    return { page, offset: address - at };
  }
}

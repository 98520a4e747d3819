/**
 * The bytes of an address space that are wanted, and by which nodes. Bytes are named by where they lie in linear
 * memory: blocks with addresses of their own (machine/views.ts) differ from others above bit 31 only.
 *
 * An aligned word of four bytes has one entry as long as its bytes are wanted by the same; if not, its entry says so,
 * and each byte has one in a page of bytes. Pages lie one after the other in an array, and a table says where.
 */
import { enlarged } from '../trace/stretch.js';
import { NO_WANTERS, SPLIT, type WanterSet, type Wanters } from './wanters.js';

const PAGE_BITS = 12;
const PAGE_BYTES = 1 << PAGE_BITS;
const IN_PAGE = PAGE_BYTES - 1;
const PAGES = 1 << (31 - PAGE_BITS);
const WORD_BYTES = 4;
const WORD_BITS = PAGE_BITS - 2;
const PAGE_WORDS = 1 << WORD_BITS;
const LINEAR = 0x7fff_ffff;
const FIRST_PAGES = 64;

export function linearOf(address: number): number {
  return (address | 0) & LINEAR;
}

export class MemoryWants {
  /** How many words have wanted bytes; also by page. */
  size = 0;
  private readonly counts = new Uint16Array(PAGES + 1);
  /** Where a page's words are. Page 0 of the array has none that is wanted, and is that of all that have none. */
  private readonly table = new Int32Array(PAGES + 1);
  private words = new Int32Array(FIRST_PAGES * PAGE_WORDS);
  private pages = 1;
  /** The same of single bytes, for pages with words that are split. */
  private readonly byteTable = new Int32Array(PAGES + 1);
  private bytes = new Int32Array(FIRST_PAGES * PAGE_BYTES);
  private bytePages = 1;

  constructor(private readonly wanters: Wanters) {}

  at(linear: number): WanterSet {
    const word = this.wordAt(linear);
    return word === SPLIT ? (this.bytes[((this.byteTable[linear >>> PAGE_BITS] as number) << PAGE_BITS) + (linear & IN_PAGE)] as number) : word;
  }

  set(linear: number, wanters: WanterSet): void {
    const own = this.wordAt(linear);
    if (own !== SPLIT && own === wanters) return;
    const at = this.bytePage(linear) + (linear & IN_PAGE);
    const first = at & ~(WORD_BYTES - 1);
    const { bytes } = this;
    if (own !== SPLIT) for (let i = 0; i < WORD_BYTES; i++) bytes[first + i] = own;
    bytes[at] = wanters;
    const isOne = bytes[first] === wanters && bytes[first + 1] === wanters && bytes[first + 2] === wanters && bytes[first + 3] === wanters;
    this.setWord(linear, isOne ? wanters : SPLIT);
  }

  /** Who wants the word that the byte is in; SPLIT: `at` knows of its bytes. */
  wordAt(linear: number): WanterSet {
    return this.words[((this.table[linear >>> PAGE_BITS] as number) << WORD_BITS) + ((linear & IN_PAGE) >> 2)] as number;
  }

  setWord(linear: number, wanters: WanterSet): void {
    const number = linear >>> PAGE_BITS;
    let page = this.table[number] as number;
    if (page === 0) {
      if (wanters === NO_WANTERS) return;
      page = this.table[number] = this.newPage();
    }
    const at = (page << WORD_BITS) + ((linear & IN_PAGE) >> 2);
    const before = this.words[at] as number;
    this.words[at] = wanters;
    if ((before === NO_WANTERS) === (wanters === NO_WANTERS)) return;
    const change = wanters === NO_WANTERS ? -1 : 1;
    this.size += change;
    this.counts[number] = (this.counts[number] as number) + change;
  }

  /** So many bytes are wanted by more. */
  add(linear: number, bytes: number, own: WanterSet): void {
    const end = linear + bytes;
    for (let at = linear; at < end; ) {
      if ((at & (WORD_BYTES - 1)) !== 0 || end - at < WORD_BYTES) {
        const before = this.at(at);
        if (before !== own) this.set(at, before === NO_WANTERS ? own : this.wanters.union(before, own));
        at++;
        continue;
      }
      const before = this.wordAt(at);
      if (before === NO_WANTERS) this.setWord(at, own);
      else if (before === SPLIT) for (let i = 0; i < WORD_BYTES; i++) this.set(at + i, this.wanters.union(this.at(at + i), own));
      else if (before !== own) this.setWord(at, this.wanters.union(before, own));
      at += WORD_BYTES;
    }
  }

  /** Whether any of so many bytes is wanted. */
  meets(linear: number, bytes: number): boolean {
    const end = linear + bytes;
    for (let at = linear; at < end; ) {
      if (this.counts[at >>> PAGE_BITS] === 0) {
        at = (at | IN_PAGE) + 1;
        continue;
      }
      const word = this.wordAt(at);
      const next = (at | (WORD_BYTES - 1)) + 1;
      if (word === SPLIT) {
        for (let byte = at; byte < next && byte < end; byte++) if (this.at(byte) !== NO_WANTERS) return true;
      } else if (word !== NO_WANTERS) return true;
      at = next;
    }
    return false;
  }

  /** Of so many bytes: those that are wanted, which they are no more. */
  take(linear: number, bytes: number, taken: (linear: number, wanters: WanterSet) => void): void {
    const end = linear + bytes;
    for (let number = linear >>> PAGE_BITS; number * PAGE_BYTES < end; number++) {
      if (this.counts[number] === 0 || this.counts[number] === undefined) continue;
      const first = number * PAGE_BYTES;
      for (let at = Math.max(first, linear); at < Math.min(first + PAGE_BYTES, end); at++) {
        const set = this.at(at);
        if (set === NO_WANTERS) continue;
        this.set(at, NO_WANTERS);
        taken(at, set);
      }
    }
  }

  /** All that is wanted, in order. */
  *all(): Generator<readonly [linear: number, wanters: WanterSet]> {
    for (let number = 0; number < PAGES; number++) {
      if (this.counts[number] === 0) continue;
      for (let at = number * PAGE_BYTES; at < (number + 1) * PAGE_BYTES; at++) {
        const wanters = this.at(at);
        if (wanters !== NO_WANTERS) yield [at, wanters];
      }
    }
  }

  /** Where the bytes of a page begin. */
  private bytePage(linear: number): number {
    const number = linear >>> PAGE_BITS;
    if (this.byteTable[number] === 0) {
      if (this.bytePages * PAGE_BYTES === this.bytes.length) this.bytes = enlarged(this.bytes, this.bytes.length * 2);
      this.byteTable[number] = this.bytePages++;
    }
    return (this.byteTable[number] as number) << PAGE_BITS;
  }

  private newPage(): number {
    if (this.pages * PAGE_WORDS === this.words.length) this.words = enlarged(this.words, this.words.length * 2);
    return this.pages++;
  }
}

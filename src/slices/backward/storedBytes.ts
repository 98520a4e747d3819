/** What an instruction stores: who wants it, byte by byte, and that they want it no more from before. */
import type { LoggedAccess } from '../../ir/loggedBlocks.js';
import { MEMORY } from '../graph.js';
import { rangeOf, sourceOf } from '../trace/accesses.js';
import type { CodeBlock } from '../trace/codeTable.js';
import type { Recipe, Recipes } from '../trace/recipes.js';
import { linearOf } from '../wants/memoryWants.js';
import { NO_WANTERS, SPLIT, type WanterSet } from '../wants/wanters.js';
import type { Standing } from './standing.js';

/** Bytes of a store that fit in a key of recipes. */
export const MOST_BYTES = 30;

export class StoredBytes {
  private readonly keys = new Int32Array(16);
  /** Of stores that have no key: the access, the byte, and where it was copied from, or -1. */
  private readonly sources: number[] = [];
  private sourceCount = 0;

  /** `want`: what an instruction of the block, by its place, wants for some of its outputs. */
  constructor(
    private readonly at: Standing,
    private readonly want: (i: number, recipe: Recipe, own: WanterSet) => void,
  ) {}

  /** Whether any of it is wanted. */
  take(i: number, { dependences }: Recipes): boolean {
    const { stretch, addresses } = this.at;
    const logged = (this.at.code as CodeBlock).accesses[i] as readonly LoggedAccess[];
    let isAny = false;
    this.sourceCount = 0;
    for (let k = 0; k < logged.length; k++) {
      const { isWrite, entry, bytes, count } = logged[k] as LoggedAccess;
      this.keys[k] = 0;
      if (!isWrite) continue;
      if (count !== undefined || bytes > MOST_BYTES) {
        if (this.takeMany(i, dependences.repeats, k)) isAny = true;
        continue;
      }
      const linear = linearOf(stretch.addresses[addresses + entry] as number);
      const key = ((linear | bytes) & 3) === 0 ? this.takeWords(linear, bytes, entry) : this.takeBytes(linear, bytes, entry, 0);
      this.keys[k] = key;
      if (key !== 0) isAny = true;
    }
    return isAny;
  }

  /** Words that lie right. Returns a bit for each byte that was wanted. */
  private takeWords(linear: number, bytes: number, entry: number): number {
    const { memory, recorder } = this.at;
    let key = 0;
    for (let byte = 0; byte < bytes; byte += 4) {
      const set = memory.wordAt(linear + byte);
      if (set === SPLIT) {
        key |= this.takeBytes(linear + byte, 4, entry, byte) << byte;
        continue;
      }
      if (recorder.isGood) recorder.stored(entry, byte, true, set !== NO_WANTERS);
      if (set === NO_WANTERS) continue;
      memory.setWord(linear + byte, NO_WANTERS);
      this.at.note(this.at.withoutRestores(set), MEMORY + this.at.stretch.fullAddress(this.at.addresses + entry) + byte);
      key |= 0xf << byte;
    }
    return key;
  }

  private takeBytes(linear: number, bytes: number, entry: number, from: number): number {
    const { memory, recorder } = this.at;
    let key = 0;
    for (let byte = 0; byte < bytes; byte++) {
      const set = memory.at(linear + byte);
      if (recorder.isGood) recorder.stored(entry, from + byte, false, set !== NO_WANTERS);
      if (set === NO_WANTERS) continue;
      memory.set(linear + byte, NO_WANTERS);
      this.at.note(this.at.withoutRestores(set), MEMORY + this.at.stretch.fullAddress(this.at.addresses + entry) + from + byte);
      key |= 1 << byte;
    }
    return key;
  }

  /** Of a repeated store, or one of a whole image: bytes are put away, and in pairs of access and byte. */
  private takeMany(i: number, repeats: string | undefined, access: number): boolean {
    const { stretch, addresses, memory } = this.at;
    this.at.recorder.isGood = false;
    const logged = (this.at.code as CodeBlock).accesses[i] as readonly LoggedAccess[];
    const { entry, bytes, count } = logged[access] as LoggedAccess;
    const address = stretch.fullAddress(addresses + entry);
    const elements = count === undefined ? 1 : (stretch.addresses[addresses + count] as number) | 0;
    const range = rangeOf(address, elements, bytes);
    if (range.bytes === 0 || !memory.meets(linearOf(range.address), range.bytes)) return false;
    const source = repeats === 'rep.movs' ? stretch.fullAddress(addresses + (logged[0] as LoggedAccess).entry) : undefined;
    for (let byte = 0; byte < range.bytes; byte++) {
      const linear = linearOf(range.address + byte);
      const set = memory.at(linear);
      if (set === NO_WANTERS) continue;
      memory.set(linear, NO_WANTERS);
      this.at.note(this.at.withoutRestores(set), MEMORY + range.address + byte);
      const from = source === undefined ? -1 : linearOf(sourceOf(range.address + byte, source, address, elements, bytes));
      this.sources[this.sourceCount++] = access;
      this.sources[this.sourceCount++] = byte;
      this.sources[this.sourceCount++] = from;
    }
    return true;
  }

  wantFor(i: number, recipes: Recipes, own: WanterSet): void {
    const { length } = (this.at.code as CodeBlock).accesses[i] as readonly LoggedAccess[];
    for (let k = 0; k < length; k++) if (this.keys[k] !== 0) this.want(i, recipes.forStored(k, this.keys[k] as number), own);
    const { sources } = this;
    for (let k = 0; k < this.sourceCount; k += 3) {
      this.want(i, recipes.forStoredByte(sources[k] as number, sources[k + 1] as number), own);
      if ((sources[k + 2] as number) >= 0) this.at.memory.add(sources[k + 2] as number, 1, own);
    }
  }
}

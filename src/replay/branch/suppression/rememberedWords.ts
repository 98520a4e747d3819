/**
 * Words of stacks as they were before corrupt data overwrote them. A return address that has been overwritten is
 * wanted again: the function returns to where it was called from. So are registers that it has saved.
 *
 * What is overwritten need not be such a word. Only who takes one back with `ret`, `pop` or `leave` asks.
 */

const WORD = 8;
/** How far above the stack pointer is looked at. */
const FARTHEST = 8 * 1024 * 1024;
const MOST_WORDS = 1 << 16;
/** Of one store. */
const LONGEST = 1 << 16;

interface StackMemory {
  memory(address: number, bytes: number): bigint;
  memoryBits(address: number, bytes: number): bigint;
}

export class RememberedWords {
  private readonly words = new Map<number, bigint>();

  /** Corrupt data is about to be stored. */
  note(machine: StackMemory, stackPointer: number, address: number, bytes: number): void {
    if (address + bytes <= stackPointer || address > stackPointer + FARTHEST || bytes > LONGEST) return;
    if (this.words.size > MOST_WORDS) this.words.clear();
    for (let at = Math.floor(Math.max(address, stackPointer) / WORD) * WORD; at < address + bytes; at += WORD) {
      if (machine.memoryBits(at, WORD) === 0n) this.words.set(at, machine.memory(at, WORD));
    }
  }

  /** The word that is put there is the one that is wanted. */
  keep(address: number, word: bigint): void {
    this.words.set(address, word);
  }

  /** What was there while it was clean; asked of a word that is not. */
  at(address: number): bigint | undefined {
    return this.words.get(address);
  }
}

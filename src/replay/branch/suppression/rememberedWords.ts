/**
 * Words of stacks as they were before corrupt data overwrote them. A return address that has been overwritten is
 * wanted again: the function returns to where it was called from. So are registers that it has saved.
 *
 * What is overwritten need not be such a word. Only who takes one back with `ret`, `pop` or `leave` asks.
 */
import { STACK_REACH } from '../../../layout/memoryMap.js';

const WORD = 8;
const MOST_WORDS = 1 << 16;
/** Of one store. */
const LONGEST = 1 << 16;

interface StackMemory {
  memory(address: number, bytes: number): bigint;
  memoryBits(address: number, bytes: number): bigint;
}

export interface StackWord {
  readonly address: number;
  readonly word: bigint;
}

/** Words of the stack without corrupt data that a store is about to overwrite. */
export function wordsAt(machine: StackMemory, stackPointer: number, address: number, bytes: number): readonly StackWord[] {
  if (address + bytes <= stackPointer || address > stackPointer + STACK_REACH || bytes > LONGEST) return [];
  const words: StackWord[] = [];
  for (let at = Math.floor(Math.max(address, stackPointer) / WORD) * WORD; at < address + bytes; at += WORD) {
    if (machine.memoryBits(at, WORD) === 0n) words.push({ address: at, word: machine.memory(at, WORD) });
  }
  return words;
}

export class RememberedWords {
  private readonly words = new Map<number, bigint>();

  /** Corrupt data has been stored there. */
  overwritten(address: number, word: bigint): void {
    if (this.words.size > MOST_WORDS) this.words.clear();
    this.words.set(address, word);
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

/**
 * Memory that repeated string instructions access, as the log has it: the first element's address and how many there
 * are.
 */
import { movedFrom } from '../../ir/meaning/strings.js';

interface Bytes {
  readonly address: number;
  readonly bytes: number;
}

/** `count` is negative if the elements after the first lie below it. */
export function rangeOf(first: number, count: number, size: number): Bytes {
  const elements = Math.abs(count);
  return { address: count < 0 ? first - (elements - 1) * size : first, bytes: elements * size };
}

/** Where rep movs took the byte from that it left at an address. */
export function sourceOf(address: number, source: number, target: number, count: number, size: number): number {
  return movedFrom({ size, isBackward: count < 0, source, target, count: Math.abs(count) }, address);
}

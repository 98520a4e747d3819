/**
 * Functions that copy memory. What has not been written may be copied; the copy is then as undefined as the original.
 * The functions' own code cannot be asked to see to that, because it reads in whole vectors; so where the source has
 * unwritten bytes, we copy in their place.
 */
import { guestAddr } from '../../base/types.js';
import { RAX, RDI, RDX, RSI, RSP } from '../../layout/cpuState.js';
import type { Process } from '../../linux/process.js';
import type { AddressSpace } from '../../machine/addressSpace.js';

/** Whether the end of the copy is returned, or its begin. */
const RESULT: ReadonlyMap<string, 'begin' | 'end'> = new Map([
  ['memcpy', 'begin'], ['memmove', 'begin'], ['mempcpy', 'end'], ['__memcpy_chk', 'begin'], ['__memmove_chk', 'begin'], ['__mempcpy_chk', 'end'],
]);

/** Larger ones are left to the program. */
const LARGEST = 1 << 20;

export function isCopying(name: string): boolean {
  return RESULT.has(name);
}

/** Whether a function with these arguments would copy unwritten bytes. */
export function copiesUnwritten(space: AddressSpace, from: number, length: number): boolean {
  return length <= LARGEST && space.unwritten?.firstIn(from, length) !== undefined;
}

/**
 * Does what the function does, if it would copy unwritten bytes, and returns to its caller. False: the program has to
 * do it.
 */
export function copyInPlaceOf(name: string, { cpu, space }: Process): boolean {
  const [to, from, length, stack] = [cpu.num(RDI), cpu.num(RSI), cpu.num(RDX), cpu.num(RSP)];
  if (!isCopying(name) || !copiesUnwritten(space, from, length)) return false;
  const isPossible = space.resolve(from, length, 'read').ok && space.resolve(to, length, 'write').ok && space.resolve(stack, 8, 'read').ok;
  if (!isPossible) return false;
  const copied = space.unwritten?.copyOf(from, length);
  space.write(to, space.read(from, length));
  copied?.(to);
  cpu.setNum(RAX, RESULT.get(name) === 'end' ? to + length : to);
  cpu.rip = guestAddr(space.readNum64(stack));
  cpu.setNum(RSP, stack + 8);
  return true;
}

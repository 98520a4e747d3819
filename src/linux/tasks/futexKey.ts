/** Which futex an address means. */
import type { Process } from '../process.js';
import type { FutexKey } from './futexes.js';

/** `isPrivate`: the program promises that no other process uses it. */
export function futexKey(process: Process, address: number, isPrivate: boolean): FutexKey {
  const m = isPrivate ? undefined : process.space.find(address);
  if (m?.shared === true && m.file !== undefined) {
    return { scope: process.world.sharedObjects.of(m.file), place: m.fileOffset + (address - m.start) };
  }
  return { scope: process.machine, place: address };
}

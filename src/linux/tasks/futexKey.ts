/** Which futex an address means. */
import type { Process } from '../process.js';
import type { FutexKey } from './futexes.js';

/** `isPrivate`: the program promises that no other process uses it. */
export function futexKey(process: Process, address: number, isPrivate: boolean): FutexKey {
  const mapping = isPrivate ? undefined : process.space.find(address);
  if (mapping?.shared !== true || mapping.file === undefined) return { scope: process.machine, place: address };
  return { scope: process.world.sharedObjects.of(mapping.file), place: address - mapping.start + mapping.fileOffset };
}

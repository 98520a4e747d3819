/** Which futex an address means. */
import type { Process } from '../process.js';
import type { FutexKey } from './futexes.js';

/** `isPrivate`: the program promises that no other process uses it. */
export function futexKey(process: Process, address: number, _isPrivate: boolean): FutexKey {
  return { scope: process.machine, place: address };
}

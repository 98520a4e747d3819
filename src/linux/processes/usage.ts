/** struct rusage of processes that have ended. */
import type { Process } from '../process.js';

const RUSAGE_SIZE = 144;
const SECOND = 1e9;

/** Writes it to the memory of `p`. Time is in nanoseconds; all of it counts as the program's own. */
export function writeUsage(p: Process, address: number, time: number, peakBytes: number): void {
  const bytes = new Uint8Array(RUSAGE_SIZE);
  const view = new DataView(bytes.buffer);
  view.setBigInt64(0, BigInt(Math.floor(time / SECOND)), true);
  view.setBigInt64(8, BigInt(Math.floor((time % SECOND) / 1000)), true);
  view.setBigInt64(32, BigInt(Math.floor(peakBytes / 1024)), true);
  p.space.write(address, bytes);
}

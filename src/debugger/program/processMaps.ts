/** What /proc/PID/maps would have said of the process, but for the kernel's own page. */
import { mapLine } from '../../base/mapLine.js';
import type { ProgramView } from './programView.js';

/** One character a byte. */
export function processMaps({ state, thread }: ProgramView): string {
  return state.mappings(thread.id).map((mapping) => `${mapLine(mapping)}\n`).join('');
}

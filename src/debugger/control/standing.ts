/** Where one stands when something has happened. */
import { at, type Position } from '../../replay/log/position.js';
import type { Hit } from '../../replay/timeline/conditions.js';

/**
 * At one time the kernel may act several times before the next instruction. `behind events`: all of that has happened,
 * so that the next thing is an instruction. `behind instructions`: nothing of it has. gdb wants that of gdbserver: it
 * steps a thread over a breakpoint while it has taken all others out, and another thread that gets its turn meanwhile
 * would run past them.
 */
export type Standing = 'behind events' | 'behind instructions';

/** Where what the hit tells of has happened. */
export function behind({ position: { time, done }, access }: Hit, standing: Standing): Position {
  if (done !== Infinity) return at(time, done + 1);
  if (standing === 'behind events') return at(time + 1);
  // What the kernel writes in a system call is the first thing that it does after the instruction.
  return at(time + 1, access?.by === 'kernel' ? 1 : 0);
}

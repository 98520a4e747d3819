/**
 * A place in a recording. Time is the number of retired instructions. At one time the kernel may act several
 * times (a system call ends, and the next instruction faults): `done` says how many of these events have
 * had their effect. All of them, unless said otherwise: the state at a time is that right before the next
 * instruction. With fewer one sees the instruction that faults, or the program that is about to end.
 */
import { time as branded, type Time } from '../../base/types.js';

export interface Position {
  readonly time: Time;
  readonly done: number;
}

export function at(time: number, done = Infinity): Position {
  return { time: branded(time), done };
}

/** Negative if `a` comes first, 0 if they are the same. */
export function comparePositions(a: Position, b: Position): number {
  if (a.time !== b.time) return a.time - b.time;
  return a.done === b.done ? 0 : a.done - b.done;
}

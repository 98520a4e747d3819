import type { Time } from '../types.js';

export const BEGINNING: Time = -Infinity;
export const END: Time = Infinity;

/** The first time after this one: an item at `t` takes [t, timeAfter(t)) of the axis. */
export function timeAfter(time: Time): Time {
  if (time === 0) return Number.MIN_VALUE;
  if (!Number.isFinite(time)) return time;
  // Half of the distance to the next number, which is rounded up, except at powers of two, where it is rounded down.
  const half = Math.abs(time) * 2 ** -53;
  return time + half > time ? time + half : time + 2 * half;
}

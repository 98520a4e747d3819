/**
 * A scan in steps, so that others get their turn and checkpoints can be made. Steps grow, because each costs something
 * by itself; where there are many hits they become short again, because the listener thinks about each.
 */
import type { Player } from '../play/player.js';
import { at, type Position } from '../log/position.js';
import type { Scan } from './scan.js';

/** Instructions. The longest one takes a fraction of a second: a search that is given up ends no later. */
const FIRST_STEP = 8192;
const LONGEST_STEP = 16_000_000;
const SHORTEST_STEP = 256;
const MANY_HITS = 256;

/**
 * From where the player stands up to `to`. Yields where it stands between two steps; returns false if the listener
 * ended it.
 */
export function* inSteps(
  scan: Scan, player: Player, to: Position, nextStop: (time: number) => number = () => Infinity,
): Generator<Position, boolean, void> {
  let step = FIRST_STEP;
  for (;;) {
    const stop = Math.min(nextStop(player.time), player.time + step);
    const isLast = stop >= to.time;
    const { hits } = scan;
    if (!scan.run(isLast ? to : at(stop))) return false;
    if (isLast) return true;
    step = scan.hits - hits > MANY_HITS ? Math.max(SHORTEST_STEP, step >> 2) : Math.min(LONGEST_STEP, step * 2);
    yield at(stop);
  }
}

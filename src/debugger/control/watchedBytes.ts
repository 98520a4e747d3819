/** Whether a watched value has changed: the bytes that it consists of, before and after an access. */
import type { Hit, MemoryRange } from '../../replay/timeline/conditions.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { State } from '../../replay/timeline/state.js';
import { behind, type Standing } from './standing.js';
import type { Direction } from './stops.js';

/** One for each range; null where a byte is not there. */
export type WatchedBytes = readonly (Uint8Array | null)[];

export function watchedBytes(state: State, thread: number, ranges: readonly MemoryRange[]): WatchedBytes {
  return ranges.map(({ start, end }) => state.read(thread, start, end - start));
}

export function isSameBytes(a: WatchedBytes, b: WatchedBytes): boolean {
  return a.length === b.length && a.every((bytes, i) => isSame(bytes, b[i] ?? null));
}

function isSame(a: Uint8Array | null, b: Uint8Array | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** How to go around a hit. */
interface Around {
  readonly execution: Execution;
  readonly direction: Direction;
  readonly standing: Standing;
}

/**
 * What `look` comes to before and after the access of a hit, at which the execution stands. It stands then behind the
 * access in the direction of the run: going back, that is before it. It is one instruction: to be able to give it up
 * would cost more.
 */
export async function around<T>({ execution, direction, standing }: Around, hit: Hit, look: (state: State) => T): Promise<readonly [before: T, after: T]> {
  const here = execution.position;
  const before = look(execution.state);
  await execution.seek(behind(hit, standing));
  const after = look(execution.state);
  if (direction === 'backward') await execution.seek(here);
  return [before, after];
}

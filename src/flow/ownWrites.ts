/**
 * Who wrote to memory last, as a thread sees it: other processes have memory of their own at the same addresses, unless
 * they are those that this one was forked from.
 */
import type { Position } from '../replay/log/position.js';
import type { Hit, MemoryRange } from '../replay/timeline/conditions.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { State } from '../replay/timeline/state.js';
import type { Work } from '../replay/timeline/work.js';

export class OwnWrites {
  /** So many searches were made. */
  searches = 0;

  constructor(private readonly execution: Execution) {}

  /** Before `position`. The execution moves. */
  async last(ranges: readonly MemoryRange[], thread: number, position: Position, work?: Work): Promise<Hit | undefined> {
    this.searches++;
    const hit = await this.execution.lastWrite(ranges, position, work);
    if (hit === undefined || hit.task === thread) return hit;
    await this.execution.seek(hit.position, work);
    if (isSeenBy(thread, hit.task, this.execution.state)) return hit;
    await this.execution.seek(position, work);
    return this.execution.backward([{ kind: 'memory', access: 'write', ranges }], work, { accepts: (found, state) => isSeenBy(thread, found.task, state) });
  }
}

/**
 * Whether they share their memory. Before the thread's process was there, what another one did is what it was forked
 * with.
 */
function isSeenBy(thread: number, writer: number, { threads }: State): boolean {
  const pid = (id: number): number | undefined => threads.find((known) => known.id === id)?.pid;
  return pid(thread) === undefined || pid(thread) === pid(writer);
}

/**
 * When something of a second run happened in the recorded one. Times are others there, since allocation functions took
 * other ways; but code lies at the same addresses, and until something is corrupted the program goes the same way. So
 * the n-th time that a thread came to a line's first instruction is the n-th time in both.
 */
import { guestAddr } from '../../base/types.js';
import type { Debugger } from '../../debugger/control/debugger.js';
import { at, type Position } from '../../replay/log/position.js';
import type { Condition } from '../../replay/timeline/conditions.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { Work } from '../../replay/timeline/work.js';

interface SecondRunPlace {
  readonly time: number;
  /** The frame that it is about, as debuggers number it: 0 is the innermost. */
  readonly level: number;
}

/**
 * Where the recorded run begins the same line the same time. Undefined: it does not come there so often, or there are
 * no lines. `second` is a debugger on the second run. Both are moved.
 */
export async function recordedPosition(second: Debugger, recorded: Execution, { time, level }: SecondRunPlace, work?: Work): Promise<Position | undefined> {
  await second.goTo(at(time), work);
  const thread = second.thread?.id;
  const { module, stack } = second.selectFrame(level);
  const range = module?.file.lineRangeAt(stack.address);
  if (module === undefined || range === undefined || thread === undefined) return undefined;
  const conditions: readonly Condition[] = [{ kind: 'address', addresses: [guestAddr(range.start + Number(module.bias))] }];
  let wanted = 0;
  const { execution } = second;
  // The instruction itself is about to be executed at that time.
  await execution.each(conditions, ({ task }) => {
    if (task === thread) wanted++;
    return 'go on';
  }, execution.start, at(time + 1, 0), work);
  if (wanted === 0) return undefined;
  await recorded.seek(recorded.start, work);
  let seen = 0;
  const hit = await recorded.forward(conditions, work, { accepts: ({ task }) => task === thread && ++seen === wanted });
  return hit?.position;
}

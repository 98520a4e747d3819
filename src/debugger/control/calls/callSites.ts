/** From a call that was found to where it is made, and to what becomes of it. */
import { type GuestAddr, guestAddr } from '../../../base/types.js';
import { comparePositions, type Position } from '../../../replay/log/position.js';
import { memoryRange } from '../../../replay/timeline/conditions.js';
import type { Execution } from '../../../replay/timeline/execution.js';
import { quietly, type Work } from '../../../replay/timeline/work.js';
import type { CallCondition } from './callCondition.js';
import { CallTracker, memoryConditions, type TrackedCall } from './callTracker.js';

/** Instructions that call have so many bytes. */
const [SHORTEST_CALL, LONGEST_CALL] = [2, 9];
/** Instructions: no other call fits in. */
const SHORT_WAY = 5;
const NO_CODE: ReadonlyMap<number, undefined> = new Map();
const NOWHERE: ReadonlySet<number> = new Set();

/**
 * Right before the instruction that called: it wrote the return address that the function finds on the stack. Stubs,
 * the dynamic linker and functions that end in a jump to this one lie in between. If such a function has made other
 * calls of this one before its jump, those come first though they were made later: so that stops have one order, it
 * is the function's beginning then, as for what was not called, but jumped to in some other way. (Of functions of one
 * name that jump to each other, as a sized delete does to a plain one, the first.)
 *
 * The execution is somewhere else then.
 */
export async function callSite(execution: Execution, { entry, returnsTo }: TrackedCall, entries: readonly GuestAddr[], work: Work | undefined): Promise<Position> {
  const slot = memoryRange(guestAddr(Number(entry.stack)), 8);
  const hit = await execution.lastWrite([slot], entry.position, quietly(work));
  const length = hit === undefined ? 0 : returnsTo - hit.rip;
  const isCall = hit?.access?.by === 'program' && hit.task === entry.thread && length >= SHORTEST_CALL && length <= LONGEST_CALL;
  if (hit === undefined || !isCall) return entry.position;
  const { position: site, rip } = hit;
  if (entry.position.time - site.time < SHORT_WAY) return site;
  await execution.seek(entry.position, quietly(work));
  let first = entry.position;
  const between = await execution.backward([{ kind: 'address', addresses: [...entries, rip] }], quietly(work), {
    accepts: ({ position, task, rip: here }, state) => {
      if (comparePositions(position, site) <= 0) return true;
      const isSame = task === entry.thread && state.register(task, 'rsp') === entry.stack;
      if (here !== rip && isSame && comparePositions(position, first) < 0) first = position;
      return here !== rip && !isSame;
    },
  });
  return between !== undefined && comparePositions(between.position, site) > 0 ? first : site;
}

/** Whether a call meets the condition: looks at what comes after it. The execution is somewhere else then. */
export async function decide(execution: Execution, call: TrackedCall, condition: CallCondition, work: Work | undefined): Promise<boolean> {
  if (call.truth !== undefined) return call.truth;
  const tracker = new CallTracker({ entries: [], code: NO_CODE, when: condition, returns: NOWHERE }, [{ ...call, answers: [...call.answers] }]);
  let isMet = false;
  await execution.seek(call.entry.position, quietly(work));
  const conditions = [{ kind: 'address', addresses: [guestAddr(call.returnsTo)] } as const, ...memoryConditions(condition.questions)];
  await execution.forward(conditions, quietly(work), {
    accepts: (passed, state) => {
      isMet = tracker.sees(passed, state).length > 0;
      return tracker.undecided.length === 0;
    },
  });
  return isMet;
}

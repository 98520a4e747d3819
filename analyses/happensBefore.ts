/**
 * Do two threads access a variable without anything that orders the two accesses? Starting and joining threads, mutexes, condition variables
 * and semaphores order; accesses by instructions that are atomic are no race with each other.
 *
 *     culprit query bug.culprit analyses/happensBefore.ts counter
 */
import { args, UserError } from 'culprit/traces';
import { type Access, accessesTo, conflicts, report } from './parts/accesses.js';
import { vectorClocks } from './parts/vectorClocks.js';

const [variable] = args;
if (variable === undefined) throw new UserError('which variable? give its name after the script');
const clockAt = await vectorClocks();

/** The later thread knows what the earlier one was doing then. */
function isOrdered(prior: Access, access: Access): boolean {
  const done = clockAt(prior.thread, prior.time).get(prior.thread) ?? 0;
  return (clockAt(access.thread, access.time).get(prior.thread) ?? 0) >= done;
}

const LOCK_PREFIX = 0xf0;
const XCHG = [0x86, 0x87];

function isAtomic({ at }: Access): boolean {
  const [first = 0, second = 0] = at.memory(at.register('rip'), 2);
  return first === LOCK_PREFIX || XCHG.includes(first) || (first >= 0x40 && first < 0x50 && XCHG.includes(second));
}

await report(variable, conflicts(variable, accessesTo(variable), async (prior, access) => isOrdered(prior, access) || (isAtomic(prior) && isAtomic(access))));

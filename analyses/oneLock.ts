/**
 * Is a variable accessed by two threads, of which one does not hold the lock that it should? (thesis, 4.5)
 *
 *     culprit query bug.culprit analyses/oneLock.ts counter lock
 */
import { args, UserError } from 'culprit/traces';
import { type Access, conflicts, report, sharedAccessesTo } from './parts/accesses.js';
import { lockEvents, locksHeld } from './parts/locks.js';

const [variable, lock] = args;
if (variable === undefined || lock === undefined) throw new UserError('which variable, and which mutex? give both after the script');
const events = lockEvents();

async function holds({ at, thread, time }: Access): Promise<boolean> {
  return (await locksHeld(events, thread, time)).has(at.readVar(lock as string).addressOf());
}

await report(variable, conflicts(variable, sharedAccessesTo(variable), async (prior, access) => (await holds(prior)) && (await holds(access))));

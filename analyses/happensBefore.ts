/**
 * Do two threads access a variable without anything that orders the two accesses? Starting and joining threads, what
 * pthreads has to wait for others (mutexes, condition variables, semaphores, barriers and so on) and atomic variables
 * order. Accesses that are both atomic are no race.
 *
 *     culprit query bug.culprit analyses/happensBefore.ts counter [ATOMIC...]
 *
 * What follows are variables that are atomic although neither their types nor the program's code tells.
 */
import { args, execution, UserError } from 'culprit/traces';
import { type Access, accessesTo, conflicts, report } from './parts/accesses.js';
import { atomicallyUsed, atomicSteps, bytesOf, contains } from './parts/atomics.js';
import { threadSteps, together } from './parts/synchronisation.js';
import { vectorClocks } from './parts/vectorClocks.js';

const [variable, ...named] = args;
if (variable === undefined) throw new UserError('which variable? give its name after the script');
const own = await bytesOf(variable);
const declared = [...execution.atomicVariables(), ...(await Promise.all(named.map(bytesOf)))];
// That some accesses to the variable are atomic does not make the others so.
const used = (await atomicallyUsed()).filter(({ address }) => !contains(own, address));
const clockAt = await vectorClocks(together([...threadSteps(), ...atomicSteps([...declared, ...used])]));

/** The later thread knows what the earlier one was doing then. */
function isOrdered(prior: Access, access: Access): boolean {
  const done = clockAt(prior.thread, prior.time).get(prior.thread) ?? 0;
  return (clockAt(access.thread, access.time).get(prior.thread) ?? 0) >= done;
}

function isAtomic({ at }: Access): boolean {
  return at.atomic !== undefined || declared.some((place) => contains(place, at.access?.address ?? 0));
}

await report(variable, conflicts(variable, accessesTo(variable), async (prior, access) => isOrdered(prior, access) || (isAtomic(prior) && isAtomic(access))));

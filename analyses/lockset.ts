/**
 * Is there one lock that all threads hold when they access a variable? If two accesses have none in common, at least
 * one of them a write, nothing but luck keeps them apart. (What orders accesses without a lock is not known here: see
 * happensBefore.ts.)
 *
 *     culprit query bug.culprit analyses/lockset.ts counter
 */
import { args, UserError } from 'culprit/traces';
import { type Access, accessText, sharedAccessesTo } from './parts/accesses.js';
import { lockEvents, locksHeld } from './parts/locks.js';

const [variable] = args;
if (variable === undefined) throw new UserError('which variable? give its name after the script');
const events = lockEvents();
let candidates: ReadonlySet<number> | undefined;
let [first, last, isWritten, isShared]: [Access | undefined, Access | undefined, boolean, boolean] = [undefined, undefined, false, false];

for await (const { value: access } of sharedAccessesTo(variable)) {
  first ??= access;
  // As long as only one thread knows it, it needs no lock.
  if (access.thread === first.thread && !isShared) continue;
  isShared = true;
  isWritten ||= access.writes;
  const held = await locksHeld(events, access.thread, access.time);
  candidates = new Set([...(candidates ?? held)].filter((lock) => held.has(lock)));
  if (isWritten && candidates.size === 0) {
    console.log(`no lock protects ${variable}:${last === undefined ? '' : `\n  ${accessText(last)}`}\n  ${accessText(access)}`);
    break;
  }
  last = access;
}
if (candidates === undefined) console.log(`${variable} is used by one thread only`);
else if (candidates.size > 0) console.log(`${variable} is protected by ${[...candidates].map((lock) => `the lock at 0x${lock.toString(16)}`).join(', ')}`);

/**
 * What queries usually do, for the code cache (codeCaches.mjs): demo/notes is asked, forward and backward. The answers
 * are not read.
 */
import { editHamt, execution, type Snapshot } from 'culprit/traces';

const calls = execution.breakpoints('copy_text');
const long = calls.filter((s) => s.readArg('text').string.length > 8);
console.log(await long.getAfter(0), await long.getBefore(Infinity), await calls.length);
const added = execution.breakpoints('add_note').map((s: Snapshot) => editHamt.addKeyValue(undefined, s.readVar('title').string, s.time)).scan(editHamt.concat);
const freed = execution.breakpoints('free_note').trailingMerge(added, async (s, notes) => (await notes.force())?.find(s.readVar('note->title').string));
console.log(await freed.toArray());
const writes = execution.watchpoints('notes');
console.log(`${(await writes.last())?.value.backtrace()}`, `${await writes.map((s) => ({ thread: s.threadId, where: s.source })).toTable()}`);
console.log(await execution.breakpoints('copy_text', { at: 'exit' }).first(), await execution.syscalls('write').length, await execution.allCalls().slice(0, execution.endTime).length, execution.cost);

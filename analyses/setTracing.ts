/**
 * Is everything that is put into something taken out again? Calls of one function insert their first argument, calls of
 * another one remove it: timers that are created and fire, files that are opened and closed, entries of a cache.
 *
 *     culprit query bug.culprit analyses/setTracing.ts create_timer timer_fired
 */
import { args, execution, UserError } from 'culprit/traces';
import { setTracing } from './parts/setTracing.js';

const [insert, remove] = args;
if (insert === undefined || remove === undefined) throw new UserError('which functions insert and remove? give both after the script');
const inserted = execution.breakpoints(insert).map((s) => s.readArg(0).number);
const removed = execution.breakpoints(remove).map((s) => s.readArg(0).number);
const sets = setTracing(inserted, removed);

let [late, early] = [0, 0];
for await (const { time, value } of removed) {
  if (await (await sets.getBefore(time))?.value.contains(value)) continue;
  console.log(`time ${time}: ${remove}(${value}) removes what is not in the set`);
  early++;
}
const last = (await sets.getBefore(Infinity))?.value;
for await (const { time, value } of inserted.distinct()) {
  if (!(await last?.contains(value))) continue;
  console.log(`time ${time}: ${insert}(${value}), which is still in the set at the end`);
  late++;
}
if (late + early === 0) console.log('whatever was inserted was removed again');

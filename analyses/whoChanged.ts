/**
 * Who changed this between two times? The last one first, with the stack at each change. Only what lies between is
 * replayed.
 *
 *     culprit query bug.culprit analyses/whoChanged.ts counter 100000 120000
 */
import { args, execution, UserError } from 'culprit/traces';

const [name, from = '0', to = String(execution.endTime + 1)] = args;
if (name === undefined) throw new UserError('which variable? give its name and two times after the script');
let changes = 0;
for await (const { time, value } of execution.watchpoints(name).slice(Number(from), Number(to)).backward()) {
  const [before, after] = [String(value.readVar(name)), String(value.after.readVar(name))];
  if (before === after) continue;
  changes++;
  console.log(`time ${time}, thread ${value.threadId}: ${name} = ${before} -> ${after}\n${value.backtrace()}`);
}
if (changes === 0) console.log(`nobody changed ${name} between ${from} and ${to}`);

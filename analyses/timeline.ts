/**
 * All values that a variable had, when and from where.
 *
 *     culprit query bug.culprit analyses/timeline.ts counter
 */
import { args, execution, UserError } from 'culprit/traces';

const [name] = args;
if (name === undefined) throw new UserError('which variable? give its name after the script');
const changes = execution
  .watchpoints(name)
  .map((s) => ({ before: String(s.readVar(name)), after: String(s.after.readVar(name)), thread: s.threadId, where: String(s.source) }))
  .filter(({ before, after }) => before !== after);
console.log(`${await changes.toTable()}`);

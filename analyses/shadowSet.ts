/**
 * Where does a clever data structure go wrong? A simple one shadows it (thesis, 4.0.1): the same insertions and
 * removals are made to a set of our own, and before each call the members of the program's set are compared with it.
 * Here for tests/traces/programs/cleverSet.c; `members` is all that has to be changed for another one.
 *
 *     culprit query set.culprit analyses/shadowSet.ts
 */
import { execution, type Snapshot } from 'culprit/traces';

interface Operation {
  readonly name: string;
  readonly at: Snapshot;
}

const operations = ['insert', 'delete', 'contains']
  .map((name) => execution.breakpoints(name).map((at): Operation => ({ name, at })))
  .reduce((one, other) => one.merge(other))
  // Only what main asks for: the functions use each other.
  .filter(({ at }) => at.backtrace()[1]?.function === 'main');

const shadows = operations.scan<ReadonlySet<number>>(async (before, { name, at }) => {
  const [shadow, x] = [new Set(await before.force()), at.readArg('x').number];
  if (name === 'insert') shadow.add(x);
  if (name === 'delete') shadow.delete(x);
  return shadow;
}, new Set());

function members(at: Snapshot): number[] {
  const set = at.readArg('s');
  return Array.from({ length: set.field('count').number }, (_, i) => set.field('members').index(i).number);
}

const stale = operations
  .trailingMerge(shadows, async ({ at }, before) => ({ at, expected: [...((await before.force()) ?? [])].sort((a, b) => a - b), found: members(at) }))
  .filter(({ expected, found }) => expected.join() !== found.join());

const first = await stale.first();
if (first === undefined) console.log('the set is always what it should be');
else {
  const culprit = await operations.getBefore(first.time);
  const { expected, found } = first.value;
  console.log(`time ${first.time}: the set has {${found}}, and should have {${expected}}`);
  console.log(`time ${culprit?.time}: the call before, which went wrong: ${culprit?.value.at.backtrace()[0]}`);
}

/**
 * Who overwrote a return address? (thesis, 4.1.3) Between two calls or returns only the top of the stack may change: a
 * return address below it that is different has been smashed. Looking back from the end, only the end is replayed.
 *
 *     culprit query attack.culprit analyses/stackSmash.ts
 */
import { execution, type Snapshot } from 'culprit/traces';

const calls = execution.allCalls().map((at) => ({ at, returns: false }));
const returns = execution.allReturns().map((at) => ({ at, returns: true }));
const both = calls.merge(returns);

/**
 * Return addresses that must stay until the next call or return, by where they lie. The one that is being used may go.
 */
const shadowStacks = both.map(({ at, returns: goes }) => new Map(addresses(at).slice(goes ? 1 : 0)));

const corrupted = both
  .trailingMerge(shadowStacks, async ({ at }, before) => {
    const shadow = await before.force();
    return at.readRetaddrs().find((slot) => (shadow?.get(slot.addressOf()) ?? slot.bigint) !== slot.bigint);
  })
  .filter((slot) => slot !== undefined);

const found = await corrupted.getBefore(Infinity);
if (found?.value === undefined) console.log('no return address was overwritten');
else {
  const bad = await execution.watchpoints(found.value).getBefore(found.time);
  console.log(`time ${found.time}: the return address at 0x${found.value.addressOf().toString(16)} is ${found.value}`);
  console.log(`time ${bad?.time}: it was written ${bad?.value.access?.by === 'kernel' ? 'by the kernel ' : ''}here:\n${bad?.value.backtrace()}`);
}

function addresses(at: Snapshot): [number, bigint][] {
  return at.readRetaddrs().map((slot) => [slot.addressOf(), slot.bigint]);
}

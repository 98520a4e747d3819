/**
 * Whether an access that broke a rule was wrong because of what a line had done before: then the rule noticed a
 * symptom. That is so if the line is in the data slice of the access.
 */
import { at } from '../../replay/log/position.js';
import type { Work } from '../../replay/timeline/work.js';
import { instancesCriterion } from '../../slices/criteria.js';
import { Slices } from '../../slices/slices.js';
import type { Guarded } from '../blame.js';
import { frameName } from '../frames.js';
import type { GuardOpinion } from '../guardOpinion.js';

/** `lines`: as lists name them. */
export async function isMadeOf(guarded: Guarded, { time, access }: GuardOpinion, lines: readonly string[], work: Work | undefined): Promise<boolean> {
  const debug = await guarded.open(work);
  await debug.goTo(at(time), work);
  const { thread } = debug;
  if (thread === undefined) return false;
  const question = instancesCriterion('', thread.id, { from: time, to: time + 1 }, () => true);
  const { members } = await new Slices(debug).answer(question, { kind: 'data' }, work);
  const own = frameName(access);
  return members.some(({ path, line }) => {
    const name = path === undefined ? '' : frameName({ file: path, line, function: undefined, module: undefined, address: '' });
    return name !== own && lines.includes(name);
  });
}

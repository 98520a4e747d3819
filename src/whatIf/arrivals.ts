/** Instances of a statement in an execution: the times that control arrives at it. */
import { UserError } from '../base/errors.js';
import { type GuestAddr, guestAddr } from '../base/types.js';
import type { Position } from '../replay/log/position.js';
import type { Hit } from '../replay/timeline/conditions.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { Work } from '../replay/timeline/work.js';
import { type Alteration, alterationText } from './alteration.js';
import type { Plan } from './plan.js';

export interface Arrival {
  readonly hit: Hit;
  readonly plan: Plan;
}

/** The first instance that is meant. The position may change. Throws a UserError if there is none. */
export async function firstArrival(execution: Execution, plans: readonly Plan[], alteration: Alteration, from: Position, work?: Work, text = alterationText(alteration)): Promise<Arrival> {
  const { which } = alteration;
  let count = 0;
  const wanted = typeof which === 'number' ? which : 1;
  const addresses = plans.flatMap((plan) => (which === 'all' ? plan.addresses : plan.entries));
  await execution.seek(typeof which === 'number' && execution.start.time < from.time ? execution.start : from, work);
  const here = which === 'once' ? undefined : standsAt(execution, addresses);
  if (here !== undefined) count++;
  const found = here !== undefined && wanted === 1 ? here : await execution.forward([{ kind: 'address', addresses }], work, { accepts: () => ++count === wanted });
  const plan = plans.find((one) => found !== undefined && one.addresses.includes(found.rip));
  if (found === undefined || plan === undefined) throw new UserError(count === 0 ? `${text}: the run never comes there` : `${text}: the run comes there only ${count === 1 ? 'once' : `${count} times`}`);
  return { hit: found, plan };
}

/** A search begins after where it stands: what is about to happen there counts, too. */
function standsAt({ state, position }: Execution, addresses: readonly GuestAddr[]): Hit | undefined {
  const task = state.current?.id;
  const rip = task === undefined ? undefined : guestAddr(Number(state.register(task, 'rip') ?? 0n));
  if (task === undefined || rip === undefined || !addresses.includes(rip)) return undefined;
  return { kind: 'address', position, conditions: [0], task, rip };
}

/** How often control arrives in [from, to). */
export async function arrivalsOf(execution: Execution, plans: readonly Plan[], from: Position, to: Position, work?: Work): Promise<number> {
  let count = 0;
  const listener = (): 'go on' => {
    count++;
    return 'go on';
  };
  await execution.each([{ kind: 'address', addresses: plans.flatMap(({ entries }) => entries) }], listener, from, to, work);
  return count;
}

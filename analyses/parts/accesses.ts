/**
 * Reads and writes of a variable, and for each of them those before it that it may be in conflict with (thesis, 4.3.2).
 */
import { type EditHamt, editHamt, execution, type Snapshot, type Trace } from 'culprit/traces';

export interface Access {
  readonly writes: boolean;
  readonly thread: number;
  readonly time: number;
  readonly at: Snapshot;
}

export function accessesTo(variable: string): Trace<Access> {
  const access = (writes: boolean) => (at: Snapshot, time: number): Access => ({ writes, thread: at.threadId, time, at });
  const reads = execution.watchpoints(variable, 'READ').map(access(false));
  const writes = execution.watchpoints(variable, 'WRITE').map(access(true));
  // An instruction that does both counts as a write.
  return reads.merge(writes, (_read, write) => write);
}

/** The same without those that are made while there is only one thread: no other thread has to be kept away then. */
export function sharedAccessesTo(variable: string): Trace<Access> {
  const alive = execution.threads().scan<number>(async (before, { change }) => (await before.force()) + (change === 'start' ? 1 : -1), 0);
  return accessesTo(variable).filter(async (_access, time) => ((await alive.getBefore(time))?.value ?? 0) > 1);
}

/**
 * At each access, all since the last write, that included: a multimap that is computed only as far back as the script
 * looks.
 */
export function accessHistory(accesses: Trace<Access>, variable: string): Trace<EditHamt<string, Access>> {
  return accesses
    .map((access) => editHamt.addKeyValue(access.writes ? editHamt.remove<string, Access>(undefined, variable) : undefined, variable, access))
    .scan(editHamt.concat);
}

export interface Conflict {
  readonly access: Access;
  readonly prior: Access;
}

/**
 * Accesses with an earlier one by another thread, of which at least one writes, and that `isOrdered` does not excuse.
 */
export function conflicts(variable: string, accesses: Trace<Access>, isOrdered: (prior: Access, access: Access) => Promise<boolean>): Trace<Conflict> {
  return accesses
    .trailingMerge(accessHistory(accesses, variable), async (access, before): Promise<Conflict | undefined> => {
      const history = await before.force();
      if (history === undefined) return undefined;
      for await (const prior of history.findMulti(variable)) {
        if (prior.thread !== access.thread && (prior.writes || access.writes) && !(await isOrdered(prior, access))) return { access, prior };
      }
      return undefined;
    })
    .filter((conflict) => conflict !== undefined);
}

export function accessText({ writes, thread, time, at }: Access): string {
  return `thread ${thread} ${writes ? 'writes' : 'reads'} at time ${time} in ${at.source}`;
}

/** What all race detectors say. */
export async function report(variable: string, races: Trace<Conflict>): Promise<void> {
  const pairs = new Map<string, Conflict>();
  for await (const { value } of races) pairs.set([value.access.at.source, value.prior.at.source].map(String).sort().join(), value);
  if (pairs.size === 0) console.log(`no race on ${variable}`);
  for (const { access, prior } of pairs.values()) console.log(`race on ${variable}:\n  ${accessText(prior)}\n  ${accessText(access)}`);
}

/** Whether a recorded run had to do with those outside of it, who are not there when it is run again. */
import { E } from '../../base/errno.js';
import type { CallListener, CallResult } from './callResults.js';

const FAMILY_NAMES: ReadonlyMap<number, string> = new Map([[1, 'a Unix socket'], [2, 'the network'], [10, 'the network']]);

export class OutsideSurvey implements CallListener {
  private readonly met = new Set<string>();

  /** In one line each. */
  get remarks(): readonly string[] {
    return [...this.met].map((what) => `the recorded run was connected by ${what}: who was outside of it does not answer this time`);
  }

  returned({ call, result }: CallResult): void {
    if (call.name !== 'connect' || (result !== 0 && result !== -E.INPROGRESS)) return;
    const address = call.input(call.argument(1));
    const family = address === undefined || address.length < 2 ? 0 : (address[0] as number) | ((address[1] as number) << 8);
    this.met.add(FAMILY_NAMES.get(family) ?? 'a socket');
  }
}

/** Signals as something that a run stops at: where they are about to take effect. */
import type { Condition, Hit } from '../../replay/timeline/conditions.js';
import type { Interest } from './running.js';

export class SignalStops<S> implements Interest<S> {
  readonly conditions: readonly Condition[];

  constructor(
    signals: readonly number[],
    private readonly stopFor: (hit: Hit) => S | undefined,
  ) {
    this.conditions = signals.length === 0 ? [] : [{ kind: 'signal', signals }];
  }

  async stop(hit: Hit): Promise<S | undefined> {
    return this.stopFor(hit);
  }
}

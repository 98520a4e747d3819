/**
 * The slots of one evaluation. An unbound slot is undefined; slots bound from an event remember it: chains begin at its
 * time.
 */
import type { AbstractMachine, MachineEvent } from './machine.js';

export type RuleValue = bigint | string;

export class Frame {
  readonly values: (RuleValue | undefined)[];
  readonly origins: (MachineEvent | undefined)[];
  /** Of the value at a `use` point. */
  undefinedBits = 0n;
  /** Where the first undefined byte of it was read. */
  undefinedFrom: bigint | undefined;
  /** At `call` and `ret`. */
  callee: string | undefined;

  constructor(
    readonly machine: AbstractMachine,
    slots: number,
  ) {
    this.values = new Array<RuleValue | undefined>(slots).fill(undefined);
    this.origins = new Array<MachineEvent | undefined>(slots).fill(undefined);
  }

  bind(slot: number, value: RuleValue, origin?: MachineEvent): void {
    this.values[slot] = value;
    this.origins[slot] = origin;
  }

  unbind(slots: readonly number[]): void {
    for (const slot of slots) {
      this.values[slot] = undefined;
      this.origins[slot] = undefined;
    }
  }
}

/**
 * Sets of the CPU state slots that generated code keeps in locals: general registers, flags, the shadow of both, XMM
 * registers. Two words of bits; values, never changed in place.
 */
import { CC_OP, CC_X, CC_Y, CC_Z, GPR, shadowOf, type Slot, SLOTS_END, XMM } from '../layout/cpuState.js';

export interface SlotSet {
  readonly low: number;
  readonly high: number;
}

const FLAGS = [CC_OP, CC_X, CC_Y, CC_Z];
/** All of them; a slot's number is its place here. */
export const CACHEABLE_SLOTS: readonly Slot[] = [...GPR, ...FLAGS, ...FLAGS.map(shadowOf), ...XMM, ...GPR.map(shadowOf)];
const LOW_BITS = GPR.length + 2 * FLAGS.length;

const numbers = new Int8Array(SLOTS_END).fill(-1);
CACHEABLE_SLOTS.forEach((slot, i) => {
  numbers[slot.offset] = i;
});

/** The slot's number, or -1 if it is never kept in a local. */
export function slotNumber(offset: number): number {
  return numbers[offset] as number;
}

export const NO_SLOTS: SlotSet = { low: 0, high: 0 };

export function withSlot(set: SlotSet, number: number): SlotSet {
  return number < LOW_BITS ? { low: set.low | (1 << number), high: set.high } : { low: set.low, high: set.high | (1 << (number - LOW_BITS)) };
}

export function hasSlot(set: SlotSet, number: number): boolean {
  return number < LOW_BITS ? (set.low & (1 << number)) !== 0 : (set.high & (1 << (number - LOW_BITS))) !== 0;
}

export function union(a: SlotSet, b: SlotSet): SlotSet {
  return { low: a.low | b.low, high: a.high | b.high };
}

export function intersection(a: SlotSet, b: SlotSet): SlotSet {
  return { low: a.low & b.low, high: a.high & b.high };
}

export function difference(a: SlotSet, b: SlotSet): SlotSet {
  return { low: a.low & ~b.low, high: a.high & ~b.high };
}

export function isSubset(a: SlotSet, b: SlotSet): boolean {
  return (a.low & ~b.low) === 0 && (a.high & ~b.high) === 0;
}

export function sameSet(a: SlotSet, b: SlotSet): boolean {
  return a.low === b.low && a.high === b.high;
}

export function* slotsOf(set: SlotSet): Iterable<number> {
  for (let i = 0; i < LOW_BITS; i++) if ((set.low & (1 << i)) !== 0) yield i;
  for (let i = LOW_BITS; i < CACHEABLE_SLOTS.length; i++) if ((set.high & (1 << (i - LOW_BITS))) !== 0) yield i;
}

export function sizeOf(set: SlotSet): number {
  let count = 0;
  for (let bits = set.low; bits !== 0; bits &= bits - 1) count++;
  for (let bits = set.high; bits !== 0; bits &= bits - 1) count++;
  return count;
}

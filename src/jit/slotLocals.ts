/**
 * CPU state in WebAssembly locals while a region runs. A slot's local is loaded when it is first
 * needed on a path, and written back at an exit only if it was changed on a way to it. While
 * compiling, this keeps track of which locals hold their slot's value at the current point
 * (`loaded`) and which may differ from memory (`dirty`, always a subset).
 */
import type { Slot } from '../layout/cpuState.js';
import { STATE_BASE } from '../layout/memoryMap.js';
import type { Code } from '../wasm/code.js';
import { savedLocal } from './sites.js';
import { CACHEABLE_SLOTS, difference, hasSlot, NO_SLOTS, slotNumber, slotsOf, type SlotSet, union, withSlot } from './slotSet.js';

const STORE = { i32: 'i32.store', i64: 'i64.store', v128: 'v128.store' } as const;
const LOAD = { i32: 'i32.load', i64: 'i64.load', v128: 'v128.load' } as const;

/** What is known about the locals at a point of the code. */
interface SlotState {
  readonly loaded: SlotSet;
  readonly dirty: SlotSet;
}

export const NOTHING_LOADED: SlotState = { loaded: NO_SLOTS, dirty: NO_SLOTS };

export class SlotLocals {
  state: SlotState = NOTHING_LOADED;
  private readonly locals: (number | undefined)[] = [];

  /** Slots that were dirty at some site. */
  private saved: SlotSet = NO_SLOTS;

  constructor(private readonly code: Code) {}

  isCacheable(offset: number): boolean {
    return slotNumber(offset) >= 0;
  }

  /** Pushes the slot's value, loading its local if need be. */
  push(offset: number): void {
    const number = slotNumber(offset);
    const local = this.local(number);
    if (hasSlot(this.state.loaded, number)) {
      this.code.get(local);
      return;
    }
    this.pushMemory(number);
    this.code.tee(local);
    this.state = { loaded: withSlot(this.state.loaded, number), dirty: this.state.dirty };
  }

  /** Pops the slot's new value. */
  set(offset: number): void {
    const number = slotNumber(offset);
    this.code.set(this.local(number));
    this.state = { loaded: withSlot(this.state.loaded, number), dirty: withSlot(this.state.dirty, number) };
  }

  /** What is dirty at a site that is made here; it will be found in the save area. */
  dirtyAtSite(): SlotSet {
    this.saved = union(this.saved, this.state.dirty);
    return this.state.dirty;
  }

  /** Makes sure that the locals of `slots` hold their values. */
  load(slots: SlotSet): void {
    for (const number of slotsOf(difference(slots, this.state.loaded))) {
      this.pushMemory(number);
      this.code.set(this.local(number));
    }
    this.state = { loaded: union(this.state.loaded, slots), dirty: this.state.dirty };
  }

  /** Writes `slots` back to memory. They must be loaded. Does not change what is known: used on ways out. */
  store(slots: SlotSet): void {
    for (const number of slotsOf(slots)) {
      const { type, offset } = CACHEABLE_SLOTS[number] as Slot;
      this.code.i32(STATE_BASE).get(this.local(number)).mem(STORE[type], offset);
    }
  }

  /** Puts into the save area what may be dirty at a site. */
  save(): void {
    for (const number of slotsOf(this.saved)) {
      const { type } = CACHEABLE_SLOTS[number] as Slot;
      this.code.i32(0).get(this.local(number)).mem(STORE[type], savedLocal(number));
    }
  }

  /** Brings memory up to date for a helper that reads these slots there. */
  flush(slots: readonly Slot[]): void {
    this.store(this.among(slots, this.state.dirty));
  }

  /** Takes over what a helper has left in memory. */
  reload(slots: readonly Slot[]): void {
    for (const number of slotsOf(this.among(slots, this.state.loaded))) {
      this.pushMemory(number);
      this.code.set(this.local(number));
    }
  }

  private among(slots: readonly Slot[], set: SlotSet): SlotSet {
    let found = NO_SLOTS;
    for (const { offset } of slots) {
      const number = slotNumber(offset);
      if (number >= 0 && hasSlot(set, number)) found = withSlot(found, number);
    }
    return found;
  }

  private pushMemory(number: number): void {
    const { type, offset } = CACHEABLE_SLOTS[number] as Slot;
    this.code.i32(STATE_BASE).mem(LOAD[type], offset);
  }

  private local(number: number): number {
    const { type, name } = CACHEABLE_SLOTS[number] as Slot;
    return (this.locals[number] ??= this.code.local(type, name));
  }
}

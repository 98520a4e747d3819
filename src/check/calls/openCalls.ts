/**
 * Calls whose return rules want to know of. A return is known by where it leads and how high the stack is then. Those
 * that never return, because the program jumps past them (longjmp, exceptions), are given up where such a jump lands: a
 * stack that is higher has lost what was below.
 */

export interface OpenCall {
  /** The function, by all of its names that matter. */
  readonly callees: readonly string[];
  /** Where its return address is. */
  readonly slot: number;
  readonly returnsTo: number;
  readonly tid: number;
  /** When it was called, and how many blocks had ever been allocated by then. */
  readonly began: number;
  readonly blocksBefore: number;
}

/**
 * Functions after which the stack may be higher than before. After returning from the first ones, when the others are
 * called.
 */
export const LANDINGS_AFTER: readonly string[] = ['setjmp', '_setjmp', '__sigsetjmp', 'sigsetjmp'];
export const LANDINGS_AT: readonly string[] = ['__cxa_begin_catch'];

/** Stacks that are further apart are two (coroutines, signals on a stack of their own). */
const SAME_STACK = 1 << 23;

export class OpenCalls {
  private readonly bySlot = new Map<number, OpenCall>();

  constructor(origin?: OpenCalls) {
    for (const [slot, call] of origin?.bySlot ?? []) this.bySlot.set(slot, call);
  }

  /** The function is about to be executed. */
  begin(call: OpenCall): void {
    this.landed(call.slot);
    this.bySlot.set(call.slot, call);
  }

  /** The program is there, and has that stack: the call that has just returned, if one has. */
  end(at: number, stack: number): OpenCall | undefined {
    this.landed(stack - 8);
    const call = this.bySlot.get(stack - 8);
    if (call?.returnsTo !== at) return undefined;
    this.bySlot.delete(call.slot);
    return call;
  }

  all(): Iterable<OpenCall> {
    return this.bySlot.values();
  }

  /** What is below is no more. */
  landed(stack: number): void {
    for (const slot of this.bySlot.keys()) if (slot < stack && stack - slot < SAME_STACK) this.bySlot.delete(slot);
  }
}

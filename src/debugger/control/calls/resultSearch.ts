/**
 * Searches for calls by their results, at full speed: generated code looks at the result where calls
 * return, and stops for those that may be meant. The function's beginning is looked at only to learn of calls that
 * return to where nothing is looked at yet. From a return the way leads back to the call (openCalls.ts).
 */
import type { RegisterTest } from '../../../ir/registerTest.js';
import type { Condition, Hit } from '../../../replay/timeline/conditions.js';
import type { State } from '../../../replay/timeline/state.js';
import type { CallBreakpoint } from '../breakpoints.js';
import { returnAddress } from './callFacts.js';
import { addressed } from './callPoints.js';
import { entryTest, returnTest } from './callTests.js';
import type { OpenSlot } from './openCalls.js';

/** Entries from one place before generated code compares with it, and so many places at most. */
const [OFTEN, MOST_COMPARED] = [16, 64];
/** Returns that turn out not to be meant before calls are looked for in another way. */
const MOST_WRONG = 64;
const RETURN_SLOT = 8n;

/** What a hit is: a call that returns with what may be meant, or comes from an unknown place; or nothing but news. */
export type Seen = { readonly kind: 'returns' | 'begins'; readonly slot: OpenSlot } | { readonly kind: 'learned' };

export class ResultSearch {
  private readonly entries: ReadonlySet<number>;
  /** How often calls have come from places that generated code does not compare with, and those that it does. */
  private readonly often = new Map<number, number>();
  private readonly compared = new Set<number>();
  private wrong = 0;

  private constructor(
    private readonly point: CallBreakpoint,
    private readonly result: RegisterTest,
  ) {
    this.entries = new Set(point.entries);
  }

  /** Undefined: memory counts, results do not tell, or arguments are likely to tell more. */
  static of(point: CallBreakpoint): ResultSearch | undefined {
    const { when } = point;
    const result = when.questions.some(({ kind }) => kind === 'memory') ? undefined : returnTest(when);
    return result === undefined || (isWeak(result) && entryTest(when) !== undefined) ? undefined : new ResultSearch(point, result);
  }

  /** Whether it is still worth it. */
  get isQuick(): boolean {
    return this.wrong < MOST_WRONG;
  }

  noteWrong(): void {
    this.wrong++;
  }

  /** Others after something has been learned. */
  conditions(): Condition[] {
    const known: RegisterTest = { kind: 'stackTop', values: [...this.compared] };
    return [addressed(this.point.entries, this.compared.size === 0 ? undefined : { kind: 'not', part: known }), addressed(this.point.returns, this.result)];
  }

  sees({ rip, task: thread }: Hit, state: State): Seen | undefined {
    const stack = state.register(thread, 'rsp') ?? 0n;
    if (this.entries.has(rip)) return this.begins(thread, stack, Number(returnAddress(state, thread, stack) ?? 0n));
    // A call that has just returned has left its return address below the stack.
    const slot = stack - RETURN_SLOT;
    const isReturn = Number(returnAddress(state, thread, slot) ?? 0n) === rip;
    return isReturn ? { kind: 'returns', slot: { thread, slot, returnsTo: rip } } : undefined;
  }

  private begins(thread: number, slot: bigint, returnsTo: number): Seen | undefined {
    if (!this.point.returns.has(returnsTo)) {
      this.point.returns.add(returnsTo);
      return { kind: 'begins', slot: { thread, slot, returnsTo } };
    }
    const times = (this.often.get(returnsTo) ?? 0) + 1;
    this.often.set(returnsTo, times);
    if (times < OFTEN || this.compared.size >= MOST_COMPARED || this.compared.has(returnsTo)) return undefined;
    this.compared.add(returnsTo);
    return { kind: 'learned' };
  }
}

/** Whether most results are likely to pass. */
function isWeak(test: RegisterTest): boolean {
  switch (test.kind) {
    case 'compare': return test.comparison === '!=';
    case 'stackTop': return false;
    case 'not': return test.part.kind !== 'compare' || test.part.comparison === '==';
    case 'and': return test.parts.every(isWeak);
    case 'or': return test.parts.some(isWeak);
  }
}

/**
 * Calls of a function while an execution is gone through forward: which are under way, and what is known of each. An
 * arrival at the function's first instruction begins one, an arrival behind the call with the stack as it was before
 * ends it.
 */
import type { GuestAddr } from '../../../base/types.js';
import type { Position } from '../../../replay/log/position.js';
import type { Condition, Hit } from '../../../replay/timeline/conditions.js';
import { hitMeets } from '../../../replay/timeline/hitMeets.js';
import type { State } from '../../../replay/timeline/state.js';
import { type CallCondition, type CallQuestion, truthOf } from './callCondition.js';
import { answer, returnAddress } from './callFacts.js';

/** The function's first instruction is about to be executed. */
interface Entry {
  readonly position: Position;
  readonly thread: number;
  /** The stack pointer, where the return address lies. */
  readonly stack: bigint;
}

export interface TrackedCall {
  readonly entry: Entry;
  readonly returnsTo: number;
  readonly answers: (boolean | undefined)[];
  /** Whether it meets the condition. Undefined: not known yet. */
  truth: boolean | undefined;
}

/** What stacks may have: another one, of a handler or a coroutine, lies farther away. */
const STACK = 8n * 1024n * 1024n;

/** As conditions of a search: what questions about memory ask for. */
export function memoryConditions(questions: readonly CallQuestion[]): Condition[] {
  return questions.flatMap((question): Condition[] => (question.kind === 'memory' ? [conditionOf(question)] : []));
}

function conditionOf({ access, ranges }: Extract<CallQuestion, { kind: 'memory' }>): Condition {
  return { kind: 'memory', access, ranges };
}

interface TrackedFunction {
  /** Where it begins. */
  readonly entries: readonly number[];
  readonly code: ReadonlyMap<number, Uint8Array | undefined>;
  readonly when: CallCondition;
  /** Places behind calls that are looked at. */
  readonly returns: ReadonlySet<number>;
}

/** Whether there is the function at an address: another program may have something else there. */
export function isCodeThere(known: TrackedFunction['code'], address: GuestAddr, state: State, thread: number): boolean {
  const code = known.get(address);
  if (code === undefined) return true;
  const found = state.read(thread, address, code.length);
  return found !== null && code.every((byte, i) => byte === found[i]);
}

export class CallTracker {
  /** Calls that return to where nothing is looked at: they are not followed. */
  strangers: TrackedCall[] = [];
  private readonly begins: ReadonlySet<number>;
  private readonly memory: ReadonlyMap<number, Condition>;

  constructor(
    private readonly tracked: TrackedFunction,
    /** Not decided yet, in the order in which they began. */
    private pending: TrackedCall[] = [],
  ) {
    this.begins = new Set(tracked.entries);
    this.memory = new Map(tracked.when.questions.flatMap((question, i) => (question.kind === 'memory' ? [[i, conditionOf(question)] as const] : [])));
  }

  get undecided(): readonly TrackedCall[] {
    return this.pending;
  }

  /** Calls that are decided by what happened, and meet the condition; in the order in which they began. */
  sees(hit: Hit, state: State): TrackedCall[] {
    if (hit.kind === 'memory') return this.pending.length === 0 ? [] : this.accesses(hit);
    const isEntry = this.begins.has(hit.rip);
    const ended = this.pending.length === 0 ? [] : this.returns(hit, state);
    const begun = isEntry ? this.enters(hit, state) : undefined;
    return begun === undefined ? ended : [...ended, begun];
  }

  /** A call begins. It is pending unless its arguments decide. */
  private enters({ position, task: thread, rip }: Hit, state: State): TrackedCall | undefined {
    const { when: { questions, test }, returns } = this.tracked;
    const answers = questions.map((question) => (question.kind === 'argument' ? answer(question, state, thread) : undefined));
    const truth = truthOf(test, answers);
    if (truth === false || !isCodeThere(this.tracked.code, rip, state, thread)) return undefined;
    const stack = state.register(thread, 'rsp') ?? 0n;
    const call = { entry: { position, thread, stack }, returnsTo: Number(returnAddress(state, thread, stack) ?? 0n), answers, truth };
    if (truth === true) return call;
    (returns.has(call.returnsTo) ? this.pending : this.strangers).push(call);
    return undefined;
  }

  /**
   * Calls whose frames are gone by now have returned here, or have been left by a jump: what has not been decided of
   * those before never will be.
   */
  private returns({ task: thread, rip }: Hit, state: State): TrackedCall[] {
    const stack = state.register(thread, 'rsp') ?? 0n;
    for (const call of this.pending) {
      const { entry, returnsTo } = call;
      if (entry.thread !== thread || entry.stack >= stack || stack - entry.stack > STACK) continue;
      if (returnsTo === rip && entry.stack + 8n === stack) this.conclude(call, (question) => question.kind === 'result' && answer(question, state, thread));
      else call.truth = false;
    }
    return this.decided();
  }

  private accesses(hit: Hit): TrackedCall[] {
    for (const [index, condition] of this.memory) {
      if (!hitMeets(condition, hit)) continue;
      for (const call of this.pending) if (call.entry.thread === hit.task) call.answers[index] = true;
    }
    for (const call of this.pending) call.truth = truthOf(this.tracked.when.test, call.answers);
    return this.decided();
  }

  /** Answers what has not been answered by now. */
  private conclude(call: TrackedCall, how: (question: CallQuestion) => boolean): void {
    this.tracked.when.questions.forEach((question, i) => (call.answers[i] ??= how(question)));
    call.truth = truthOf(this.tracked.when.test, call.answers);
  }

  private decided(): TrackedCall[] {
    const met = this.pending.filter(({ truth }) => truth === true);
    this.pending = this.pending.filter(({ truth }) => truth === undefined);
    return met;
  }
}

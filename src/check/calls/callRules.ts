/** Which functions rules are about, and the rules of each. */
import { partsOf } from '../../rules/analysis/shapes.js';
import type { CompiledRule } from '../../rules/evaluate/compileRule.js';
import type { RuleSet } from '../../rules/evaluate/ruleSet.js';
import type { Condition, Term } from '../../rules/language/core.js';
import { TRACKED } from '../tracked.js';
import { keyOf } from './callHistory.js';
import { LANDINGS_AFTER, LANDINGS_AT } from './openCalls.js';
import type { BytesHook } from '../../x86/hooks.js';
import { bytesHook } from './ordinaryCalls.js';
import { type QuickTest, quickTest } from './quickTest.js';

export class CallRules {
  /** Whose calls and returns are to be seen. */
  readonly calls = new Set<string>();
  readonly returns = new Set<string>();
  /** Whose calls and returns are to be remembered: `call f`. */
  readonly remembered = new Set<string>();
  private readonly byPoint = new Map<string, CompiledRule[]>();

  constructor(
    rules: RuleSet,
    /** Functions that have to be seen for another reason. */
    private readonly alsoSeen: ReadonlySet<string> = new Set(),
    /** Functions that have to be seen returning for another reason. */
    alsoReturning: ReadonlySet<string> = new Set(),
  ) {
    for (const name of alsoReturning) this.returns.add(name);
    for (const rule of rules.enabled()) {
      // One that asks for what is not tracked cannot say anything.
      if (!rule.trackers.every(({ kind }) => TRACKED.has(kind))) continue;
      this.addTrackers(rule);
      this.addPoints(rule);
      this.addEvents(rule.rule.condition);
    }
  }

  /** Those to ask at `call f` or `ret f`. */
  at(kind: 'call' | 'ret', callee: string): readonly CompiledRule[] {
    return this.byPoint.get(keyOf(kind, callee)) ?? [];
  }

  /**
   * Those about memory that has not been written, or strings that do not end: who calls a function may have been given
   * it by another.
   */
  aboutContents(callee: string): readonly CompiledRule[] {
    return this.at('call', callee).filter(({ rule, trackers }) => trackers.some(({ kind }) => kind === 'initializedBytes') || asksForEnd(rule.condition));
  }

  /**
   * Arguments (by number) of which one is NULL wherever a rule about calls of the function is broken; undefined if it
   * has to be asked at each call.
   */
  nullArguments(callee: string): readonly number[] | undefined {
    if (this.isSeen(callee)) return undefined;
    const positions = this.at('call', callee).flatMap(({ rule }) => rule.points.filter((point) => point.callees?.includes(callee)).map((point) => nullSlot(rule.condition, point.slots)));
    return positions.includes(-1) ? undefined : [...new Set(positions)];
  }

  /**
   * Arguments (by number) that are NULL or point to a string that has not been written, or does not end in its block,
   * wherever a rule about calls of the function is broken; undefined as above.
   */
  stringArguments(callee: string): readonly number[] | undefined {
    if (this.isSeen(callee)) return undefined;
    const positions = this.at('call', callee).flatMap(({ rule }) => rule.points.filter((point) => point.callees?.includes(callee)).flatMap((point) => stringSlots(rule.condition, point.slots) ?? nullSlot(rule.condition, point.slots)));
    return positions.includes(-1) ? undefined : [...new Set(positions)].sort();
  }

  /** What lets generated code see by itself that a call of the function breaks no rule; undefined as above. */
  bytesHook(callee: string): BytesHook | undefined {
    return this.isSeen(callee) ? undefined : bytesHook(this.at('call', callee), callee);
  }

  private isSeen(callee: string): boolean {
    return this.alsoSeen.has(callee) || this.returns.has(callee) || this.remembered.has(keyOf('call', callee)) || this.remembered.has(keyOf('call', '*'));
  }

  /** A quick look at a call; undefined if the call has to be seen in any case. */
  quickTest(callee: string): QuickTest | undefined {
    if (this.isSeen(callee) || isLanding(callee)) return undefined;
    return quickTest(this.at('call', callee), callee);
  }

  private addTrackers({ trackers }: CompiledRule): void {
    for (const { kind, functions = [] } of trackers) {
      if (kind === 'calls') for (const name of functions) this.calls.add(name);
      if (kind === 'returns') for (const name of functions) this.returns.add(name);
    }
  }

  private addPoints(rule: CompiledRule): void {
    for (const { point } of rule.points) {
      if (point.kind !== 'call' && point.kind !== 'ret') continue;
      for (const callee of point.callees ?? []) {
        const key = keyOf(point.kind, callee);
        const list = this.byPoint.get(key) ?? [];
        if (!list.includes(rule)) this.byPoint.set(key, [...list, rule]);
      }
    }
  }

  private addEvents(condition: Condition): void {
    if (condition.kind === 'event' && (condition.pattern.event === 'call' || condition.pattern.event === 'ret')) {
      const { callee } = condition.pattern.fields;
      for (const name of callee?.kind === 'names' ? callee.names : ['*']) this.remembered.add(keyOf(condition.pattern.event, name));
    }
    for (const part of partsOf(condition)) this.addEvents(part);
  }
}

/** Where a jump past functions may land. */
export function isLanding(callee: string): boolean {
  return LANDINGS_AFTER.includes(callee) || LANDINGS_AT.includes(callee);
}

/** Whether it compares the end of a block with that of a string, or of a part of one. */
function asksForEnd(condition: Condition): boolean {
  if (condition.kind === 'compare') return condition.right.kind === 'apply' && condition.right.name === 'End' && hasLength(condition.left);
  return partsOf(condition).some(asksForEnd);
}

function hasLength(term: Term): boolean {
  if (term.kind === 'binary') return hasLength(term.left) || hasLength(term.right);
  return term.kind === 'apply' && (term.name === 'Length' || term.name === 'Searched');
}

/** The argument that the condition says is NULL; -1 if it says something else. */
function nullSlot(condition: Condition, slots: readonly (number | undefined)[]): number {
  if (condition.kind !== 'compare' || condition.operator !== '==') return -1;
  const { left, right } = condition;
  return left.kind === 'slot' && right.kind === 'number' && right.value === 0n ? slots.indexOf(left.slot) : -1;
}

/**
 * Arguments of which one must point to a string with an unwritten byte, or one that does not end in its block, for the
 * condition to hold; undefined if it may hold otherwise.
 */
function stringSlots(condition: Condition, slots: readonly (number | undefined)[]): readonly number[] | undefined {
  switch (condition.kind) {
    case 'and':
      return condition.parts.map((part) => stringSlots(part, slots)).find((found) => found !== undefined);
    case 'or': {
      const found = condition.parts.map((part) => stringSlots(part, slots));
      return found.every((part) => part !== undefined) ? found.flat() : undefined;
    }
    case 'not': {
      const { part } = condition;
      if (part.kind !== 'test' || part.name !== 'Initialized') return undefined;
      const [string, length] = part.args;
      const position = string?.kind === 'slot' && length !== undefined && staysInString(length, string.slot) ? slots.indexOf(string.slot) : -1;
      return position < 0 ? undefined : [position];
    }
    case 'compare':
      return endlessSlots(condition, slots);
    default:
      return undefined;
  }
}

/** The string of which a comparison says that it goes on where its block ends: `s + Length(s) >= End(s)`. */
function endlessSlots({ operator, left, right }: Condition & { kind: 'compare' }, slots: readonly (number | undefined)[]): readonly number[] | undefined {
  if (operator !== '>=' || left.kind !== 'binary' || left.operator !== '+' || left.left.kind !== 'slot' || right.kind !== 'apply' || right.name !== 'End') return undefined;
  const { slot } = left.left;
  const isLength = left.right.kind === 'apply' && left.right.name === 'Length' && names(left.right.args, slot);
  const position = isLength && names(right.args, slot) ? slots.indexOf(slot) : -1;
  return position < 0 ? undefined : [position];
}

/**
 * Whether so many bytes of the string are all looked at before its end, or up to it. What has a limit of its own need
 * not be a string.
 */
function staysInString(length: Term, string: number): boolean {
  if (length.kind === 'binary') return length.operator === '+' && length.right.kind === 'number' && length.right.value === 1n && length.left.kind === 'apply' && length.left.name === 'Length' && names(length.left.args, string);
  return length.kind === 'apply' && (length.name === 'Searched' || length.name === 'Compared') && length.args.length === 2 && names(length.args, string);
}

function names(args: readonly Term[], slot: number): boolean {
  return args.some((arg) => arg.kind === 'slot' && arg.slot === slot);
}

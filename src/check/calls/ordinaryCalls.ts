/**
 * Calls that generated code can let pass by itself (x86/hooks.ts: fill, copy, move, compare), because no rule can be
 * broken by them: what it looks at implies that conditions do not hold. It is shown by inequalities over the arguments
 * and the ends of blocks, each of which has to follow from a single one that is known.
 */
import { FIRST_ORDINARY_ADDRESS, LOOK, MOST_ORDINARY_BYTES } from '../../ir/lookFlags.js';
import type { CompiledRule } from '../../rules/evaluate/compileRule.js';
import type { CheckedPoint, Condition, Term } from '../../rules/language/core.js';
import { BYTES_HOOKS, type BytesHook } from '../../x86/hooks.js';

const HOOKS: Readonly<Record<string, BytesHook>> = { memset: 'fill', memcpy: 'copy', mempcpy: 'copy', memmove: 'move', memcmp: 'compare' };

/** The hook for a function; undefined if every call has to be looked at. */
export function bytesHook(rules: readonly CompiledRule[], callee: string): BytesHook | undefined {
  const kind = HOOKS[callee];
  return kind !== undefined && rules.every(({ rule }) => isImpossible(rule.condition, rule.points, callee, kind)) ? kind : undefined;
}

/** Whether a condition does not hold at any call that the hook lets pass. */
function isImpossible(condition: Condition, points: readonly CheckedPoint[], callee: string, kind: BytesHook): boolean {
  const own = points.filter((point) => point.kind === 'call' && point.callees?.includes(callee) === true);
  return own.every((point) => casesOf(BYTES_HOOKS[kind]).every((facts) => new Reasoning(point, facts).isFalse(condition)));
}

/** A sum of arguments and ends of blocks, each so many times, and a number. */
interface Sum {
  readonly parts: ReadonlyMap<string, bigint>;
  readonly rest: bigint;
}

interface Facts {
  /** Not positive. */
  readonly sums: readonly Sum[];
  /** Arguments whose bytes have been written. */
  readonly written: readonly number[];
}

const FIRST = 0;
const SECOND = 1;
const BYTES = argument(2);

function argument(n: number): Sum {
  return { parts: new Map([[`argument ${n}`, 1n]]), rest: 0n };
}

const begin = (n: number): Sum => ({ parts: new Map([[`Begin(argument ${n})`, 1n]]), rest: 0n });
const end = (n: number): Sum => ({ parts: new Map([[`End(argument ${n})`, 1n]]), rest: 0n });
const constant = (value: number): Sum => ({ parts: new Map(), rest: BigInt(value) });

function plus(a: Sum, b: Sum, times = 1n): Sum {
  const parts = new Map(a.parts);
  for (const [part, count] of b.parts) {
    const sum = (parts.get(part) ?? 0n) + times * count;
    if (sum === 0n) parts.delete(part);
    else parts.set(part, sum);
  }
  return { parts, rest: a.rest + times * b.rest };
}

const minus = (a: Sum, b: Sum): Sum => plus(a, b, -1n);

/** What is known of calls that a hook lets pass, case by case. */
function casesOf(flags: number): Facts[] {
  const pointers = (flags & LOOK.SECOND) === 0 ? [FIRST] : [FIRST, SECOND];
  const written = [...((flags & LOOK.FIRST_WRITTEN) === 0 ? [] : [FIRST]), ...((flags & LOOK.SECOND_WRITTEN) === 0 ? [] : [SECOND])];
  const common = [minus(constant(0), BYTES), minus(BYTES, constant(MOST_ORDINARY_BYTES - 1)), ...pointers.flatMap((n) => [minus(constant(FIRST_ORDINARY_ADDRESS), argument(n)), minus(plus(argument(n), BYTES), end(n)), minus(begin(n), argument(n))])];
  if ((flags & LOOK.APART) === 0) return [{ sums: common, written }];
  const [first, second] = [argument(FIRST), argument(SECOND)];
  const apart = [[minus(first, second), minus(second, first)], [minus(plus(first, BYTES), second)], [minus(plus(second, BYTES), first)]];
  return apart.map((own) => ({ sums: [...common, ...own], written }));
}

class Reasoning {
  constructor(
    private readonly point: CheckedPoint,
    private readonly facts: Facts,
  ) {}

  isFalse(condition: Condition): boolean {
    switch (condition.kind) {
      case 'constant':
        return !condition.value;
      case 'and':
        return condition.parts.some((part) => this.isFalse(part));
      case 'or':
        return condition.parts.every((part) => this.isFalse(part));
      case 'not':
        return this.isTrue(condition.part);
      case 'compare':
        return this.cannotBe(condition);
      default:
        return false;
    }
  }

  /** Comparisons are left out: with what does not exist they are false, whatever is known. */
  private isTrue(condition: Condition): boolean {
    switch (condition.kind) {
      case 'constant':
        return condition.value;
      case 'and':
        return condition.parts.every((part) => this.isTrue(part));
      case 'or':
        return condition.parts.some((part) => this.isTrue(part));
      case 'not':
        return this.isFalse(condition.part);
      case 'test':
        return condition.name === 'Initialized' && this.isWritten(condition.args);
      default:
        return false;
    }
  }

  private isWritten([address, length]: readonly Term[]): boolean {
    const bytes = length === undefined ? undefined : this.sum(length);
    return address?.kind === 'slot' && this.facts.written.includes(this.point.slots.indexOf(address.slot)) && bytes !== undefined && this.isNotPositive(minus(bytes, BYTES));
  }

  private cannotBe({ operator, left, right }: Condition & { kind: 'compare' }): boolean {
    const [a, b] = [this.sum(left), this.sum(right)];
    if (a === undefined || b === undefined) return false;
    const [above, below] = [minus(a, b), minus(b, a)];
    switch (operator) {
      case '>':
        return this.isNotPositive(above);
      case '<':
        return this.isNotPositive(below);
      case '>=':
        return this.isNegative(above);
      case '<=':
        return this.isNegative(below);
      case '==':
        return this.isNegative(above) || this.isNegative(below);
      case '!=':
        return this.isNotPositive(above) && this.isNotPositive(below);
    }
  }

  private isNegative(sum: Sum): boolean {
    return this.isNotPositive(plus(sum, constant(1)));
  }

  /** It is no more than something that is not positive. */
  private isNotPositive(sum: Sum): boolean {
    return [constant(0), ...this.facts.sums].some((fact) => {
      const { parts, rest } = minus(sum, fact);
      return parts.size === 0 && rest <= 0n;
    });
  }

  private sum(term: Term): Sum | undefined {
    switch (term.kind) {
      case 'number':
        return { parts: new Map(), rest: term.value };
      case 'slot': {
        const position = this.point.slots.indexOf(term.slot);
        return position < 0 ? undefined : argument(position);
      }
      case 'binary': {
        const [left, right] = [this.sum(term.left), this.sum(term.right)];
        if (left === undefined || right === undefined) return undefined;
        return term.operator === '+' ? plus(left, right) : term.operator === '-' ? minus(left, right) : undefined;
      }
      case 'apply': {
        const [of] = term.args;
        const position = of?.kind === 'slot' ? this.point.slots.indexOf(of.slot) : -1;
        return position < 0 ? undefined : term.name === 'Begin' ? begin(position) : term.name === 'End' ? end(position) : undefined;
      }
      default:
        return undefined;
    }
  }
}
